// Ray's Jobs API and its list of nodes, over node:http, since fetch sends headers of a browser (Sec-Fetch-Mode), with which Ray
// refuses every change.
import http from 'node:http';
import https from 'node:https';
import { z } from 'zod';

const maxBytes = 32 << 20;
const defaultTimeoutMs = 10_000;

/** Ray is unreachable, or its answer tells nothing about the job. The message is a sentence without its full stop. */
export class RayUnavailable extends Error {}

const jobSchema = z.object({
  submission_id: z.string().nullish(),
  status: z.enum(['PENDING', 'RUNNING', 'STOPPED', 'SUCCEEDED', 'FAILED']),
  message: z.string().nullish(),
  driver_exit_code: z.int().nullish(),
  end_time: z.number().nullish(),
  metadata: z.record(z.string(), z.string()).nullish(),
});
export type RayJob = z.infer<typeof jobSchema>;

const nodesSchema = z.object({
  data: z.object({
    result: z.object({
      result: z.array(
        z.object({
          node_id: z.string(),
          node_ip: z.string().nullish(),
          node_name: z.string().nullish(),
          state: z.string(),
          state_message: z.string().nullish(),
          end_time_ms: z.number().nullish(),
          resources_total: z.record(z.string(), z.number()).nullish(),
        }),
      ),
    }),
  }),
});
export type RayNode = z.infer<typeof nodesSchema>['data']['result']['result'][number];

const groupsSchema = z.object({
  data: z.object({
    result: z.object({
      result: z.array(
        z.object({
          name: z.string().nullish(),
          state: z.string(),
          bundles: z
            .array(
              z.object({ node_id: z.string().nullish(), unit_resources: z.record(z.string(), z.number()).nullish() }),
            )
            .nullish(),
        }),
      ),
    }),
  }),
});
export type PlacementGroup = z.infer<typeof groupsSchema>['data']['result']['result'][number];

const usageSchema = z.object({
  data: z.object({
    clusterStatus: z.object({
      loadMetricsReport: z.object({
        usageByNode: z.record(z.string(), z.record(z.string(), z.tuple([z.number(), z.number()]))),
      }),
    }),
  }),
});
/** Resources of each node by its id: the used amount and the total of each. */
export type Usage = z.infer<typeof usageSchema>['data']['clusterStatus']['loadMetricsReport']['usageByNode'];

export interface Submission {
  submission_id: string;
  entrypoint: string;
  entrypoint_num_cpus: number;
  metadata: Record<string, string>;
}

interface Answer {
  status: number;
  text: string;
}

export interface RayAccess {
  /** The dashboard's address, with or without a slash at its end. */
  address: string;
  /** Read for each call: a token may be rotated. */
  token(): Promise<string | undefined>;
  /** Source of the token, for people. */
  tokenFrom: string;
  userAgent: string;
  timeoutMs?: number;
}

export class RayApi {
  readonly #access: RayAccess;

  constructor(access: RayAccess) {
    this.#access = access;
  }

  get address(): string {
    return this.#access.address;
  }

  async version(): Promise<string> {
    return this.#read(z.object({ ray_version: z.string() }), await this.#call('GET', '/api/version')).ray_version;
  }

  /** False if Ray needs no token; versions without this route have no tokens. */
  async asksForToken(): Promise<boolean> {
    const answer = await this.#call('GET', '/api/authentication_mode');
    return answer.status === 200 && !/"(disabled|none)"/i.test(answer.text);
  }

  /** Undefined if Ray does not know the job. */
  async job(id: string): Promise<RayJob | undefined> {
    const answer = await this.#call('GET', `/api/jobs/${id}`);
    return answer.status === 404 ? undefined : this.#read(jobSchema, answer);
  }

  async jobs(): Promise<RayJob[]> {
    return this.#read(z.array(jobSchema), await this.#call('GET', '/api/jobs/'));
  }

  /** An id that exists already is not an error: an earlier call arrived, and its answer was lost. */
  async submit(submission: Submission): Promise<void> {
    const answer = await this.#call('POST', '/api/jobs/', submission);
    if (answer.status === 500 && /already exists/.test(answer.text)) return;
    if (answer.status !== 200) throw this.#unexpected(answer);
  }

