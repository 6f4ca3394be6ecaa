// The engine as several replicas. A request goes where its model is warm. If its replica dies before any output, it is retried once on
// another one; after some output it fails, as with one engine. docs/decisions/0020-serving-replicas.md has the reasons.
import type { FastifyBaseLogger } from 'fastify';
import { type Engine, EngineFailure } from '../engine.ts';
import { last } from '../last.ts';
import type {
  Delta,
  Embedding,
  End,
  EngineStatus,
  Generation,
  Loaded,
  Loading,
  LoadProgress,
  Vectors,
} from '../protocol.ts';
import { type Candidate, choose, leastBusy } from './choose.ts';
import { embedSpread, leastTexts } from './embed-spread.ts';
import type { Replica, ReplicaState } from './replica.ts';
import { type Range, Scaler } from './scaling.ts';

/** Requests in flight from which a replica counts as full: a CPU computes few in parallel, a GPU many. */
const full = { cpu: 4, gpu: 16 };
const scaleIntervalMs = 1_000;

export interface ReplicaGroup {
  range: Range;
  /** Starts a replica under an unused number. */
  start(number: number): Replica;
  /** They run on other machines, so that their GPUs are not those of this one. */
  areElsewhere?: boolean;
  log: FastifyBaseLogger;
}

/** The model that a request needs. `isSpread`: any replica that has it will do. */
interface Wanted extends Loading {
  isSpread?: boolean;
  /** The request needs no loaded model. */
  isLight?: boolean;
}

export class ReplicatedEngine implements Engine {
  readonly #group: ReplicaGroup;
  readonly #scaler: Scaler;
  readonly #timer: NodeJS.Timeout;
  #replicas: Replica[];

  constructor(group: ReplicaGroup) {
    this.#group = group;
    this.#scaler = new Scaler(group.range);
    this.#replicas = Array.from({ length: group.range.min }, (_, at) => group.start(at + 1));
    this.#timer = setInterval(() => this.scale(performance.now()), scaleIntervalMs);
    this.#timer.unref();
  }

  states(): ReplicaState[] {
    return this.#replicas.map((replica) => replica.state());
  }

