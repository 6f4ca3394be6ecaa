// Memories for callers: create, list, change, publish, delete.
import {
  type AnswerOf,
  type BodyOf,
  type changeMemory,
  type createMemory,
  type listMemories,
  type MemoryChange,
  maxOperations,
  type moveMemory,
  type NamedMemory,
  type publishMemoryVersion,
  Refusal,
} from '@lorekeep/contract';
import { lockAccount } from '../accounts/storage.ts';
import { record } from '../audit/record.ts';
import type { Caller } from '../auth/caller.ts';
import { questionKey } from '../files/question-key.ts';
import type { Models } from '../models/models.ts';
import type { TunedModels } from '../models/tuned.ts';
import { isUniqueViolation, type Store } from '../store/database.ts';
import { pageOf } from '../store/page.ts';
import type { FindLongFacts } from '../tuning/submit/long-facts.ts';
import type { MovedTo } from '../tuning/submit/move.ts';
import { refuseErased } from './erased.ts';
import { knownQuestions } from './facts.ts';
import { gateRefusal } from './gate-publish.ts';
import {
  type Change,
  lockMemory,
  memoryOf,
  type OwnChange,
  type OwnMemory,
  openChanges,
  refuseOutdated,
  shownChange,
  shownMemories,
  shownMemory,
  versionOf,
} from './memory-store.ts';
import { longFactsRefusal, type Operation, type Operations, operationsOf } from './operations.ts';
import { point } from './versions.ts';

interface Dependencies {
  store: Store;
  models: Models;
  tuned: TunedModels;
  movedTo: MovedTo;
  tooLong: FindLongFacts;
  contact: string;
  /** Called when there is a change to process. */
  onWork(): void;
}

export type OrderedFacts = Pick<BodyOf<typeof changeMemory>, 'add' | 'change' | 'withdraw' | 'reason'>;

type Asked = Parameters<FindLongFacts>[0]['facts'][number];

export class Memories {
  readonly #parts: Dependencies;
  readonly #store: Store;

  constructor(parts: Dependencies) {
    this.#parts = parts;
    this.#store = parts.store;
  }

