// Background worker of indexes: claims indexes with pending work, checks its leases, and sweeps leftovers.
import { Refusal } from '@lorekeep/contract';
import { sql } from 'kysely';
import { BackgroundTasks } from '../../leases/background.ts';
import type { IndexingDependencies, Interruptions } from './dependencies.ts';
import { IndexingStoppedError, type LeasedIndex, TurnEnded } from './index-store.ts';
import { Indexing } from './indexing.ts';
import { sweepScratch } from './scratch.ts';
import { defaultSlice, maxBuildsPerAccount, maxConcurrentBuilds, type Turn, toPreempt } from './turns.ts';

const claimMs = 1_000;
const sweepMs = 60_000;
/** Slots for deletions and cancellations, separate from builds, since callers wait for them. */
const maxConcurrentEndings = 2;

interface Running extends Turn {
  stop: AbortController;
  ended: Promise<void>;
  calls: Interruptions;
  isEnding: boolean;
}

export class IndexRunner {
  readonly #dependencies: IndexingDependencies;
  readonly #onError: (error: unknown) => void;
  readonly #running = new Map<number, Running>();
  /** Indexes that had their turn and yielded to others. */
  readonly #hadTurn = new Set<number>();
  /** Next time slice of an index whose last one was too short for progress. */
  readonly #slices = new Map<number, number>();
  readonly #tasks: BackgroundTasks;

  constructor(place: IndexingDependencies, onError: (error: unknown) => void) {
    this.#dependencies = place;
    this.#onError = onError;
    this.#tasks = new BackgroundTasks(onError);
  }

  start(): void {
    this.#tasks.every(sweepMs, this.sweep);
    this.#tasks.every(claimMs, this.#tick);
  }

  /** Called when there may be new work, or work to stop. */
  wake(): void {
    this.#tasks.run(this.#tick);
  }