  /** Replicas that can answer now; draining ones only if there are no others. */
  #askable(): Replica[] {
    const askable = this.#replicas.filter((replica) => replica.isAskable());
    const staying = askable.filter(({ draining }) => !draining);
    return staying.length > 0 ? staying : askable;
  }

  get #full(): number {
    return this.#knownGpus() ? full.gpu : full.cpu;
  }

  #choose({ isSpread, isLight, ...wanted }: Wanted, tried: ReadonlySet<Replica>): Replica | undefined {
    const left = this.#askable().filter((replica) => !tried.has(replica));
    if (left.length > 0 && isLight) return leastBusy(left);
    const candidates = left.map((replica): Candidate & { replica: Replica } => ({
      ...{ replica, number: replica.number, inFlight: replica.inFlight },
      model: replica.modelState(wanted.model),
    }));
    const warm = candidates.filter(({ model }) => model === 'ready');
    if (isSpread && warm.length > 0) return leastBusy(warm).replica;
    const choice = choose(wanted.model, candidates, this.#full);
    choice?.warmUp?.replica.warmUp(wanted);
    return choice?.replica.replica;
  }

  /** Asks the chosen replica, and retries on another one while there is no output: at most once after a death. */
  async *#run<Piece, Result>(
    wanted: Wanted,
    signal: AbortSignal | undefined,
    ask: (engine: Engine) => AsyncGenerator<Piece, Result>,
  ): AsyncGenerator<Piece, Result> {
    const tried = new Set<Replica>();
    let deaths = 0;
    for (let failure: unknown; ; ) {
      const replica = this.#choose(wanted, tried);
      if (!replica) throw failure ?? new EngineFailure('stopped', `The engine is ${this.unready() ?? 'not there'}.`);
      const pieces = ask(replica.engine);
      let said = false;
      replica.inFlight++;
      try {
        for (;;) {
          const step = await pieces.next();
          if (!said && !wanted.isLight) replica.has(wanted.model, 'ready');
          said = true;
          if (step.done) {
            replica.answered++;
            return step.value;
          }
          yield step.value;
        }
      } catch (error) {
        failure = error;
        if (!(error instanceof EngineFailure)) throw error;
        if (error.code === 'stopped') {
          replica.failed++;
          deaths++;
        } else if (error.code === 'model_loading') replica.has(wanted.model, 'loading');
        else if (error.code === 'out_of_memory') replica.refused(wanted.model);
        if (said || signal?.aborted || deaths > 1 || !retryableCodes.has(error.code)) throw error;
        // Another replica that is loading it would refuse, too.
        if (error.code === 'model_loading' && !this.#hasWarm(wanted.model)) throw error;
        tried.add(replica);
      } finally {
        replica.inFlight--;
        // If the caller has left, this cancels the request on the replica.
        await pieces.return(undefined as never);
      }
    }
  }

  #hasWarm(model: string): boolean {
    return this.#askable().some((replica) => replica.modelState(model) === 'ready');
  }

  generate(request: Generation, signal?: AbortSignal): AsyncGenerator<Delta, End> {
    const { model, base, handover } = request;
    const wanted = { model, kind: 'generate' as const, base, isLight: handover === true && !base };
    return this.#run(wanted, signal, (engine) => engine.generate(request, signal));
  }

  /** Many texts are divided among the replicas that have the model; the others load it for later requests. */
  async embed(request: Embedding, signal?: AbortSignal): Promise<Vectors> {
    const loading = { model: request.model, kind: 'embed' as const };
    const askable = this.#askable();
    const warm = askable.filter((replica) => replica.modelState(request.model) === 'ready');
    if (request.texts.length >= 2 * leastTexts && warm.length > 0)
      for (const replica of askable) if (replica.modelState(request.model) === 'cold') replica.warmUp(loading);
    return await embedSpread(request, warm.length, signal, async (part, ended) => {
      const isSpread = part.texts.length >= leastTexts;
      return await last(
        this.#run({ ...loading, isSpread }, ended, (engine) => once(async () => await engine.embed(part, ended))),
      );
    });
  }

  async load(request: Loading, onProgress?: (progress: LoadProgress) => void): Promise<Loaded> {
    return await last(
      this.#run(request, undefined, (engine) => once(async () => await engine.load(request, onProgress))),
    );
  }

  /** Resolves when no replica has the model. One that does not answer cannot confirm that, so it is restarted. */
  async unload(model: string): Promise<void> {
    if (this.#askable().length === 0) throw new EngineFailure('stopped', `The engine is ${this.unready()}.`);
    await Promise.all(
      this.#replicas.map(async (replica) => {
        if (replica.isAskable()) await replica.unload(model).catch(ignoreStopped);
        else if (replica.engine.isSilent()) replica.engine.restart();
      }),
    );
  }

  async status(): Promise<EngineStatus> {
    const askable = this.#replicas.filter((replica) => replica.isAskable());
    if (askable.length === 0) throw new EngineFailure('stopped', `The engine is ${this.unready()}.`);
    return mergedStatus(await Promise.all(askable.map(async ({ engine }) => await engine.status())));
  }

  unready(): string | undefined {
    return this.#askable().length > 0 ? undefined : (this.#replicas[0]?.engine.unready() ?? 'stopped');
  }

  isSilent(): boolean {
    return this.#askable().length === 0 && this.#replicas.some(({ engine }) => engine.isSilent());
  }

  isLost(): boolean {
    return this.#replicas.every(({ engine }) => engine.isLost());
  }

  embedder(): string | undefined {
    return this.#replicas.map(({ engine }) => engine.embedder()).find((folder) => folder !== undefined);
  }

  gpus(): number | undefined {
    return this.#group.areElsewhere ? 0 : this.#knownGpus();
  }

  /** A replica with its own GPU sees no other. */
  #knownGpus(): number | undefined {
    const known = this.#replicas.map(({ engine }) => engine.gpus()).filter((count) => count !== undefined);
    return known.length > 0 ? Math.max(...known) : undefined;
  }

  reportSetUp(progress: string): void {
    for (const { engine } of this.#replicas) engine.reportSetUp(progress);
  }

  /** Checks the load once: starts a replica, lets one drain, or ends one that has drained. */
  scale(now: number): void {
    const { range, start, log } = this.#group;
    for (const drained of this.#replicas.filter(({ draining, inFlight }) => draining && inFlight === 0)) {
      this.#replicas = this.#replicas.filter((replica) => replica !== drained);
      void drained.engine.stop();
      log.info({ replica: drained.number }, 'stopped an idle replica');
    }
    if (range.min === range.max) return;
    const staying = this.#replicas.filter(({ draining }) => !draining);
    const ready = staying.filter((replica) => replica.isAskable());
    const inFlight = ready.map((replica) => replica.inFlight);
    const step = this.#scaler.step(now, { inFlight, starting: staying.length - ready.length }, this.#full);
    if (step === 'fewer') staying.at(-1)!.draining = true;
    if (step !== 'more') return;
    const draining = this.#replicas.find((replica) => replica.draining);
    if (draining) {
      draining.draining = false;
      return;
    }
    const numbers = new Set(this.#replicas.map(({ number }) => number));
    let number = 1;
    while (numbers.has(number)) number++;
    this.#replicas = [...this.#replicas, start(number)];
    log.info({ replica: number, in_flight: inFlight }, 'starting another replica: all replicas are full');
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#replicas.map(async ({ engine }) => await engine.stop()));
  }
}

/** Failures of one replica after which another one may answer. */
const retryableCodes: ReadonlySet<EngineFailure['code']> = new Set([
  ...(['stopped', 'overloaded', 'out_of_memory', 'model_loading'] as const),
]);

/** Ignores that a replica has ended, since it has nothing loaded any more. */
function ignoreStopped(error: unknown): void {
  if (!(error instanceof EngineFailure && error.code === 'stopped')) throw error;
}

// biome-ignore lint/correctness/useYield: a request without pieces
async function* once<Result>(ask: () => Promise<Result>): AsyncGenerator<never, Result> {
  return await ask();
}

/** The status of all replicas, with each model once. */
function mergedStatus(all: readonly EngineStatus[]): EngineStatus {
  const models = new Map<string, EngineStatus['models'][number]>();
  for (const one of all.flatMap((status) => status.models)) {
    const known = models.get(one.model);
    models.set(one.model, {
      ...one,
      ...(known?.state === 'ready' && { state: 'ready' as const }),
      bytes: one.bytes + (known?.bytes ?? 0),
      running: one.running + (known?.running ?? 0),
      queued: one.queued + (known?.queued ?? 0),
    });
  }
  const sum = (of: 'memory_bytes' | 'budget_bytes' | 'queue_limit') => all.reduce((total, one) => total + one[of], 0);
  return {
    ...{ type: 'status', id: '', models: [...models.values()] },
    ...{ memory_bytes: sum('memory_bytes'), budget_bytes: sum('budget_bytes'), queue_limit: sum('queue_limit') },
  };
}
