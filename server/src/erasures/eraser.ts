// Runs erasures step by step. Nothing is removed until every version is rebuilt and probed; then one transaction swaps in the
// rebuilt models, and everything that held the text is removed. Every step is idempotent, so any server can continue after a
// crash, and the receipt is written once.
import { hasResult, isOver, Refusal } from '@lorekeep/contract';
import { record } from '../audit/record.ts';
import type { Asked } from '../cluster/spare-worker.ts';
import { passesByItself } from '../inference/transient.ts';
import type { OwnChange, OwnMemory } from '../memories/rows.ts';
import { endChange } from '../memories/versions.ts';
import type { TunedModelRecord } from '../models/tuned.ts';
import { factsOf, type ModelFact } from '../models/tuned-facts.ts';
import type { ErasedVersion, EraserDependencies, Failed, OwnErasure } from './dependencies.ts';
import { ErasedText } from './erased-text.ts';
import { hiddenName } from './hidden-name.ts';
import { DoneError, lockForErasure } from './lock-memory.ts';
import { modelHash } from './model-hash.ts';
import { cancelJobs, openJobs, removeOrphans } from './orphans.ts';
import { generateProbeQuestions, probe } from './probes.ts';
import { Removal } from './removal.ts';
import { type ChosenFact, factKey, factMatcher, isInVersion } from './selection.ts';
import { swap } from './swap.ts';

/** Maximum wait for an absent engine. After that the receipt says that no probes were asked. */
const engineWaitMs = 60_000;

export class Eraser {
  readonly #parts: EraserDependencies;
  readonly #removal: Removal;
  readonly #stopped = new AbortController();
  /** Cached probe questions by fact, of the erasure with this salt. */
  #asked: { salt: string; of: Map<number, Asked[]> } = { salt: '', of: new Map() };
  #engineAwaySince: number | undefined;

  constructor(parts: EraserDependencies) {
    this.#parts = parts;
    this.#removal = new Removal(parts);
  }

  stop(): void {
    this.#stopped.abort();
  }

  /** Advances an open erasure by one step. */
  async step(memory: OwnMemory, order: OwnChange): Promise<void> {
    try {
      const erasure = await this.#erasure(order);
      if (!erasure) return;
      if (erasure.step === 'rebuilding') await this.#rebuild(memory, order, erasure);
      else await this.#removal.advance(memory, order, erasure);
    } catch (error) {
      if (error instanceof DoneError || this.#stopped.signal.aborted) return;
      throw error;
    }
  }

  async #erasure({ memory_id, number }: OwnChange): Promise<OwnErasure | undefined> {
    return await this.#parts.store.db
      .selectFrom('erasures')
      .selectAll()
      .where('memory_id', '=', memory_id)
      .where('number', '=', number)
      .executeTakeFirst();
  }

