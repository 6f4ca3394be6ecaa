// Read side of jobs for callers: one job, the list, events, logs.
import { isOver, type JobEvent, Refusal, resumeLimit, type Sweep, type TuningJob } from '@lorekeep/contract';
import type { Selectable } from 'kysely';
import type { Caller } from '../auth/caller.ts';
import type { Store } from '../store/database.ts';
import { pageOf } from '../store/page.ts';
import type { TuningEventRow } from '../store/schema.ts';
import type { JobFolders } from './job-folders.ts';
import { shownProgress } from './job-progress.ts';
import { isInQueue, isRunning, isWaiting } from './queue/states.ts';
import type { Job } from './queue/transition.ts';
import { type Experience, experienceOf } from './submit/estimate.ts';
import { parseSweep } from './sweeps.ts';

/** Columns that are shown for a job or that decide its order. */
const columns = [
  'id',
  'status',
  'error',
  'base_model',
  'model_name',
  'custom_model_name',
  'is_public',
  'dataset_id',
  'arguments',
  'use_cached_model',
  'gpus',
  'nodes',
  'sweep',
  'priority',
  'round',
  'resume_count',
  'progress',
  'warnings',
  'created_at',
  'started_at',
  'finished_at',
] as const satisfies (keyof Job)[];
type Listed = Pick<Job, (typeof columns)[number]>;

export class Jobs {
  readonly #store: Store;
  readonly #folders: JobFolders;
  readonly #problemOf: (job: number) => string | undefined;

  /** `problemOf` returns why nothing happens to an unfinished job, if that cannot be stored. */
  constructor(store: Store, folders: JobFolders, problemOf: (job: number) => string | undefined = () => undefined) {
    this.#store = store;
    this.#folders = folders;
    this.#problemOf = problemOf;
  }

  async list(caller: Caller, limit: number, after: number | undefined, which: 'all' | 'sweeps' = 'all') {
    let query = this.#store.db
      .selectFrom('tuning_jobs')
      .select(columns)
      .where('account_id', '=', caller.account.id)
      .orderBy('id', 'desc')
      .limit(limit);
    if (after !== undefined) query = query.where('id', '<', after);
    if (which === 'sweeps') query = query.where('sweep', 'is not', null);
    return await this.#toJobs(await query.execute());
  }

  async show(caller: Caller, id: number): Promise<TuningJob> {
    const [job] = await this.#toJobs([await this.own(caller, id)]);
    return job!;
  }

  async own(caller: Caller, id: number): Promise<Job> {
    const job = await this.#store.db
      .selectFrom('tuning_jobs')
      .selectAll()
      .where('id', '=', id)
      .where('account_id', '=', caller.account.id)
      .executeTakeFirst();
    if (!job) throw new Refusal('job_not_found', { id });
    return job;
  }

  async ownSweep(caller: Caller, id: number): Promise<Job> {
    const job = await this.own(caller, id);
    if (job.sweep === null) throw new Refusal('sweep_not_found', { id });
    return job;
  }

  /** A sweep with its trials so far, read from the files in its folder. */
  async showSweep(caller: Caller, id: number): Promise<Sweep> {
    const { name } = await this.ownSweep(caller, id);
    const trials = await this.#folders.trials(name);
    const job = await this.show(caller, id);
    return { ...job, trials: trials.slice(0, job.sweep?.values.length) };
  }

  async events(
    caller: Caller,
    id: number,
    limit: number,
    after = 0,
  ): Promise<{ events: JobEvent[]; next: number | null }> {
    await this.own(caller, id);
    const found = await this.#store.db
      .selectFrom('tuning_events')
      .selectAll()
      .where('job_id', '=', id)
      .where('id', '>', after)
      .orderBy('id')
      .limit(limit + 1)
      .execute();
    const { rows, next } = pageOf(found, limit, (event) => event.id);
    return { events: rows.map(shownEvent), next };
  }

  async log(caller: Caller, id: number, lines: number): Promise<string[]> {
    return await this.#folders.log((await this.own(caller, id)).name, lines);
  }

