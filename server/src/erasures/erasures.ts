// Erasures for callers: dry run, order, retry, show; and their receipts.

import { randomBytes } from 'node:crypto';
import {
  type AnswerOf,
  type BodyOf,
  type Erasure,
  type eraseFacts,
  type planErasure,
  type Receipt,
  Refusal,
  type verifyReceipt,
} from '@lorekeep/contract';
import { record } from '../audit/record.ts';
import type { Caller } from '../auth/caller.ts';
import type { Blobs } from '../blobs/blobs.ts';
import { type Db, lockMemory, memoryOf, type OwnChange, type OwnMemory, openChanges } from '../memories/rows.ts';
import type { TunedFolders } from '../models/tuned-folders.ts';
import type { Store } from '../store/database.ts';
import { pageOf } from '../store/page.ts';
import { searchDatasets } from './dataset-rows.ts';
import type { Failed } from './dependencies.ts';
import { isWhole, modelHash } from './model-hash.ts';
import { otherHolders } from './other-holders.ts';
import type { ReceiptKey } from './receipt-key.ts';
import { type ErasureCriteria, type Selection, select } from './selection.ts';

interface Dependencies {
  store: Store;
  blobs: Blobs;
  folders: TunedFolders;
  key: ReceiptKey;
  /** Called when there is an erasure to work on. */
  onWork(): void;
}

export class Erasures {
  readonly #parts: Dependencies;
  readonly #store: Store;

  constructor(parts: Dependencies) {
    this.#parts = parts;
    this.#store = parts.store;
  }

  async #own(caller: Caller, name: string): Promise<OwnMemory> {
    return await memoryOf(this.#store.db, caller.account.id, name);
  }