  async stop(id: string): Promise<void> {
    const answer = await this.#call('POST', `/api/jobs/${id}/stop`);
    if (answer.status !== 200 && answer.status !== 404) throw this.#unexpected(answer);
  }

  async delete(id: string): Promise<void> {
    const answer = await this.#call('DELETE', `/api/jobs/${id}`);
    if (answer.status !== 200 && answer.status !== 404) throw this.#unexpected(answer);
  }

  /** All nodes, also dead ones. */
  async nodes(): Promise<RayNode[]> {
    return this.#read(nodesSchema, await this.#call('GET', '/api/v0/nodes?detail=1&limit=10000')).data.result.result;
  }

  /** Reservations of resources, with their nodes. */
  async placementGroups(): Promise<PlacementGroup[]> {
    const answer = await this.#call('GET', '/api/v0/placement_groups?detail=1&limit=10000');
    return this.#read(groupsSchema, answer).data.result.result;
  }

  /** Undefined if the cluster's autoscaler does not report it. */
  async usage(): Promise<Usage | undefined> {
    const answer = await this.#call('GET', '/api/cluster_status');
    const found = answer.status === 200 ? usageSchema.safeParse(parsed(answer.text)) : undefined;
    return found?.data?.data.clusterStatus.loadMetricsReport.usageByNode;
  }

  #read<Value>(schema: z.ZodType<Value>, answer: Answer): Value {
    if (answer.status !== 200) throw this.#unexpected(answer);
    try {
      return schema.parse(JSON.parse(answer.text));
    } catch {
      throw this.#unexpected(answer);
    }
  }

  #unexpected({ status, text }: Answer): RayUnavailable {
    const { address, tokenFrom } = this.#access;
    if (status === 401) return new RayUnavailable(`Ray at ${address} asks for a token (401); it was sent ${tokenFrom}`);
    if (status === 403) return new RayUnavailable(`Ray at ${address} refuses ${tokenFrom} (403)`);
    // The last line of a traceback is its reason.
    const reason = text.trim().split('\n').at(-1)?.slice(0, 300);
    return new RayUnavailable(`Ray at ${address} answered ${status}: ${reason || 'nothing'}`);
  }

  async #call(method: string, path: string, body?: object): Promise<Answer> {
    const { address, userAgent, timeoutMs = defaultTimeoutMs } = this.#access;
    const token = await this.#access.token();
    const text = body && JSON.stringify(body);
    const url = new URL(address.replace(/\/+$/, '') + path);
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const request = (url.protocol === 'https:' ? https : http).request(
      url,
      {
        method,
        agent: false,
        headers: {
          'user-agent': userAgent,
          accept: 'application/json',
          ...(token && { authorization: `Bearer ${token}`, 'x-ray-authorization': `Bearer ${token}` }),
          ...(text && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
        },
      },
      (response) => {
        const parts: Buffer[] = [];
        let bytes = 0;
        response.on('data', (part: Buffer) => {
          parts.push(part);
          bytes += part.length;
          if (bytes > maxBytes) request.destroy(new Error('its answer is too large'));
        });
        response.once('error', reject);
        response.once('end', () =>
          resolve({ status: response.statusCode ?? 0, text: Buffer.concat(parts).toString('utf8') }),
        );
      },
    );
    // A silent head keeps the connection open: only a timeout of the whole call ends it.
    const timer = setTimeout(
      () => request.destroy(new Error(`no answer within ${timeoutMs / 1000} seconds`)),
      timeoutMs,
    );
    request.once('error', reject);
    request.end(text);
    try {
      return await promise;
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      throw new RayUnavailable(`Ray at ${address} cannot be reached (${code ?? message})`);
    } finally {
      clearTimeout(timer);
    }
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function isLoopback(address: string): boolean {
  const { hostname } = new URL(address);
  return hostname === 'localhost' || hostname === '[::1]' || /^127\./.test(hostname);
}