  async #toJobs(jobs: Listed[]): Promise<TuningJob[]> {
    const [histories, positions, experiences] = await Promise.all([
      this.#histories(jobs),
      this.#positions(jobs),
      this.#experiences(jobs),
    ]);
    return jobs.map((job) => ({
      job_id: job.id,
      status: job.status,
      start_time: new Date(job.created_at).toISOString().replace('Z', '000'),
      model_name: job.model_name,
      custom_model_name: job.custom_model_name,
      is_public: job.is_public === 1,
      dataset_id: job.dataset_id,
      resume_count: job.resume_count,
      resume_limit: resumeLimit,
      history: `[${(histories.get(job.id) ?? []).join(', ')}]`,
      base_model: job.base_model,
      train_type: job.sweep === null ? 'memory_tuning' : 'sweep',
      finetune_args: JSON.parse(job.arguments) as Record<string, unknown>,
      gpu_config: { gpus: job.gpus, nodes: job.nodes },
      use_cached_model: job.use_cached_model === 1,
      sweep: parseSweep(job),
      priority: job.priority,
      queue_position: positions.get(job.id) ?? null,
      progress: shownProgress(job, isRunning(job.status) ? experiences.get(job.base_model) : undefined),
      warnings: [...(JSON.parse(job.warnings) as string[]), ...this.#waiting(job)],
      error: job.error,
      created_at: new Date(job.created_at).toISOString(),
      finished_at: job.finished_at === null ? null : new Date(job.finished_at).toISOString(),
    }));
  }

  #waiting({ id, status }: Listed): string[] {
    const problem = isOver(status) ? undefined : this.#problemOf(id);
    return problem === undefined ? [] : [problem];
  }

  /** Costs of earlier jobs on the bases that are being tuned. */
  async #experiences(jobs: Listed[]): Promise<Map<string, Experience>> {
    const bases = new Set(jobs.filter(({ status }) => isRunning(status)).map(({ base_model }) => base_model));
    return new Map(
      await Promise.all([...bases].map(async (base) => [base, await experienceOf(this.#store, base)] as const)),
    );
  }

  async #histories(jobs: Listed[]): Promise<Map<number, string[]>> {
    const histories = new Map<number, string[]>();
    // A job that never ran has none.
    const ids = jobs.filter(({ started_at }) => started_at !== null).map(({ id }) => id);
    for (let at = 0; at < ids.length; at += 500) {
      const rows = await this.#store.db
        .selectFrom('tuning_points')
        .selectAll()
        .where('job_id', 'in', ids.slice(at, at + 500))
        .orderBy('job_id')
        .orderBy('step')
        .execute();
      for (const { job_id, point } of rows) histories.set(job_id, [...(histories.get(job_id) ?? []), point]);
    }
    return histories;
  }

  /** Queue positions: the position of the first job is counted over the index, then the queue is read from there to the last job. */
  async #positions(jobs: Listed[]): Promise<Map<number, number>> {
    const waits = jobs.filter(({ status }) => isWaiting(status)).sort(byTurn);
    const [first] = waits;
    const last = waits.at(-1);
    if (!first || !last) return new Map();
    if (first === last) return new Map([[first.id, await this.position(first)]]);
    const rows = await this.#store.db
      .selectFrom('tuning_jobs')
      .select(['id', 'priority', 'round'])
      .where(isInQueue)
      // With one priority the index leads to the first job; with several, all jobs between them are read.
      .$if(first.priority === last.priority, (query) =>
        query.where('priority', '=', first.priority).where('round', '>=', first.round).where('round', '<=', last.round),
      )
      .$if(first.priority !== last.priority, (query) =>
        query.where('priority', '<=', first.priority).where('priority', '>=', last.priority),
      )
      .orderBy('priority', 'desc')
      .orderBy('round')
      .orderBy('id')
      .execute();
    const [head] = rows;
    if (!head) return new Map();
    const place = await this.position(head);
    return new Map(rows.map(({ id }, after) => [id, place + after]));
  }

  /** Queue position; 1 is the next job. */
  async position({ id, priority, round }: Pick<Job, 'id' | 'priority' | 'round'>): Promise<number> {
    const { count } = await this.#store.db
      .selectFrom('tuning_jobs')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where(isInQueue)
      .where((eb) =>
        eb.or([
          eb('priority', '>', priority),
          eb.and([eb('priority', '=', priority), eb('round', '<', round)]),
          eb.and([eb('priority', '=', priority), eb('round', '=', round), eb('id', '<', id)]),
        ]),
      )
      .executeTakeFirstOrThrow();
    return Number(count) + 1;
  }
}

/** The order of the queue. */
const byTurn = (one: Listed, other: Listed) =>
  other.priority - one.priority || one.round - other.round || one.id - other.id;

export function shownEvent(row: Selectable<TuningEventRow>): JobEvent {
  return {
    id: row.id,
    job_id: row.job_id,
    time: new Date(row.at).toISOString(),
    type: row.type,
    status: row.status,
    reason: row.reason,
  };
}