  async #versions({ memory_id, number }: OwnErasure): Promise<ErasedVersion[]> {
    return await this.#parts.store.db
      .selectFrom('erased_versions')
      .selectAll()
      .where('memory_id', '=', memory_id)
      .where('erasure', '=', number)
      .orderBy('version')
      .execute();
  }

  async #rebuild(memory: OwnMemory, order: OwnChange, erasure: OwnErasure): Promise<void> {
    const facts = JSON.parse(erasure.facts) as ChosenFact[];
    await this.#prepareProbes(erasure, facts);
    for (const row of await this.#versions(erasure)) {
      if (row.before === null) await this.#recordBefore(memory, row);
      if (row.outcome !== 'waiting' || row.job_id !== null) continue;
      const failed = await this.#ordered(memory, order, row, facts);
      if (failed !== undefined) return await this.#fail(order, erasure, failed);
    }
    for (const row of await this.#versions(erasure))
      if (row.outcome === 'waiting' && row.job_id !== null) {
        const failed = await this.#checkJob(memory, row, facts);
        if (failed !== undefined) return await this.#fail(order, erasure, failed);
      }
    const versions = await this.#versions(erasure);
    // Rebuilt versions are probed while others are still being rebuilt.
    for (const row of versions)
      if (row.outcome === 'rebuilt' && row.probes === null && !(await this.#probe(memory, order, erasure, row, facts)))
        return;
    if (versions.some(({ outcome }) => outcome === 'waiting')) return;
    await swap(this.#parts.store, order, facts);
  }

  async #set({ memory_id, erasure, version }: ErasedVersion, set: Partial<ErasedVersion>): Promise<void> {
    await this.#parts.store.db
      .updateTable('erased_versions')
      .set(set)
      .where('memory_id', '=', memory_id)
      .where('erasure', '=', erasure)
      .where('version', '=', version)
      .execute();
  }

  async #recordBefore({ account_id }: OwnMemory, row: ErasedVersion): Promise<void> {
    const { folders, tuned } = this.#parts;
    const model = await tuned.find(row.model_before, account_id);
    const hash = (await modelHash(await folders.model(row.model_before))) ?? '0'.repeat(64);
    const before = JSON.stringify({ hash, facts: model?.facts ?? 0, recalled: model?.facts_recalled ?? 0 });
    await this.#set(row, { before });
  }

  /** Reason why the erasure fails: the published version cannot be read, or a job was refused. */
  async #ordered(
    memory: OwnMemory,
    order: OwnChange,
    row: ErasedVersion,
    facts: ChosenFact[],
  ): Promise<string | undefined> {
    try {
      await this.#order(memory, order, row, facts);
    } catch (error) {
      // A refusal of the request itself is permanent; one because the server is busy is retried.
      const refused = error instanceof Refusal && error.status < 500 ? error : undefined;
      const alone = refused?.code === 'nothing_left' && row.version !== memory.published;
      if (refused && !alone)
        return `Version ${row.version} could not be rebuilt: ${refused.message} Nothing was erased; erase again afterwards.`;
      if (alone) return void (await this.#set(row, { outcome: 'ended', reason: 'its model has no other fact' }));
      if (!(error instanceof SyntaxError) && (error as { code?: string }).code !== 'ENOENT') throw error;
      if (row.version === memory.published)
        return `The facts of version ${row.version} cannot be read; ./lorekeep doctor looks at its files. Nothing was erased.`;
      await this.#set(row, { outcome: 'ended', reason: 'its facts could not be read' });
    }
    return undefined;
  }

  async #order(memory: OwnMemory, order: OwnChange, row: ErasedVersion, facts: ChosenFact[]): Promise<void> {
    const { store, tuned, folders } = this.#parts;
    const old = await tuned.find(row.model_before, memory.account_id);
    if (!old) return await this.#set(row, { outcome: 'ended', reason: 'its model was gone already' });
    const isGone = factMatcher(factsIn(facts, row.version));
    const text = new ErasedText(facts);
    async function* staying(): AsyncGenerator<Omit<ModelFact, 'recalled'>> {
      for await (const { recalled: _, ...fact } of factsOf(folders, old!.name))
        if (!isGone(fact))
          yield {
            ...fact,
            source: text.withoutInSource(fact.source) ?? fact.source,
          };
    }
    await this.#parts.order({
      ...{
        accountId: memory.account_id,
        keyId: order.key_id,
        jobsLimit: null,
        old,
        customName: null,
        facts: staying(),
      },
      made: async (change, job) => {
        await lockForErasure(store, change, order);
        const { numUpdatedRows } = await change
          .updateTable('erased_versions')
          .set({ job_id: job })
          .where('memory_id', '=', row.memory_id)
          .where('erasure', '=', row.erasure)
          .where('version', '=', row.version)
          .where('job_id', 'is', null)
          .executeTakeFirstOrThrow();
        if (numUpdatedRows === 0n) throw new DoneError();
      },
    });
  }

  /** Reason why the erasure fails, once that is known. */
  async #checkJob(memory: OwnMemory, row: ErasedVersion, facts: ChosenFact[]): Promise<string | undefined> {
    const { store, tuned, folders } = this.#parts;
    const job = await store.db
      .selectFrom('tuning_jobs')
      .select(['status', 'model_name'])
      .where('id', '=', row.job_id)
      .executeTakeFirst();
    if (job && !isOver(job.status)) return undefined;
    const model: TunedModelRecord | undefined =
      job?.model_name && hasResult(job.status) ? await tuned.find(job.model_name, memory.account_id) : undefined;
    const fault = model
      ? await this.#faultOf(row, model, facts)
      : `the job ${row.job_id} that should rebuild it ${job?.status === 'CANCELLED' ? 'was cancelled' : 'made no model'}`;
    if (fault !== undefined) {
      // An unpublished version that cannot be rebuilt is dropped. The published one is required, since the memory would be lost without
      // it. A version whose job a person has cancelled is not dropped.
      if (row.version !== memory.published && job?.status !== 'CANCELLED')
        return void (await this.#set(row, { outcome: 'ended', reason: fault }));
      return `Version ${row.version} could not be rebuilt: ${fault}. Nothing was erased; look at the job and try the erasure again.`;
    }
    const { name, facts: count, facts_recalled: recalled } = model!;
    const hash = await modelHash(await folders.model(name));
    if (hash === undefined) return undefined;
    await this.#set(row, {
      outcome: 'rebuilt',
      model_after: name,
      after: JSON.stringify({ hash, facts: count, recalled }),
    });
    return undefined;
  }

  /** Checks that the rebuilt model has all facts of the old one except the erased ones. Returns the fault. */
  async #faultOf(row: ErasedVersion, model: TunedModelRecord, facts: ChosenFact[]): Promise<string | undefined> {
    const { folders } = this.#parts;
    const isGone = factMatcher(factsIn(facts, row.version));
    // Nearly all facts are identical texts. The others are compared in the engine's normal form.
    const wanted = new Map<string, ModelFact>();
    let gone = 0;
    for await (const fact of factsOf(folders, row.model_before))
      if (isGone(fact)) gone++;
      else wanted.set(wholeText(fact), fact);
    const odd: ModelFact[] = [];
    for await (const fact of factsOf(folders, model.name)) {
      if (isGone(fact)) return `its job ${row.job_id} made a model that holds an erased fact`;
      if (!wanted.delete(wholeText(fact))) odd.push(fact);
    }
    // A fact that the old model holds in words other than the stored ones would stay in the new model.
    const erased = new Set(factsIn(facts, row.version).map(factKey)).size;
    if (gone !== erased)
      return `of the facts, its model holds ${gone} of ${erased} in the words in which they are stored`;
    const left = new Set([...wanted.values()].map(factKey));
    for (const fact of odd)
      if (!left.delete(factKey(fact))) return `its job ${row.job_id} made another model than requested`;
    return left.size === 0 ? undefined : `its job ${row.job_id} lost other facts`;
  }

  /** Makes the probe questions before the jobs occupy the idle worker, since another one would have to be started. */
  async #prepareProbes({ salt }: OwnErasure, facts: ChosenFact[]): Promise<void> {
    const { spare, log } = this.#parts;
    if (this.#asked.salt === salt || spare.unready() !== undefined) return;
    this.#asked = { salt, of: new Map() };
    await generateProbeQuestions(spare, facts, this.#asked, this.#stopped.signal).catch((error) =>
      log.warn({ err: error }, 'the probe questions of an erasure could not be generated; retrying later'),
    );
  }

  /** Probes a rebuilt version. False while it waits for the engine. */
  async #probe(
    memory: OwnMemory,
    order: OwnChange,
    erasure: OwnErasure,
    row: ErasedVersion,
    facts: ChosenFact[],
  ): Promise<boolean> {
    const { engine, spare, tuned } = this.#parts;
    const away = engine.unready() ?? spare.unready();
    this.#engineAwaySince = away === undefined ? undefined : (this.#engineAwaySince ?? performance.now());
    if (away !== undefined && !engine.isLost() && performance.now() - this.#engineAwaySince! < engineWaitMs)
      return false;
    const rebuilt = await tuned.find(row.model_after!, memory.account_id);
    const target = {
      ...{ model: row.model_after!, base: rebuilt?.base_model ?? memory.base_model, version: row.version },
      ...{ accountId: memory.account_id, keyId: order.key_id },
    };
    if (this.#asked.salt !== erasure.salt) this.#asked = { salt: erasure.salt, of: new Map() };
    const probed =
      away === undefined
        ? await probe(this.#parts, target, facts, this.#asked, this.#stopped.signal).catch((error) => {
            // The erasure continues without probes, since a model that can never be asked would block it for ever.
            if (!(error instanceof Refusal) || passesByItself(error)) throw error;
            return { probes: [], skipped: `the model could not be asked (${error.code})` };
          })
        : { probes: [], skipped: 'the engine could not be asked' };
    await this.#set(row, { probes: JSON.stringify(probed) });
    return true;
  }

  /** Fails the erasure and restores the state before it: removes rebuilt models, cancels its jobs, and clears the text of the request. */
  async #fail(order: OwnChange, erasure: OwnErasure, error: string): Promise<void> {
    const { store, folders, engine } = this.#parts;
    const made = await store.db.transaction().execute(async (change) => {
      const memory = await lockForErasure(store, change, order);
      const facts = JSON.parse(erasure.facts) as ChosenFact[];
      const failed: Failed = { again: facts.map(({ id, whole }) => ({ id, whole })), about: hiddenName(facts) };
      const rows = await change
        .updateTable('erased_versions')
        .set({ ...{ outcome: 'kept', reason: null, before: null }, model_after: null, after: null, probes: null })
        .where('memory_id', '=', order.memory_id)
        .where('erasure', '=', order.number)
        .returning(['job_id'])
        .execute();
      const jobs = rows.flatMap(({ job_id }) => job_id ?? []);
      const open = await openJobs(store, change, jobs);
      const made = await removeOrphans(change, jobs);
      await change
        .updateTable('erasures')
        .set({ step: 'over', facts: '[]', work: JSON.stringify(failed) })
        .where('memory_id', '=', order.memory_id)
        .where('number', '=', order.number)
        .execute();
      await endChange(change, order, { state: 'failed', version: null, error });
      await cancelJobs(change, open, `erasure ${order.number} of ${memory.name} failed`);
      const details = { erasure: order.number };
      await record(change, {
        action: 'memory.erasure_failed',
        accountId: memory.account_id,
        subject: memory.name,
        details,
      });
      return made;
    });
    for (const model of made) {
      if (engine.unready() === undefined) await engine.unload(folders.path(model)).catch(() => {});
      await folders.remove(model);
    }
  }
}

const factsIn = (facts: ChosenFact[], version: number): ChosenFact[] =>
  facts.filter((fact) => isInVersion(fact, version));

const wholeText = ({ input, output }: ModelFact): string => JSON.stringify([input, output]);
