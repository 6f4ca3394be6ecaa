// A stand-in for the head of a Ray cluster: the answers of Ray 2.60's Jobs API word for word, and moments that no real head can be
// brought to at will. A test says what becomes of a job.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface StandInJob {
  submission_id: string;
  status: 'PENDING' | 'RUNNING' | 'STOPPED' | 'SUCCEEDED' | 'FAILED';
  entrypoint: string;
  metadata: Record<string, string>;
  message: string;
  driver_exit_code: number | null;
  start_time: number;
  end_time: number | null;
}

const traceback = 'Traceback (most recent call last):\n  File "job_head.py", line 400, in submit_job\n';

export class StandInHead {
  readonly jobs = new Map<string, StandInJob>();
  /** Calls that arrived: method and path. */
  readonly calls: string[] = [];
  token: string | undefined;
  version = '2.60.0';
  nodes: Record<string, number>[] = [{ CPU: 1 }, { CPU: 2, GPU: 2 }, { CPU: 2, GPU: 2 }];
  /** `silent` holds connections open, `deaf` does what it is told and never says so, `broken` answers 500. */
  mood: 'well' | 'silent' | 'deaf' | 'broken' = 'well';
  onSubmit: (job: StandInJob) => void = () => {};
  readonly #server = createServer((request, response) => void this.#receive(request, response));
  #port = 0;

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(this.#port, '127.0.0.1', resolve));
    this.#port = (this.#server.address() as AddressInfo).port;
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Down: connections are refused. With `forgets` as a head without a store of its own. */
  async down(forgets: boolean): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
    if (forgets) this.jobs.clear();
  }

  submissions(): string[] {
    return this.calls.filter((call) => call === 'POST /api/jobs/');
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const { method = '', url = '' } = request;
    const path = url.split('?')[0]!;
    this.calls.push(`${method} ${path}`);
    if (this.mood === 'silent') return;
    const [status, body] = this.#refusal(request, path) ?? this.#answer(method, path, Buffer.concat(parts).toString());
    if (this.mood === 'deaf' && method !== 'GET') {
      response.destroy();
      return;
    }
    const isText = typeof body === 'string';
    response.writeHead(status, { 'content-type': isText ? 'text/plain; charset=utf-8' : 'application/json' });
    response.end(isText ? body : JSON.stringify(body));
  }

  #refusal({ method, headers }: IncomingMessage, path: string): Answer | undefined {
    if (this.mood === 'broken') return [500, `${traceback}RuntimeError: GCS is not available`];
    if (path === '/api/authentication_mode') return [200, { authentication_mode: this.token ? 'token' : 'disabled' }];
    if (method !== 'GET' && (headers['sec-fetch-mode'] || !headers['user-agent']))
      return [405, `'${method}' method not allowed for browser traffic.`];
    if (this.token && !headers.authorization) return [401, 'Unauthorized: Missing authentication token'];
    if (this.token && headers.authorization !== `Bearer ${this.token}`)
      return [403, 'Forbidden: Invalid authentication token'];
    return undefined;
  }

  #answer(method: string, path: string, body: string): Answer {
    if (path === '/api/version')
      return [200, { version: '4', ray_version: this.version, ray_commit: 'b7f4', session_name: 'session_1' }];
    if (path === '/api/v0/nodes') {
      const nodes = this.nodes.map((resources_total) => ({ state: 'ALIVE', is_head_node: false, resources_total }));
      const dead = { state: 'DEAD', is_head_node: false, resources_total: { GPU: 16 } };
      return [200, { result: true, msg: '', data: { result: { total: nodes.length, result: [...nodes, dead] } } }];
    }
    if (path === '/api/jobs/') return method === 'GET' ? [200, [...this.jobs.values()]] : this.#submitted(body);
    const [, id = '', action] = /^\/api\/jobs\/([^/]+)(?:\/(stop))?$/.exec(path) ?? [];
    const job = this.jobs.get(id);
    if (!job) return [404, `Job ${id} does not exist`];
    const isOver = !['PENDING', 'RUNNING'].includes(job.status);
    if (method === 'GET') return [200, { type: 'SUBMISSION', ...job }];
    if (action === 'stop') {
      if (job.status === 'RUNNING') job.status = 'STOPPED';
      return [200, { stopped: !isOver }];
    }
    if (!isOver)
      return [500, `${traceback}RuntimeError: Attempted to delete job '${id}', but it is in a non-terminal state`];
    this.jobs.delete(id);
    return [200, { deleted: true }];
  }

  #submitted(body: string): Answer {
    const { submission_id, entrypoint, metadata } = JSON.parse(body);
    if (this.jobs.has(submission_id))
      return [
        500,
        `${traceback}ValueError: Job with submission_id ${submission_id} already exists. Please use a different submission_id.`,
      ];
    const job: StandInJob = {
      ...{ submission_id, entrypoint, metadata, status: 'PENDING', driver_exit_code: null, end_time: null },
      message: 'Job has not started yet.',
      start_time: Date.now(),
    };
    this.jobs.set(submission_id, job);
    this.onSubmit(job);
    return [200, { job_id: submission_id, submission_id }];
  }
}

type Answer = [status: number, body: string | object];
