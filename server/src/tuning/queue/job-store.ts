// Store of jobs for the scheduler: each change of state is one transaction with its event and all consequences. A server changes a running
// job only while it owns the job.
import { resumeLimit } from '@lorekeep/contract';
import { sql } from 'kysely';
import { isMemory, recordPublished } from '../../models/aliases.ts';
import type { Store } from '../../store/database.ts';
import { withRowLock } from '../../store/lock.ts';
import type { SweepResult } from '../job-folders.ts';
import type { NewEvents } from '../run/events-file.ts';
import { parseSweep } from '../sweeps.ts';
import { adopt, deadOwners } from './adopt.ts';
import { type Decision, decide, type Running } from './decide.ts';
import { nextRound, waitReason } from './rounds.ts';
import { countSlotTime } from './slot-time.ts';
import { isInQueue, isRunning, stepsTo } from './states.ts';
import {
  addStatusEvent,
  addWarningEvent,
  type Change,
  finishedProgress,
  initialProgress,
  type Job,
  lockJob,
  transitionJob,
} from './transition.ts';

/** Bounds of silent worker deaths without a new wave between them: killed from outside, and crashed by themselves. */
const maxKills = 8;
const maxCrashes = 2;
/** Number of jobs at the head of the queue that are read. Jobs behind them are queried by size. */
const headSize = 200;
/** The columns of a waiting job that decide whether it starts. */
export type Queued = Pick<Job, 'id' | 'status' | 'owner' | 'slots' | 'gpus' | 'nodes'>;

interface ClaimOptions {
  /** Whether runs of other servers take slots of the same cluster. */
  shared: boolean;
  /** Reason why a job waits, other than jobs before it. */
  waitsFor?: (job: Job) => Promise<string | undefined>;
}

export interface FinishedModel {
  facts: number;
  recalled: number;
  experts: number;
  bytes: number;
}

