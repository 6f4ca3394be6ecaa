// A stand-in for the head of a Ray cluster: the answers of Ray 2.60's Jobs API word for word, and states that no real head can be
// forced into. A test decides the outcome of a job.
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
  /** Resources of each node used by other workloads. */
  others: Record<string, number>[] = [];
  /** Omits the used resources, like a cluster whose autoscaler does not report them. */
  hidesUsage = false;
  /** Dead nodes, which stay in Ray's list for good. */
  dead: object[] = [
    { ...node(90), state: 'DEAD', state_message: 'Expected termination: node removed', resources_total: { GPU: 16 } },
  ];
  /** `silent` holds connections open, `deaf` executes requests without answering, `broken` answers 500. */
  mood: 'ok' | 'silent' | 'deaf' | 'broken' = 'ok';
  onSubmit: (job: StandInJob) => void = () => {};
  readonly #server = createServer((request, response) => void this.#receive(request, response));
  #port = 0;

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(this.#port, '127.0.0.1', resolve));
    this.#port = (this.#server.address() as AddressInfo).port;
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Down: connections are refused. `forgets`: like a head without a persistent store. */
  async down(forgets: boolean): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
    if (forgets) this.jobs.clear();
  }

  /** A job as in the list of Ray. */
  add(
    id: string,
    entrypoint: string,
    status: StandInJob['status'] = 'RUNNING',
    metadata: StandInJob['metadata'] = {},
  ): StandInJob {
    const job: StandInJob = {
      ...{ submission_id: id, entrypoint, metadata, status, driver_exit_code: null, end_time: null },
      message: 'Job has not started yet.',
      start_time: Date.now(),
    };
    this.jobs.set(id, job);
    return job;
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
      const nodes = this.nodes.map((resources_total, at) => ({ ...node(at), state: 'ALIVE', resources_total }));
      return [200, listed([...nodes, ...this.dead])];
    }
    if (path === '/api/cluster_status')
      return [200, { data: { clusterStatus: this.hidesUsage ? {} : { loadMetricsReport: this.#usage() } } }];
    if (path === '/api/v0/placement_groups') return [200, listed(this.#groups())];
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

  #usage(): object {
    const bundles = this.#groups().flatMap((group) => group.bundles);
    const usageByNode = this.nodes.map((resources, at) => {
      const own = bundles.filter(({ node_id }) => node_id === node(at).node_id);
      const used = (name: string) =>
        own.reduce((sum, one) => sum + (one.unit_resources[name] ?? 0), this.others[at]?.[name] ?? 0);
      return [
        node(at).node_id,
        Object.fromEntries(Object.entries(resources).map(([name, all]) => [name, [used(name), all]])),
      ];
    });
    return { usageByNode: Object.fromEntries(usageByNode) };
  }

  /** The placement group of each running job: its bundles on the first nodes with enough free slots, as its driver requests them. */
  #groups(): { name: string; state: string; bundles: Bundle[] }[] {
    const free = this.nodes.map((resources) => ({ ...resources }));
    return [...this.jobs.values()]
      .filter(({ status }) => status === 'RUNNING')
      .map(({ submission_id: name, entrypoint }) => {
        const [, nodes, slots, resource = ''] = /--nodes (\d+) --slots (\d+) --resource (\S+)/.exec(entrypoint) ?? [];
        const bundles: Bundle[] = [];
        for (let count = 0; count < Number(nodes); count++) {
          const at = free.findIndex((resources) => (resources[resource] ?? 0) >= Number(slots));
          if (at >= 0) free[at]![resource]! -= Number(slots);
          bundles.push({ node_id: at < 0 ? null : node(at).node_id, unit_resources: { [resource]: Number(slots) } });
        }
        const coordinator: Bundle = { node_id: node(0).node_id, unit_resources: { CPU: 1 } };
        if (Number(nodes) * Number(slots) > 1) bundles.push(coordinator);
        return { name, state: 'CREATED', bundles };
      });
  }

  #submitted(body: string): Answer {
    const { submission_id, entrypoint, metadata } = JSON.parse(body);
    if (this.jobs.has(submission_id))
      return [
        500,
        `${traceback}ValueError: Job with submission_id ${submission_id} already exists. Please use a different submission_id.`,
      ];
    this.onSubmit(this.add(submission_id, entrypoint, 'PENDING', metadata));
    return [200, { job_id: submission_id, submission_id }];
  }
}

interface Bundle {
  node_id: string | null;
  unit_resources: Record<string, number>;
}

/** A node's names in Ray's list. */
export const node = (at: number) => ({
  node_id: `${at}`.padStart(56, 'a'),
  node_ip: `10.77.0.${10 + at}`,
  node_name: `node-${at}`,
  is_head_node: at === 0,
  end_time_ms: 0,
});
const listed = (result: object[]) => ({ result: true, msg: '', data: { result: { total: result.length, result } } });

type Answer = [status: number, body: string | object];