  async plan(caller: Caller, name: string, body: BodyOf<typeof planErasure>): Promise<AnswerOf<typeof planErasure>> {
    const memory = await this.#own(caller, name);
    const { facts, versions, sources, digest } = await select(this.#store.db, memory, body);
    const rebuilt = versions.map(({ version }) => version);
    const { blobs, folders } = this.#parts;
    const datasets = await searchDatasets(this.#store, blobs, caller.account.id, facts);
    return {
      facts: facts.map(({ input, output, subject, since, until }) => ({
        ...{ input, output, subject, since_version: since, until_version: until },
      })),
      versions: versions.map(({ version, loses, becomes }) => ({ version: version.number, facts: loses, becomes })),
      sources: sources.map(({ input, since, until }) => ({ input, since_version: since, until_version: until })),
      datasets: datasets.found.map(({ hash, name, found }) => ({
        ...{ dataset_id: hash, name, rows: found.size },
      })),
      still_held: [...(await otherHolders(this.#store, folders, caller.account.id, facts, rebuilt)), ...datasets.held],
      digest,
    };
  }

  async order(caller: Caller, name: string, body: BodyOf<typeof eraseFacts>): Promise<Erasure> {
    return await this.#order(caller, name, body, ({ facts, digest }) => {
      const confirmed = body.digest === undefined ? body.about === undefined : body.digest === digest;
      if (!confirmed) throw new Refusal('erasure_unconfirmed', { count: facts.length, name });
    });
  }

  /** Retries a failed erasure as a new one with the same facts, which were confirmed then. */
  async retry(caller: Caller, name: string, number: number): Promise<Erasure> {
    const { state, reason, memory_id } = await this.#change(caller, name, number);
    if (state !== 'failed') throw new Refusal('erasure_not_failed', { name, number, state });
    const { work } = await this.#store.db
      .selectFrom('erasures')
      .select('work')
      .where('memory_id', '=', memory_id)
      .where('number', '=', number)
      .executeTakeFirstOrThrow();
    // An erasure written by an earlier version of the server kept nothing.
    const { again = [], about: hidden } = JSON.parse(work) as Partial<Failed>;
    return await this.#order(caller, name, { again, hidden, reason: reason ?? undefined }, () => {});
  }

  async #order(
    caller: Caller,
    name: string,
    chosen: ErasureCriteria & { reason?: string | undefined },
    check: (selection: Selection) => void,
  ): Promise<Erasure> {
    const own = await this.#own(caller, name);
    const number = await this.#store.db.transaction().execute(async (change) => {
      const memory = await lockMemory(this.#store, change, own.id);
      if (!memory) throw new Refusal('memory_not_found', { name });
      const [open] = await openChanges(change, memory.id);
      if (open) throw new Refusal('memory_busy', { name, number: open.number, who: open.actor });
      const selection = await select(change, memory, chosen);
      check(selection);
      const number = memory.changes + 1;
      await change.updateTable('memories').set({ changes: number }).where('id', '=', memory.id).execute();
      await change
        .insertInto('memory_changes')
        .values({
          ...{ memory_id: memory.id, number, kind: 'erase', state: 'running', operations: operationsOf(selection) },
          ...{ added: 0, changed: 0, withdrawn: selection.facts.length, reason: chosen.reason ?? null },
          ...{ actor: caller.account.name, key_id: caller.key.id, parent: memory.published, version: null },
          ...{ job_id: null, error: null, created_at: Date.now(), finished_at: null },
        })
        .execute();
      await change
        .insertInto('erasures')
        .values({
          ...{ memory_id: memory.id, number, step: 'rebuilding', facts: JSON.stringify(selection.facts) },
          ...{ count: selection.facts.length, salt: randomBytes(32).toString('hex'), work: '{}' },
          ...{ receipt: null, removing_since: null },
        })
        .execute();
      for (const { version, becomes } of selection.versions)
        await change
          .insertInto('erased_versions')
          .values({
            ...{ memory_id: memory.id, erasure: number, version: version.number, job_id: null },
            ...{ outcome: becomes === 'ended' ? 'ended' : 'waiting', model_before: version.model_name },
            ...{ reason: becomes === 'ended' ? 'no fact of it is left' : null },
            ...{ before: null, model_after: null, after: null, probes: null },
          })
          .execute();
      const details = { erasure: number, facts: selection.facts.length, versions: selection.versions.length };
      await record(change, {
        ...{ action: 'memory.erasure_ordered', accountId: memory.account_id, subject: name, details },
      });
      return number;
    });
    this.#parts.onWork();
    return await this.show(caller, name, number);
  }

  async show(caller: Caller, name: string, number: number): Promise<Erasure> {
    return (await shown(this.#store.db, [await this.#change(caller, name, number)]))[0]!;
  }

  async #change(caller: Caller, name: string, number: number): Promise<OwnChange> {
    const memory = await this.#own(caller, name);
    const row = await changesOf(this.#store.db, memory).where('number', '=', number).executeTakeFirst();
    if (!row) throw new Refusal('erasure_not_found', { name, number });
    return row;
  }

  async list(caller: Caller, name: string, limit: number, after: number | undefined) {
    let query = changesOf(this.#store.db, await this.#own(caller, name))
      .orderBy('number', 'desc')
      .limit(limit + 1);
    if (after !== undefined) query = query.where('number', '<', after);
    const { rows, next } = pageOf(await query.execute(), limit, ({ number }) => number);
    return { erasures: await shown(this.#store.db, rows), next };
  }

  async receipts(caller: Caller, limit: number, after: number | undefined) {
    let query = this.#store.db
      .selectFrom('receipts')
      .selectAll()
      .where('account_id', '=', caller.account.id)
      .orderBy('number', 'desc')
      .limit(limit + 1);
    if (after !== undefined) query = query.where('number', '<', after);
    const { rows, next } = pageOf(await query.execute(), limit, ({ number }) => number);
    const receipts = rows.map(({ number, memory, erasure, facts, gone, created_at }) => ({
      ...{ number, memory, erasure, facts, gone: gone === 1, created_at: new Date(created_at).toISOString() },
    }));
    return { receipts, next };
  }

  async receipt(caller: Caller, number: number): Promise<{ receipt: Receipt; memoryId: number }> {
    const row = await this.#store.db
      .selectFrom('receipts')
      .select(['body', 'memory_id'])
      .where('account_id', '=', caller.account.id)
      .where('number', '=', number)
      .executeTakeFirst();
    if (!row) throw new Refusal('receipt_not_found', { number });
    return { receipt: JSON.parse(row.body) as Receipt, memoryId: row.memory_id };
  }

  async verify(caller: Caller, number: number): Promise<AnswerOf<typeof verifyReceipt>> {
    const { receipt, memoryId } = await this.receipt(caller, number);
    const signature = await this.#parts.key.isOurs(receipt);
    const versions: AnswerOf<typeof verifyReceipt>['versions'] = [];
    for (const { version, after } of receipt.receipt.versions)
      if (after) versions.push({ version, state: await this.#stateOf(memoryId, version, after) });
    return { sound: signature && versions.every(({ state }) => state !== 'different'), signature, versions };
  }

  async #stateOf(memoryId: number, version: number, after: { model: string; hash: string }) {
    const now = await this.#store.db
      .selectFrom('memory_versions')
      .select('model_name')
      .where('memory_id', '=', memoryId)
      .where('number', '=', version)
      .executeTakeFirst();
    if (now && now.model_name !== after.model) return 'erased_again' as const;
    const folder = await this.#parts.folders.model(after.model);
    const hash = await modelHash(folder);
    if (hash === undefined) return now ? ('different' as const) : ('gone' as const);
    const whole = hash === after.hash && (await isWhole(folder));
    return whole ? ('same' as const) : ('different' as const);
  }
}

const changesOf = (db: Db, { id }: OwnMemory) =>
  db.selectFrom('memory_changes').selectAll().where('memory_id', '=', id).where('kind', '=', 'erase');

/** The facts as withdrawals, so that concurrent changes of the same facts are refused. */
const operationsOf = ({ facts }: Awaited<ReturnType<typeof select>>): string =>
  JSON.stringify(facts.map(({ input }, at) => ({ kind: 'withdraw', input, output: '', at })));

/** The erasures of some changes of one memory. */
async function shown(db: Db, rows: OwnChange[]): Promise<Erasure[]> {
  const memoryId = rows[0]?.memory_id;
  if (memoryId === undefined) return [];
  const numbers = rows.map(({ number }) => number);
  const erasures = await db
    .selectFrom('erasures')
    .select(['number', 'step', 'count', 'receipt'])
    .where('memory_id', '=', memoryId)
    .where('number', 'in', numbers)
    .execute();
  const signed = erasures.flatMap(({ receipt }) => receipt ?? []);
  const receipts =
    signed.length === 0
      ? []
      : await db.selectFrom('receipts').select(['number', 'body']).where('number', 'in', signed).execute();
  const versions = await db
    .selectFrom('erased_versions')
    .select(['erasure', 'version', 'outcome', 'job_id', 'reason'])
    .where('memory_id', '=', memoryId)
    .where('erasure', 'in', numbers)
    .orderBy('version')
    .execute();
  const progressOf = new Map(erasures.map(({ number, ...progress }) => [number, progress]));
  const removedBy = new Map(
    receipts.map(({ number, body }) => [number, (JSON.parse(body) as Receipt).receipt.removed]),
  );
  return rows.map(({ number, state, reason, actor, error, created_at, finished_at }) => {
    const { step, count, receipt } = progressOf.get(number)!;
    const own = versions.filter(({ erasure }) => erasure === number).map(({ erasure: _, ...version }) => version);
    return {
      ...{ number, state, step, facts: count, versions: own, receipt, removed: removedBy.get(receipt ?? 0) ?? null },
      ...{ reason, by: actor, error, created_at: new Date(created_at).toISOString() },
      finished_at: finished_at === null ? null : new Date(finished_at).toISOString(),
    };
  });
}
