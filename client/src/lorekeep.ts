// The client: every route of the contract as a method, and methods that take several calls.
import {
  type CallOptions,
  callRoute,
  connectionError,
  type Opened,
  openRoute,
  type RouteOf,
  type Settings,
} from './call.ts';
import { EndedError, LorekeepError } from './errors.ts';
import { eventsOf, linesOf, namedEventsOf, type ServerEvent } from './events.ts';
import { Calls, routes } from './generated/calls.ts';
import type { Outcome } from './generated/tables.ts';
import type {
  BuildIndexArgs,
  DownloadedModel,
  DownloadModelArgs,
  Evaluation,
  EvaluationRow,
  Index,
  Run,
  ShowBatchAnswer,
  StartBatchArgs,
  StartEvaluationArgs,
  StartStreamArgs,
  TrainArgs,
  TuningJob,
} from './generated/types.ts';
import { isOver } from './job-states.ts';
import { type WatchOptions, watch } from './watch.ts';

export interface LorekeepOptions {
  /**
   * Address of Lorekeep. The default is LOREKEEP_BASE_URL, then in a page its own server, then
   * http://127.0.0.1:8080.
   */
  baseUrl?: string | undefined;
  /** The key; LOREKEEP_API_KEY by default. Null for none. */
  apiKey?: string | null | undefined;
  /** Timeout of one attempt of a call, in milliseconds; by default 100,000, a little more than the maximum of the server. */
  timeoutMs?: number | undefined;
  /** Maximum number of retries where they are safe; 3 by default. */
  retries?: number | undefined;
  /** Headers of every call. */
  headers?: Record<string, string> | undefined;
  /** Replacement for the fetch of the platform. */
  fetch?: typeof fetch | undefined;
  /** Handles warnings of the server, such as deprecations. By default each text is printed once to the console. */
  onWarning?: ((text: string) => void) | undefined;
}

/** Partial results of an answer in progress; an element is null if nothing exists yet. */
export type Grown = Extract<ShowBatchAnswer, { outputs: unknown }>;
/** A stored row. */
export type StoredRow = { input: string; output: string; [field: string]: unknown };

export class Lorekeep extends Calls {
  readonly #settings: Settings;

