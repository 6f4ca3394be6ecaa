// Second half of an erasure: removes everything that held the text, then writes the receipt. The progress of each part is
// stored, in the same transaction where there is one, and every part is idempotent.

import { sql } from 'kysely';
import { canonical } from '../audit/chain.ts';
import { record } from '../audit/record.ts';
import type { Change, OwnChange, OwnMemory } from '../memories/rows.ts';
import { lockTexts } from '../memories/texts-lock.ts';
import { endChange } from '../memories/versions.ts';
import { basesOf } from './bases.ts';
import { searchDatasets, withoutRows } from './dataset-rows.ts';
import type { EraserDependencies, OwnErasure, Work } from './dependencies.ts';
import { ErasedText } from './erased-text.ts';
import { eraseInJobs } from './job-files.ts';
import { lockForErasure } from './lock-memory.ts';
import { receiptBody, removedOf } from './receipt.ts';
import type { ChosenFact } from './selection.ts';
import { eraseTexts } from './texts/stored-texts.ts';

/** Maximum wait for runs in flight, which may still write answers of the old models. */
const runsWaitMs = 60_000;
const vacuumedTables = [
  'memory_facts',
  'memory_changes',
  'memory_proposals',
  'memory_readings',
  'answer_decisions',
  'feedback',
  'runs',
  'answers',
  'evaluation_questions',
  'evaluation_answers',
  'erasures',
  'tuning_jobs',
];

export class Removal {
  readonly #parts: EraserDependencies;

  constructor(parts: EraserDependencies) {
    this.#parts = parts;
  }