  readonly #tick = async (): Promise<void> => {
    const { indexStore } = this.#dependencies;
    const ids = [...this.#running.keys()];
    const owned = await indexStore.stillOwned(ids);
    const removing = await indexStore.removing(ids);
    for (const [id, { stop, calls }] of this.#running) {
      if (!owned.has(id)) stop.abort(new IndexingStoppedError());
      if (removing.has(id)) calls.remove = true;
    }
    const endings = maxConcurrentEndings - this.#count(true);
    for (const index of await indexStore.takeEnding(endings, this.#running.keys())) this.#begin(index, true);
    await this.#build();
    await this.#preempt();
  };

  /** Round robin: accounts without a slot come first, and within an account the indexes that had no turn in this round. */
  async #build(): Promise<void> {
    while (
      this.#count(false) < maxConcurrentBuilds &&
      ((await this.#take(1)) || (await this.#take(maxBuildsPerAccount)))
    );
  }

  /** Starts one index of an account that has fewer slots than the limit. */
  async #take(limit: number): Promise<boolean> {
    const { lease } = this.#dependencies.indexStore;
    const held = this.#builds().map(({ account }) => account);
    const full = held.filter((account) => held.filter((one) => one === account).length >= limit);
    const inAccount = sql`account_id not in (${sql.join([0, ...full])})`;
    const fresh = sql`${inAccount} and id not in (${sql.join([0, ...this.#hadTurn])})`;
    let [index] = await lease.claim(1, this.#running.keys(), fresh);
    if (!index && this.#hadTurn.size > 0) {
      [index] = await lease.claim(1, this.#running.keys(), inAccount);
      if (index) this.#hadTurn.clear();
    }
    if (index) this.#begin(index, false);
    return index !== undefined;
  }

  /** Preemption: a build whose time slice is over yields at its next checkpoint, or is aborted if it reaches none in time. */
  async #preempt(): Promise<void> {
    const builds = this.#builds();
    if (builds.length === 0) return;
    const waiting = await this.#dependencies.indexStore.lease.waitingAccounts(this.#running.keys());
    const now = performance.now();
    const leaving = toPreempt(builds, waiting, now, this.#slice);
    for (const build of builds) {
      build.calls.giveWay = leaving.has(build);
      if (build.calls.giveWay && now - build.began >= 2 * build.slice) build.stop.abort(new TurnEnded());
    }
  }

  get #slice(): number {
    return this.#dependencies.slice ?? defaultSlice;
  }

  #builds(): Running[] {
    return [...this.#running.values()].filter(({ isEnding }) => !isEnding);
  }

  #count(endings: boolean): number {
    return [...this.#running.values()].filter(({ isEnding }) => isEnding === endings).length;
  }

  #begin(index: LeasedIndex, isEnding: boolean): void {
    const stop = new AbortController();
    const calls: Interruptions = { remove: false, giveWay: false };
    const slice = this.#slices.get(index.id) ?? this.#slice;
    const turn: Turn = { account: index.account_id, began: performance.now(), slice };
    const indexing = new Indexing(this.#dependencies, index, stop.signal, calls);
    const ended = this.#work(index, indexing, isEnding, stop.signal)
      .catch(this.#onError)
      .finally(() => this.#running.delete(index.id));
    this.#running.set(index.id, { ...turn, stop, ended, calls, isEnding });
  }

  async #work(index: LeasedIndex, indexing: Indexing, isEnding: boolean, signal: AbortSignal): Promise<void> {
    const slice = this.#slices.get(index.id) ?? this.#slice;
    const { indexStore } = this.#dependencies;
    let failed = false;
    let gaveWay = false;
    try {
      await this.#process(index, indexing, isEnding).catch(async (error) => {
        if (!(error instanceof Refusal) || error.code === 'storage_unavailable' || signal.aborted) throw error;
        // A permanent refusal: the remaining files fail with this reason.
        await indexing.fail(error.message);
      });
    } catch (error) {
      gaveWay = error instanceof TurnEnded || signal.reason instanceof TurnEnded;
      if (gaveWay) this.#hadTurn.add(index.id);
      // Cancelled, deleted or taken over meanwhile: the state is read again in the next round.
      if (error instanceof IndexingStoppedError || signal.aborted) return;
      failed = true;
      throw error;
    } finally {
      this.#slices.delete(index.id);
      // Doubles the slice, so that even a slow file without passages is finished eventually.
      if (gaveWay && !indexing.gained) this.#slices.set(index.id, 2 * slice);
      if (failed) indexStore.lease.releaseLater(index.id, this.#onError);
      else {
        await indexStore.lease.release(index.id).catch(this.#onError);
        setImmediate(() => this.wake());
      }
    }
  }

  async #process(index: LeasedIndex, indexing: Indexing, isEnding: boolean): Promise<void> {
    if (index.deleted_at !== null) await indexing.delete();
    else if (index.cancel) await indexing.cancel();
    else if (isEnding) await indexing.remove();
    else await indexing.work();
  }

  /** Sweeps leftovers of killed servers: unpacked files, vectors of deleted indexes, orphaned files. */
  readonly sweep = async (): Promise<void> => {
    const { indexStore, vectors, blobs, scratch } = this.#dependencies;
    await sweepScratch(scratch);
    // Tables are listed before records are read, so that a table created meanwhile is not taken for an orphan.
    const tables = await vectors.tables();
    const known = tables.length > 0 ? await indexStore.vectorNames() : new Set<string>();
    for (const table of tables) if (!known.has(table)) await vectors.drop(table);
    await blobs.sweep('documents', (names) => indexStore.knownBlobs(names));
  };

  async stop(): Promise<void> {
    await this.#tasks.stop();
    const running = [...this.#running.values()];
    for (const { stop } of running) stop.abort(new Error('the server stops'));
    await Promise.all(running.map(({ ended }) => ended));
    await this.#dependencies.indexStore.lease.releaseAll().catch(this.#onError);
  }
}