export class JobStore {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Decides which jobs start on a cluster of `total` slots and marks them as owned by `owner`. `live` returns this server's runs. */
  async claim(
    owner: string,
    total: number,
    fits: (job: Queued) => boolean,
    live: (jobs: Job[]) => Running[],
    { shared, waitsFor = async () => undefined }: ClaimOptions,
  ): Promise<{ started: Job[]; decision: Decision }> {
    return await this.#transaction(async (change) => {
      // Servers that claim concurrently take turns. On SQLite the transaction itself is the lock.
      if (this.#store.engine === 'postgres') await sql`select pg_advisory_xact_lock(7305214434)`.execute(change);
      const taken = await change
        .selectFrom('tuning_jobs')
        .selectAll()
        .where('owner', 'is not', null)
        .$if(!shared, (query) => query.where('owner', '=', owner))
        .execute();
      const runs = live(taken);
      // Many jobs may wait, so only the deciding columns are read.
      const queue = change
        .selectFrom('tuning_jobs')
        .select(['id', 'status', 'owner', 'slots', 'gpus', 'nodes'])
        .where(isInQueue)
        .orderBy('priority', 'desc')
        .orderBy('round')
        .orderBy('id');
      // A job whose last run is still being stopped has an owner.
      const canStart = (some: Queued[]) => some.filter((job) => job.owner === null && fits(job));
      const head = await queue.limit(headSize).execute();
      let all = head;
      let decision = decide(canStart(head), runs, total);
      // A job that fits may be far back in the queue.
      if (head.length === headSize && decision.left > 0) {
        const known = new Set(head.map(({ id }) => id));
        const small = await queue
          .where('slots', '<=', decision.left)
          .limit(2 * headSize)
          .execute();
        all = [...head, ...small.filter(({ id }) => !known.has(id))];
        decision = decide(canStart(all), runs, total);
      }
      const started: Job[] = [];
      for (const { id, guest } of decision.start) {
        const job = await this.#lockUnchanged(change, all.find((candidate) => candidate.id === id)!);
        if (!job) continue;
        const reason = guest ? 'in slots that an earlier job waits for' : null;
        const set = { owner, started_at: Date.now() };
        await transitionJob(change, job, 'LOADING DATA', reason, set);
        started.push({ ...job, ...set, status: 'LOADING DATA' });
      }
      const begun = new Set(decision.start.map(({ id }) => id));
      for (const [place, read] of all.entries()) {
        if (read.status !== 'CREATED' || begun.has(read.id)) continue;
        const job = await this.#lockUnchanged(change, read);
        if (job) await transitionJob(change, job, 'QUEUED', (await waitsFor(job)) ?? waitReason(job, place));
      }
      return { started, decision };
    });
  }

  async owned(owner: string): Promise<Job[]> {
    return await this.#store.db.selectFrom('tuning_jobs').selectAll().where('owner', '=', owner).execute();
  }

  /** Counts the running time so far. This and every `ran` below is the total of all runs of the job. */
  async count(owner: string, id: number, ran: number): Promise<void> {
    await this.#whileOwned(owner, id, ran, async () => true);
  }

  /** Stores the events that a run has written, up to an offset in its file. False if the job is not running or no longer this server's. */
  async advance(owner: string, id: number, found: NewEvents, ran: number): Promise<boolean> {
    return await this.#whileOwned(owner, id, ran, async (change, job) => {
      if (!isRunning(job.status)) return false;
      let at = job;
      for (const status of found.states)
        for (const step of stepsTo(at.status, status)) at = await transitionJob(change, at, step, null);
      const warnings = JSON.parse(job.warnings) as string[];
      for (const message of found.warnings.filter((one) => !warnings.includes(one))) {
        warnings.push(message);
        await addWarningEvent(change, id, message);
      }
      for (const note of found.notes) await addStatusEvent(change, id, at.status, note);
      const isNew = await savePoints(change, id, found.points);
      await change
        .updateTable('tuning_jobs')
        .set({
          events_read: found.end,
          warnings: JSON.stringify(warnings),
          ...(found.progress && {
            progress: JSON.stringify({ ...initialProgress(job.facts), ...found.progress, told_at: Date.now() }),
          }),
          ...(isNew && { stumbles: 0 }),
        })
        .where('id', '=', id)
        .execute();
      return true;
    });
  }

  /** Completes a sweep. Its results are in the job's folder; the table gets the best value and the state. */
  async completeSweep(
    owner: string,
    id: number,
    { best, trials }: SweepResult,
    ran: number,
    peak: number | null,
  ): Promise<boolean> {
    return await this.#whileOwned(owner, id, ran, async (change, job) => {
      if (!isRunning(job.status)) return false;
      let at = job;
      for (const step of stepsTo(job.status, 'SAVING MODEL')) at = await transitionJob(change, at, step, null);
      const recalled = trials.reduce((sum, { facts_recalled }) => sum + facts_recalled, 0);
      await transitionJob(change, at, 'COMPLETED', null, {
        ...released,
        sweep: JSON.stringify({ ...parseSweep(job), best }),
        progress: JSON.stringify(finishedProgress(job, recalled)),
        finished_at: Date.now(),
        ...(peak !== null && { peak_memory: peak }),
      });
      return true;
    });
  }

  /** Completes a job when its model is in place: writes record, alias, state and webhook messages together. */
  async complete(owner: string, id: number, model: FinishedModel, ran: number, peak: number | null): Promise<boolean> {
    return await this.#whileOwned(owner, id, ran, async (change, job) => {
      if (!isRunning(job.status)) return false;
      const now = Date.now();
      await change
        .insertInto('tuned_models')
        .values({
          name: job.name,
          account_id: job.account_id,
          job_id: id,
          base_model: job.base_model,
          dataset_id: job.dataset_id,
          is_public: job.is_public,
          policy: job.policy,
          facts: model.facts,
          facts_recalled: model.recalled,
          experts: model.experts,
          bytes: model.bytes,
          created_at: now,
        })
        .execute();
      const published =
        job.custom_model_name &&
        !(await isMemory(change, job.account_id, job.custom_model_name)) &&
        (await change
          .insertInto('model_aliases')
          .values({ account_id: job.account_id, alias: job.custom_model_name, model_name: job.name, job_id: id })
          .onConflict((conflict) =>
            conflict
              .columns(['account_id', 'alias'])
              .doUpdateSet({ model_name: job.name, job_id: id })
              // The alias stays with the newer job's model, whichever job ended first.
              .where((eb) => eb.or([eb('model_aliases.model_name', 'is', null), eb('model_aliases.job_id', '<=', id)])),
          )
          .returning('alias')
          .executeTakeFirst());
      let at = job;
      for (const step of stepsTo(job.status, 'SAVING MODEL')) at = await transitionJob(change, at, step, null);
      const whole = model.recalled === model.facts;
      await transitionJob(
        change,
        at,
        whole ? 'COMPLETED' : 'PARTIALLY COMPLETED',
        whole ? null : `${model.facts - model.recalled} of ${model.facts} facts were not recalled word for word`,
        {
          ...released,
          model_name: job.name,
          progress: JSON.stringify(finishedProgress(job, model.recalled, model.experts)),
          finished_at: now,
          ...(peak !== null && { peak_memory: peak }),
        },
      );
      if (published) await recordPublished(change, job.account_id, job.name, published.alias);
      return true;
    });
  }

  async fail(owner: string, id: number, error: string, ran: number): Promise<boolean> {
    return await this.#whileOwned(owner, id, ran, async (change, job) => {
      if (!isRunning(job.status)) return false;
      await transitionJob(change, job, 'FAILED', error, { ...released, error, finished_at: Date.now() });
      return true;
    });
  }

  /** A worker died silently: the job is retried, or fails after too many deaths. */
  async stumble(owner: string, id: number, reason: string, killed: boolean, ran: number): Promise<boolean> {
    return await this.#whileOwned(owner, id, ran, async (change, job) => {
      if (!isRunning(job.status)) return false;
      const stumbles = job.stumbles + 1;
      if (stumbles >= (killed ? maxKills : maxCrashes)) {
        const error = `Its worker ended repeatedly without a report: ${reason}. The log of the job shows more.`;
        await transitionJob(change, job, 'FAILED', error, { ...released, error, finished_at: Date.now() });
      } else {
        await transitionJob(change, job, 'QUEUED', `${reason}; it goes on from its last finished wave`, {
          ...released,
          stumbles,
        });
      }
      return true;
    });
  }

  /** Returns a job to the queue; finished waves are kept. */
  async requeue(owner: string, id: number, reason: string, ran: number): Promise<boolean> {
    return await this.#whileOwned(owner, id, ran, async (change, job) => {
      if (!isRunning(job.status)) return false;
      await transitionJob(change, job, 'QUEUED', reason, { ...released });
      return true;
    });
  }

  /** Returns a job that reached its time limit to the queue, behind others. After too many times it fails. */
  async timeOut(owner: string, id: number, seconds: number, ran: number): Promise<boolean> {
    return await this.#whileOwned(owner, id, ran, async (change, job) => {
      if (!isRunning(job.status)) return false;
      if (job.resume_count >= resumeLimit) {
        const error = `It reached its time limit ${resumeLimit} times.`;
        await transitionJob(change, job, 'FAILED', error, { ...released, error, finished_at: Date.now() });
        return true;
      }
      const late = await transitionJob(change, job, 'TIMED OUT', `it ran for ${seconds} seconds, which is the limit`);
      await transitionJob(change, late, 'QUEUED', 'it goes on from its last finished wave when it is its turn again', {
        ...released,
        resume_count: job.resume_count + 1,
        round: await nextRound(change, job.account_id),
      });
      return true;
    });
  }

  /** Releases a job after the cleanup of its run, so that it may start again. */
  async release(owner: string, id: number, ran: number): Promise<void> {
    await this.#whileOwned(owner, id, ran, async (change) => {
      await change.updateTable('tuning_jobs').set({ owner: null }).where('id', '=', id).execute();
      return true;
    });
  }

  async hasWaiting(): Promise<boolean> {
    const row = await this.#store.db
      .selectFrom('tuning_jobs')
      .select('id')
      .where(isInQueue)
      .limit(1)
      .executeTakeFirst();
    return row !== undefined;
  }

  async exists(id: number): Promise<boolean> {
    const row = await this.#store.db.selectFrom('tuning_jobs').select('id').where('id', '=', id).executeTakeFirst();
    return row !== undefined;
  }

  /** Removes a dead server's row. Exactly one caller succeeds and requeues its jobs. With `goOn` their runs outlive the server and stay. */
  async takeOver(server: string, beat: number, reason: string, goOn: boolean): Promise<number[]> {
    return await this.#transaction(async (change) => {
      const gone = await change
        .deleteFrom('servers')
        .where('name', '=', server)
        .where('beat', '=', beat)
        .returning('name')
        .executeTakeFirst();
      return gone && !goOn ? await this.#requeueAll(change, server, reason) : [];
    });
  }

  /** Graceful end of this server: its jobs return to the queue at once, before the heartbeat would expire. */
  async leave(server: string, reason: string, goOn: boolean): Promise<void> {
    await this.#transaction(async (change) => {
      await change.deleteFrom('servers').where('name', '=', server).execute();
      if (!goOn) await this.#requeueAll(change, server, reason);
    });
  }

  async adopt(owner: string): Promise<Job[]> {
    return await adopt(this.#store, owner);
  }

  /** Requeues jobs that dead servers left running on a cluster, for a server without that cluster. */
  async disown(reason: string): Promise<void> {
    for (const owner of await deadOwners(this.#store))
      await this.#transaction(async (change) => await this.#requeueAll(change, owner, reason));
  }

  async #requeueAll(change: Change, server: string, reason: string): Promise<number[]> {
    const owned = change.selectFrom('tuning_jobs').selectAll().where('owner', '=', server);
    const jobs = await withRowLock(this.#store, owned).execute();
    for (const job of jobs) {
      if (isRunning(job.status)) await transitionJob(change, job, 'QUEUED', reason, released);
      else await change.updateTable('tuning_jobs').set({ owner: null }).where('id', '=', job.id).execute();
    }
    return jobs.map(({ id }) => id);
  }

  async #transaction<Result>(work: (change: Change) => Promise<Result>): Promise<Result> {
    return await this.#store.db.transaction().execute(work);
  }

  async #whileOwned(
    owner: string,
    id: number,
    ran: number,
    work: (change: Change, job: Job) => Promise<boolean>,
  ): Promise<boolean> {
    return await this.#transaction(async (change) => {
      const job = await lockJob(this.#store, change, id);
      return job?.owner === owner ? await work(change, await countSlotTime(change, job, ran)) : false;
    });
  }

  /** Locks the job, unless it was cancelled or claimed since it was read. */
  async #lockUnchanged(change: Change, read: Pick<Job, 'id' | 'status' | 'owner'>): Promise<Job | undefined> {
    const job = await lockJob(this.#store, change, read.id);
    return job?.status === read.status && job.owner === read.owner ? job : undefined;
  }
}

/** Stores the points of the curve. Returns whether one is new, since each run repeats the points of earlier runs. */
async function savePoints(change: Change, id: number, points: NewEvents['points']): Promise<boolean> {
  let isNew = false;
  for (const { step, point } of points) {
    const inserted = await change
      .insertInto('tuning_points')
      .values({ job_id: id, step, point })
      .onConflict((conflict) => conflict.columns(['job_id', 'step']).doNothing())
      .returning('step')
      .executeTakeFirst();
    if (inserted) isNew = true;
    else
      await change
        .updateTable('tuning_points')
        .set({ point })
        .where('job_id', '=', id)
        .where('step', '=', step)
        .execute();
  }
  return isNew;
}

const released = { owner: null };