  async advance(memory: OwnMemory, order: OwnChange, erasure: OwnErasure): Promise<void> {
    const facts = JSON.parse(erasure.facts) as ChosenFact[];
    const work = JSON.parse(erasure.work) as Work;
    if (!work.removed) await this.#models(memory, order, work);
    if (work.texts === undefined && !(await this.#texts(memory, order, erasure, facts, work))) return;
    if (!work.datasetsDone) await this.#datasets(memory, order, facts, work);
    if (work.files === undefined) {
      const files = await eraseInJobs(this.#parts.store, this.#parts.jobFolders, memory.account_id, facts);
      await this.#storeProgress(order, work, { files });
    }
    await this.#receipt(memory, order, facts, work);
  }

  /** Stores finished parts in the erasure and in `work`. */
  async #storeProgress(order: OwnChange, work: Work, done: Partial<Work>, change?: Change): Promise<void> {
    Object.assign(work, done);
    await (change ?? this.#parts.store.db)
      .updateTable('erasures')
      .set({ work: JSON.stringify(work) })
      .where('memory_id', '=', order.memory_id)
      .where('number', '=', order.number)
      .where('step', '=', 'removing')
      .execute();
  }

  async #models(memory: OwnMemory, order: OwnChange, work: Work): Promise<void> {
    const { store, engine, folders, models } = this.#parts;
    if (engine.unready() === undefined) {
      for (const model of work.models) await engine.unload(folders.path(model)).catch(() => {});
      // The prompt states that the engine caches for the bases may contain the facts.
      for (const base of await basesOf(store, models, memory)) await engine.unload(base).catch(() => {});
    }
    for (const model of work.models) await folders.remove(model);
    await this.#storeProgress(order, work, { removed: true });
  }

  /** Erases stored texts. False while it waits for runs. */
  async #texts(
    memory: OwnMemory,
    order: OwnChange,
    erasure: OwnErasure,
    facts: ChosenFact[],
    work: Work,
  ): Promise<boolean> {
    const atWork = await this.#countRunning(memory.account_id, erasure.removing_since ?? 0);
    if (atWork > 0 && Date.now() - (erasure.removing_since ?? 0) < runsWaitMs) return false;
    await this.#parts.store.db.transaction().execute(async (change) => {
      const found = await this.#eraseStoredTexts(change, memory, order, facts, work);
      await this.#storeProgress(order, work, { ...found.removed, atWork }, change);
      await found.record();
    });
    return true;
  }

  /**
   * Erases the texts stored now, after waiting for transactions that are about to store some. `record` writes the audit rows, after
   * which no lock may be taken.
   */
  async #eraseStoredTexts(change: Change, memory: OwnMemory, order: OwnChange, facts: ChosenFact[], work: Work) {
    const { store } = this.#parts;
    await lockTexts(store, change, memory.account_id, 'alone');
    await lockForErasure(store, change, order);
    const versions = await change
      .selectFrom('memory_versions')
      .select('model_name')
      .where('memory_id', '=', memory.id)
      .execute();
    const { counts, proposals, quoting } = await eraseTexts({
      ...{ engine: store.engine, change, memory, erasure: order.number, accountId: memory.account_id },
      ...{ text: new ErasedText(facts) },
      models: new Set([memory.name, ...work.models, ...versions.map(({ model_name }) => model_name)]),
    });
    const texts = { ...work.texts };
    for (const [table, count] of Object.entries(counts)) texts[table] = (texts[table] ?? 0) + count;
    const rejected = [...proposals.values()].flat().length;
    return {
      removed: { texts, proposals: (work.proposals ?? 0) + rejected, quoting: work.quoting ?? quoting },
      record: async () => {
        for (const [subject, numbers] of proposals) {
          const details = { erasure: order.number, count: numbers.length, numbers: numbers.slice(0, 50) };
          await record(change, { action: 'proposals.rejected', accountId: memory.account_id, subject, details });
        }
      },
    };
  }

  async #countRunning(accountId: number, since: number): Promise<number> {
    let count = 0;
    for (const table of ['runs', 'evaluations'] as const) {
      const { n } = await this.#parts.store.db
        .selectFrom(table)
        .select((eb) => eb.fn.countAll<number>().as('n'))
        .where('account_id', '=', accountId)
        .where('status', '=', 'running')
        .where('created_at', '<=', since)
        .executeTakeFirstOrThrow();
      count += Number(n);
    }
    return count;
  }

  async #datasets({ account_id }: OwnMemory, order: OwnChange, facts: ChosenFact[], work: Work): Promise<void> {
    const { store, blobs } = this.#parts;
    const damaged: string[] = [];
    const { found } = await searchDatasets(store, blobs, account_id, facts, ({ hash }) => damaged.push(hash));
    for (const dataset of found)
      await withoutRows(store, blobs, dataset, async (change, { blob, ...done }) => {
        await lockForErasure(store, change, order);
        const now = { datasets: [...(work.datasets ?? []), done], blobs: [...(work.blobs ?? []), blob] };
        await this.#storeProgress(order, work, now, change);
      });
    for (const blob of work.blobs ?? []) await blobs.remove(blob);
    await this.#storeProgress(order, work, { datasetsDone: true, damaged });
  }

  async #receipt(memory: OwnMemory, order: OwnChange, facts: ChosenFact[], work: Work): Promise<void> {
    const { store, key } = this.#parts;
    await this.#clean();
    const before = await receiptBody(this.#parts, memory, order, facts, work);
    await store.db.transaction().execute(async (change) => {
      // Erases votes, answers and proposals stored since the last scan. The lock keeps out new ones until the receipt is committed.
      const found = await this.#eraseStoredTexts(change, memory, order, facts, work);
      const body = { ...before, removed: removedOf({ ...work, ...found.removed }) };
      const { account_id } = memory;
      const { number } = await change
        .insertInto('receipts')
        .values({
          ...{ account_id, memory: memory.name, memory_id: memory.id, erasure: order.number, facts: facts.length },
          ...{ gone: body.gone ? 1 : 0, body: '', created_at: Date.now() },
        })
        .returning('number')
        .executeTakeFirstOrThrow();
      const signed = await key.sign({ ...body, number });
      await change
        .updateTable('receipts')
        .set({ body: canonical(signed) })
        .where('number', '=', number)
        .execute();
      await change
        .updateTable('erasures')
        .set({ step: 'over', facts: '[]', work: '{}', receipt: number })
        .where('memory_id', '=', memory.id)
        .where('number', '=', order.number)
        .execute();
      await endChange(change, order, { state: 'published', version: null, error: null });
      await found.record();
      const details = { erasure: order.number, receipt: number, facts: facts.length, gone: body.gone };
      await record(change, { action: 'memory.erased', accountId: account_id, subject: memory.name, details });
    });
    await this.#clean();
  }

  /** Clears freed space of the database: SQLite overwrites it and truncates its log; PostgreSQL vacuums the tables. */
  async #clean(): Promise<void> {
    const { store, log } = this.#parts;
    await store.purge?.();
    if (store.engine === 'postgres')
      for (const table of vacuumedTables)
        await sql`vacuum ${sql.table(table)}`
          .execute(store.db)
          .catch((error) => log.warn({ err: error, table }, 'a table could not be vacuumed after an erasure'));
  }
}