  async own(caller: Caller, name: string): Promise<OwnMemory> {
    return await memoryOf(this.#store.db, caller.account.id, name);
  }

  async show(caller: Caller, name: string): Promise<NamedMemory> {
    return await shownMemory(this.#store.db, await this.own(caller, name));
  }

  async list(caller: Caller, limit: number, after: number | undefined): Promise<AnswerOf<typeof listMemories>> {
    let query = this.#store.db
      .selectFrom('memories')
      .selectAll()
      .where('account_id', '=', caller.account.id)
      .orderBy('id', 'desc')
      .limit(limit + 1);
    if (after !== undefined) query = query.where('id', '<', after);
    const { rows, next } = pageOf(await query.execute(), limit, ({ id }) => id);
    return { memories: await shownMemories(this.#store.db, rows), next };
  }

  /** Creates a memory. The worker makes its first version, from an existing model or from the model of a job once that is over. */
  async create(
    caller: Caller,
    { name, model_name, job_id, reason }: BodyOf<typeof createMemory>,
  ): Promise<NamedMemory> {
    const accountId = caller.account.id;
    if (await this.#parts.models.isReserved(name)) throw new Refusal('name_taken', { name });
    const source = await this.#sourceOf(caller, model_name, job_id);
    const made = await this.#store.db
      .transaction()
      .execute(async (change) => {
        await lockAccount(this.#store, change, accountId);
        await refuseOtherAlias(change, accountId, name, source.model);
        const memory = await change
          .insertInto('memories')
          .values({
            ...{ account_id: accountId, name, base_model: source.base, published: null, latest: 0, changes: 0 },
            created_at: Date.now(),
          })
          .returningAll()
          .executeTakeFirstOrThrow();
        const of = { kind: 'create' as const, state: 'running' as const, reason, job_id: source.job };
        await addChange(change, caller, memory, of, new Map());
        return memory;
      })
      .catch((error) => {
        throw isUniqueViolation(error) ? new Refusal('name_of_memory', { name }) : error;
      });
    this.#parts.onWork();
    return await shownMemory(this.#store.db, made);
  }

  async #sourceOf(
    caller: Caller,
    model: string | undefined,
    job: number | undefined,
  ): Promise<{ job: number; base: string; model: string | null }> {
    if (model !== undefined) {
      const own = await this.#parts.tuned.own(caller, model);
      return { job: own.job_id, base: own.base_model, model: own.name };
    }
    const row = await this.#store.db
      .selectFrom('tuning_jobs')
      .select(['id', 'base_model', 'model_name', 'sweep'])
      .where('id', '=', job!)
      .where('account_id', '=', caller.account.id)
      .executeTakeFirst();
    if (!row || row.sweep !== null) throw new Refusal('job_not_found', { id: job! });
    return { job: row.id, base: row.base_model, model: row.model_name };
  }

  async order(
    caller: Caller,
    name: string,
    body: BodyOf<typeof changeMemory>,
    signal: AbortSignal,
  ): Promise<MemoryChange> {
    const own = await this.own(caller, name);
    await this.#refuseLong(own, body, signal);
    const ordered = await this.#store.db.transaction().execute(async (change) => {
      const memory = await lockMemory(this.#store, change, own.id);
      if (!memory) throw new Refusal('memory_not_found', { name });
      await refuseOutdated(change, memory, body.expected_version);
      const made = await this.orderWithin(change, caller, memory, body);
      await this.recordOrder(change, memory, made);
      return made;
    });
    this.wake();
    return shownChange(ordered);
  }

  /** Orders the next version on another base, or on another precision of its own base. Refused if its experts do not fit that base. */
  async move(
    caller: Caller,
    name: string,
    body: BodyOf<typeof moveMemory>,
    signal: AbortSignal,
  ): Promise<MemoryChange> {
    const own = await this.own(caller, name);
    if (own.published === null) throw new Refusal('memory_empty', { name });
    const model = await this.#parts.tuned.own(caller, (await versionOf(this.#store.db, own, own.published)).model_name);
    const base = await this.#parts.movedTo({ model, called: name, base: body.base_model }, signal);
    const ordered = await this.#store.db.transaction().execute(async (change) => {
      const memory = await lockMemory(this.#store, change, own.id);
      if (!memory) throw new Refusal('memory_not_found', { name });
      await refuseOutdated(change, memory, body.expected_version);
      const of = { kind: 'move' as const, state: 'waiting' as const, reason: body.reason, job_id: null };
      const made = await addChange(change, caller, memory, { ...of, base_model: base.name }, new Map());
      await this.recordOrder(change, memory, made);
      return made;
    });
    this.wake();
    return shownChange(ordered);
  }

  /** Adds a change in the caller's transaction, which holds the memory's lock. The caller calls `recordOrder` and `wake` afterwards. */
  async orderWithin(change: Change, caller: Caller, memory: OwnMemory, body: OrderedFacts): Promise<OwnChange> {
    const { name, published } = memory;
    if (published === null) throw new Refusal('memory_empty', { name });
    // Checked before the facts are read, since a fact that an open change adds is not stored yet.
    const named = namedQuestions(body);
    for (const other of await openChanges(change, memory.id)) refuseShared(name, other, named);
    const operations = await operationsOf(
      body,
      maxOperations,
      async (questions) => await knownQuestions(change, memory.id, published, questions),
    );
    await this.#refuseCount(caller, change, memory, operations);
    const of = { kind: 'facts' as const, state: 'waiting' as const, reason: body.reason, job_id: null };
    return await addChange(change, caller, memory, of, operations);
  }

  async recordOrder(change: Change, { account_id, name }: OwnMemory, made: OwnChange): Promise<void> {
    const { number, added, changed, withdrawn, base_model } = made;
    const details = { change: number, added, changed, withdrawn, ...(base_model !== null && { base_model }) };
    await record(change, { action: 'memory.change_ordered', accountId: account_id, subject: name, details });
  }

  /** Wakes the worker to process a change. */
  wake(): void {
    this.#parts.onWork();
  }

  /** Refuses facts that are too long for the model. Otherwise only the job would find them, after the call. */
  async #refuseLong(own: OwnMemory, { add = [], change = [] }: OrderedFacts, signal: AbortSignal): Promise<void> {
    const facts = [
      ...add.map((fact, at) => ({ ...fact, kind: 'add' as const, at })),
      ...change.map((fact, at) => ({ ...fact, kind: 'change' as const, at })),
    ];
    const long = await this.tooLong(own, facts, signal);
    if (long.size > 0) throw longFactsRefusal([...long].map(([at, reason]) => ({ ...facts[at]!, reason })));
  }

  /** The index of each fact that is too long for the memory's model, with the reason. */
  async tooLong({ id, name, account_id, published }: OwnMemory, facts: Asked[], signal: AbortSignal) {
    if (published === null) return new Map<number, string>();
    const { model_name } = await versionOf(this.#store.db, { id, name }, published);
    const model = await this.#parts.tuned.find(model_name, account_id);
    if (!model) return new Map<number, string>();
    return await this.#parts.tooLong({ model, accountId: account_id, facts }, signal);
  }

  async #refuseCount(caller: Caller, change: Change, memory: OwnMemory, operations: Operations): Promise<void> {
    const { facts } = await versionOf(change, memory, memory.published!);
    const { add, withdraw } = countsOf(operations);
    const count = facts + add - withdraw;
    if (count <= 0) throw new Refusal('nothing_left', { model: memory.name });
    const limit = caller.account.limits.data_points;
    if (add > 0 && limit !== null && count > limit)
      throw new Refusal('data_points_limit', { count, limit, contact: this.#parts.contact });
  }

  /** Publishes a version: moves the name, without a job. */
  async publish(caller: Caller, name: string, body: BodyOf<typeof publishMemoryVersion>): Promise<NamedMemory> {
    const own = await this.own(caller, name);
    return await this.#store.db.transaction().execute(async (change) => {
      const memory = await lockMemory(this.#store, change, own.id);
      if (!memory) throw new Refusal('memory_not_found', { name });
      if (body.expected_version !== undefined && memory.published !== body.expected_version)
        await refuseOutdated(change, memory, body.expected_version);
      if (memory.published === body.version) return await shownMemory(change, memory);
      const target = await versionOf(change, memory, body.version);
      await refuseErased(change, memory, body.version);
      const refusal = await gateRefusal(change, memory, target);
      if (refusal && !body.force) throw refusal;
      const model = await change
        .selectFrom('tuned_models')
        .selectAll()
        .where('name', '=', target.model_name)
        .executeTakeFirstOrThrow();
      const of = { kind: 'publish' as const, state: 'published' as const, reason: body.reason, job_id: null };
      await addChange(change, caller, memory, of, new Map(), body.version);
      const now = { published: body.version, base_model: model.base_model };
      await change.updateTable('memories').set(now).where('id', '=', memory.id).execute();
      await point(change, memory, { ...model, alias: name });
      const details = {
        ...{ from: memory.published, version: body.version },
        ...(refusal && { forced: true, gate: refusal.message }),
      };
      await record(change, { action: 'memory.published', accountId: memory.account_id, subject: name, details });
      return await shownMemory(change, { ...memory, ...now });
    });
  }

  async delete(caller: Caller, name: string): Promise<void> {
    const own = await this.own(caller, name);
    await this.#store.db.transaction().execute(async (change) => {
      await lockMemory(this.#store, change, own.id);
      await refuseErased(change, own);
      // The job of a first version does not belong to the memory and continues without it.
      const open = (await openChanges(change, own.id)).find(({ kind }) => kind !== 'create');
      if (open) throw new Refusal('memory_busy', { name, number: open.number, who: open.actor });
      const { numDeletedRows } = await change.deleteFrom('memories').where('id', '=', own.id).executeTakeFirstOrThrow();
      if (numDeletedRows === 0n) throw new Refusal('memory_not_found', { name });
      const details = { versions: own.latest };
      await record(change, { action: 'memory.deleted', accountId: own.account_id, subject: name, details });
    });
  }
}

/** Refuses a name that is the custom name of another model. */
async function refuseOtherAlias(change: Change, accountId: number, name: string, model: string | null): Promise<void> {
  const alias = await change
    .selectFrom('model_aliases')
    .select('model_name')
    .where('account_id', '=', accountId)
    .where('alias', '=', name)
    .executeTakeFirst();
  if (alias && alias.model_name !== null && alias.model_name !== model) throw new Refusal('name_taken', { name });
}

/** The questions that a change names. */
const namedQuestions = ({ add = [], change = [], withdraw = [] }: OrderedFacts): Set<string> =>
  new Set([...[...add, ...change].map(({ input }) => questionKey(input)), ...withdraw.map(questionKey)]);

/** Refuses a change of a fact that another open change includes. */
function refuseShared(name: string, other: OwnChange, named: Set<string>): void {
  for (const { input } of JSON.parse(other.operations) as Operation[])
    if (named.has(questionKey(input)))
      throw new Refusal('fact_in_change', { name, number: other.number, who: other.actor, input: input.slice(0, 200) });
}

function countsOf(operations: Operations): Record<Operation['kind'], number> {
  const counts = { add: 0, change: 0, withdraw: 0 };
  for (const { kind } of operations.values()) counts[kind]++;
  return counts;
}

type Kind = Pick<OwnChange, 'kind' | 'state' | 'job_id'> & { reason: string | undefined; base_model?: string };

async function addChange(
  change: Change,
  caller: Caller,
  memory: OwnMemory,
  { reason, ...of }: Kind,
  operations: Operations,
  version: number | null = null,
): Promise<OwnChange> {
  const number = memory.changes + 1;
  const now = Date.now();
  await change.updateTable('memories').set({ changes: number }).where('id', '=', memory.id).execute();
  const { add, change: changed, withdraw } = countsOf(operations);
  return await change
    .insertInto('memory_changes')
    .values({
      ...{ memory_id: memory.id, number, ...of, operations: JSON.stringify([...operations.values()]) },
      ...{ added: add, changed, withdrawn: withdraw, reason: reason ?? null },
      ...{ actor: caller.account.name, key_id: caller.key.id, parent: memory.published, version, error: null },
      evaluation_id: null,
      ...{ created_at: now, finished_at: of.state === 'published' ? now : null },
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}