  constructor(options: LorekeepOptions = {}) {
    super();
    const key = options.apiKey === null ? undefined : (options.apiKey ?? variable('LOREKEEP_API_KEY'));
    this.#settings = {
      baseUrl: (options.baseUrl ?? variable('LOREKEEP_BASE_URL') ?? ownAddress() ?? 'http://127.0.0.1:8080').replace(
        /\/+$/,
        '',
      ),
      apiKey: key === '' ? undefined : key,
      timeoutMs: options.timeoutMs ?? 100_000,
      retries: options.retries ?? 3,
      headers: options.headers ?? {},
      fetch: options.fetch ?? ((...given) => globalThis.fetch(...given)),
      onWarning: options.onWarning ?? warnOnce(),
    };
  }

  /** Address that this client calls. */
  get baseUrl(): string {
    return this.#settings.baseUrl;
  }

  protected call<Answer>(route: RouteOf, args: object, options?: CallOptions): Promise<Answer> {
    return callRoute<Answer>(this.#settings, route, args, options);
  }

  protected events<Event>(route: RouteOf, args: object, options?: CallOptions): AsyncGenerator<Event, void> {
    return this.#read(eventsOf<Event>, route, args, options);
  }

  protected serverEvents(route: RouteOf, args: object, options?: CallOptions): AsyncGenerator<ServerEvent, void> {
    return this.#read(namedEventsOf, route, args, options);
  }

  async *#read<Event>(
    read: (opened: Opened) => AsyncGenerator<Event, void>,
    route: RouteOf,
    args: object,
    options?: CallOptions,
  ): AsyncGenerator<Event, void> {
    const opened = await openRoute(this.#settings, route, args, options);
    try {
      // Events that were received before the abort may still be buffered; they are not yielded after it.
      for await (const event of read(opened)) {
        options?.signal?.throwIfAborted();
        yield event;
      }
      options?.signal?.throwIfAborted();
    } catch (error) {
      options?.signal?.throwIfAborted();
      throw error instanceof LorekeepError ? error : connectionError(error, this.baseUrl);
    }
  }

  protected async *pages<Item>(
    route: RouteOf,
    list: string,
    args: object,
    options?: CallOptions,
  ): AsyncGenerator<Item, void> {
    for (let after: unknown; ; ) {
      const page: Record<string, unknown> = await this.call(
        route,
        after === undefined ? args : { ...args, after },
        options,
      );
      yield* page[list] as Item[];
      if (page.next === null || page.next === undefined) return;
      after = page.next;
    }
  }

  /** Streams the rows of a dataset, or the first `limit` ones. The audit log records more than 100 rows as an export. */
  async *datasetRows(id: string, options?: CallOptions & { limit?: number }): AsyncGenerator<StoredRow, void> {
    const response = await this.readDatasetRows({ id, limit: options?.limit }, options);
    for await (const line of linesOf(response.body!)) if (line !== '') yield JSON.parse(line);
  }

  /**
   * Yields the partial texts of answers while they are generated. Leaving the loop stops the generation. Works through proxies that
   * buffer streams, and continues after a lost connection.
   */
  async *growingCompletion(args: StartStreamArgs, options: WatchOptions = {}): AsyncGenerator<Grown, void> {
    const { id } = await this.startStream(args, options);
    try {
      for await (const state of watch((asking) => this.showStream({ id }, asking), isComplete, options))
        if (hasGrown(state)) yield state;
    } finally {
      await this.#remove(id);
    }
  }

  /** Yields the state of a batch each time it changes, until it is finished. Leaving the loop does not affect the batch. */
  runProgress(id: string, options?: WatchOptions): AsyncGenerator<Run, void> {
    return watch(
      (asking) => this.showRun({ id }, asking),
      ({ status }) => status !== 'running',
      options,
    );
  }

  /** Asks many prompts as a batch and reports its progress; returns the results in the order of the prompts. */
  async batch(args: StartBatchArgs, options: WatchOptions & { onProgress?: (run: Run) => void } = {}): Promise<Grown> {
    const { onProgress, ...watching } = options;
    const { id } = await this.startBatch(args, watching);
    for await (const run of this.runProgress(id, watching)) onProgress?.(run);
    return (await this.showBatch({ id }, watching)) as Grown;
  }

  /** Downloads a model and yields its progress until it is available. Leaving the loop does not affect the download. */
  modelProgress(args: DownloadModelArgs, options?: WatchOptions): AsyncGenerator<DownloadedModel, void> {
    let asked = false;
    const ask = async (asking: CallOptions) => {
      // The first request carries the token; the next poll returns a failure.
      const { hf_model_name } = args;
      const found = await this.downloadModel(asked ? { hf_model_name } : args, asking);
      asked = true;
      return found;
    };
    return watch(ask, ({ status }) => status === 'available', options);
  }

  /** Yields the state of a tuning job each time it changes, until it is over. Leaving the loop does not affect the job. */
  jobProgress(id: number, options?: WatchOptions): AsyncGenerator<TuningJob, void> {
    return watch((asking) => this.showJob({ id }, asking), isOver, options);
  }

  /** Tunes a base on facts and reports its progress; returns the job with its model. Throws `EndedError` if there is no model. */
  async tune(
    args: TrainArgs,
    options: WatchOptions & { onProgress?: (job: TuningJob) => void } = {},
  ): Promise<TuningJob> {
    const { onProgress, ...watching } = options;
    const { job_id } = await this.train(args, watching);
    let job: TuningJob | undefined;
    for await (job of this.jobProgress(job_id, watching)) onProgress?.(job);
    if (job!.model_name === null) throw endedError(`The job ${job_id}`, job!.status, job!.error);
    return job!;
  }

  /** Yields the state of an index each time it changes, until it is idle. Leaving the loop does not affect the index. */
  indexProgress(id: number, options?: WatchOptions): AsyncGenerator<Index, void> {
    return watch((asking) => this.showIndex({ id }, asking), isOver, options);
  }

  /** Builds an index of files and reports its progress; returns the index. Throws `EndedError` if nothing in it can be searched. */
  async index(
    args: BuildIndexArgs,
    options: WatchOptions & { onProgress?: (index: Index) => void } = {},
  ): Promise<Index> {
    const { onProgress, ...watching } = options;
    const { job_id } = await this.buildIndex(args, watching);
    let index: Index | undefined;
    for await (index of this.indexProgress(job_id, watching)) onProgress?.(index);
    if (!index!.ready) throw endedError(`The index ${job_id}`, index!.status, index!.error);
    return index!;
  }

  /** Yields the state of an evaluation each time it changes, until it is over. Leaving the loop does not affect the evaluation. */
  evaluationProgress(id: number, options?: WatchOptions): AsyncGenerator<Evaluation, void> {
    return watch(
      (asking) => this.showEvaluation({ id }, asking),
      ({ status }) => status !== 'running',
      options,
    );
  }

  /** Asks several targets the questions of a dataset and reports the progress; returns the figures of each target. */
  async evaluate(
    args: StartEvaluationArgs,
    options: WatchOptions & { onProgress?: (evaluation: Evaluation) => void } = {},
  ): Promise<Evaluation> {
    const { onProgress, ...watching } = options;
    const { evaluation_id } = await this.startEvaluation(args, watching);
    let evaluation: Evaluation | undefined;
    for await (evaluation of this.evaluationProgress(evaluation_id, watching)) onProgress?.(evaluation);
    if (evaluation!.status !== 'completed')
      throw endedError(`The evaluation ${evaluation_id}`, evaluation!.status, evaluation!.error);
    return evaluation!;
  }

  /**
   * Streams the questions of an evaluation with the answers of all targets; with an outcome, only the questions that a
   * target answered with this outcome.
   */
  evaluationRows(
    id: number,
    { outcome, ...options }: CallOptions & { outcome?: Outcome | undefined } = {},
  ): AsyncGenerator<EvaluationRow, void> {
    const asked = { id, limit: 1000, ...(outcome && { outcome }) };
    return this.pages(routes.showEvaluationResults, 'rows', asked, options);
  }

  /** Removes a batch after its caller has left. The server removes leftover batches some days later. */
  async #remove(id: string): Promise<void> {
    await this.deleteRun({ id }, { retries: 0, timeoutMs: 10_000 }).catch(() => {});
  }
}

type Growing = Partial<Grown>;
const hasGrown = (state: Growing): state is Grown => state.outputs !== undefined;
const isComplete = (state: Growing) => hasGrown(state) && state.finish_reason.every((reason) => reason !== null);

const endedError = (what: string, status: string, reason: string | null) =>
  new EndedError({
    code: 'ended',
    detail: `${what} is ${status}${reason ? `: ${reason}` : ' and made nothing.'}`,
  });

/** A point of the loss curve of a job. */
export interface JobPoint {
  /** Number of completed waves; 0 before the first. */
  step: number;
  /** Null if the loss is unknown, because a wave diverged. */
  loss: number | null;
  learning_rate: number;
  /** Share of the facts that are learned. */
  epoch: number;
  iter_time: number;
  flops: number;
  remaining_time: number;
}

/** The loss curve of a job. On the wire it is JSON in a string, for older clients. */
export const historyOf = ({ history }: Pick<TuningJob, 'history'>): JobPoint[] => JSON.parse(history);

/** An environment variable; undefined if it is missing or empty, or without an environment. */
function variable(name: string): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  return process?.env?.[name] || undefined;
}

/** The server that served the page. */
function ownAddress(): string | undefined {
  const { document, location } = globalThis as { document?: object; location?: { origin: string } };
  return document && location?.origin.startsWith('http') ? location.origin : undefined;
}

function warnOnce(): (text: string) => void {
  const warned = new Set<string>();
  return (text) => {
    if (warned.has(text)) return;
    warned.add(text);
    // biome-ignore lint/suspicious/noConsole: onWarning redirects it
    console.warn(`Lorekeep: ${text}`);
  };
}
