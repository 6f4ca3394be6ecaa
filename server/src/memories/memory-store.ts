// Queries of memories, versions and changes that this folder shares.
import { type GateResult, type MemoryChange, type MemoryVersion, type NamedMemory, Refusal } from '@lorekeep/contract';
import type { Kysely, Selectable, Transaction } from 'kysely';
import type { Store } from '../store/database.ts';
import { withRowLock } from '../store/lock.ts';
import type { Tables } from '../store/schema.ts';
import type { MemoryChangeRow, MemoryRow, MemoryVersionRow } from '../store/tables/memory.ts';

export type Change = Transaction<Tables>;
export type Db = Pick<Kysely<Tables>, 'selectFrom'>;
export type OwnMemory = Selectable<MemoryRow>;
export type OwnVersion = Selectable<MemoryVersionRow>;
export type OwnChange = Selectable<MemoryChangeRow>;

export const openChangeStates = ['waiting', 'running'] as const;

export async function memoryOf(db: Db, accountId: number, name: string): Promise<OwnMemory> {
  const row = await db
    .selectFrom('memories')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('name', '=', name)
    .executeTakeFirst();
  if (!row) throw new Refusal('memory_not_found', { name });
  return row;
}

/** Locks the memory against concurrent changes; undefined if it is gone. */
export async function lockMemory(store: Store, change: Change, id: number): Promise<OwnMemory | undefined> {
  const query = change.selectFrom('memories').selectAll().where('id', '=', id);
  return await withRowLock(store, query).executeTakeFirst();
}

export async function versionOf(
  db: Db,
  { id, name }: Pick<OwnMemory, 'id' | 'name'>,
  number: number,
): Promise<OwnVersion> {
  const row = await db
    .selectFrom('memory_versions')
    .selectAll()
    .where('memory_id', '=', id)
    .where('number', '=', number)
    .executeTakeFirst();
  if (!row) throw new Refusal('version_not_found', { name, version: number });
  return row;
}

export async function openChanges(db: Db, memoryId: number): Promise<OwnChange[]> {
  return await db
    .selectFrom('memory_changes')
    .selectAll()
    .where('memory_id', '=', memoryId)
    .where('state', 'in', openChangeStates)
    .orderBy('number')
    .execute();
}

export async function shownMemory(db: Db, memory: OwnMemory): Promise<NamedMemory> {
  return (await shownMemories(db, [memory]))[0]!;
}

export async function shownMemories(db: Db, memories: OwnMemory[]): Promise<NamedMemory[]> {
  const ids = memories.map(({ id }) => id);
  const numbers = memories.flatMap(({ published }) => published ?? []);
  const versions =
    numbers.length === 0
      ? []
      : await db
          .selectFrom('memory_versions')
          .select(['memory_id', 'number', 'model_name', 'facts', 'recalled'])
          .where('memory_id', 'in', ids)
          .where('number', 'in', numbers)
          .execute();
  const open =
    ids.length === 0
      ? []
      : await db
          .selectFrom('memory_changes')
          .select(['memory_id', (eb) => eb.fn.countAll<number>().as('count')])
          .where('memory_id', 'in', ids)
          .where('state', 'in', openChangeStates)
          .groupBy('memory_id')
          .execute();
  const versionAt = new Map(versions.map((version) => [`${version.memory_id} ${version.number}`, version]));
  const openOf = new Map(open.map(({ memory_id, count }) => [memory_id, Number(count)]));
  return memories.map(({ id, name, published, latest, base_model, created_at }) => {
    const version = versionAt.get(`${id} ${published}`);
    if (published !== null && !version) throw new Refusal('version_not_found', { name, version: published });
    return {
      ...{ name, version: published, latest_version: latest === 0 ? null : latest },
      ...{ model_name: version?.model_name ?? null, base_model },
      ...{ facts: version?.facts ?? 0, facts_recalled: version?.recalled ?? 0 },
      changes_open: openOf.get(id) ?? 0,
      created_at: new Date(created_at).toISOString(),
    };
  });
}

export function shownChange(row: OwnChange): MemoryChange {
  const { number, kind, state, added, changed, withdrawn, reason, actor, key_id, parent, version, job_id, error } = row;
  const { evaluation_id, base_model } = row;
  return {
    ...{ number, kind, state, added, changed, withdrawn, reason, by: actor, key_id },
    ...{ from_version: parent, base_model, version, job_id, evaluation_id, error },
    created_at: new Date(row.created_at).toISOString(),
    finished_at: row.finished_at === null ? null : new Date(row.finished_at).toISOString(),
  };
}

export const shownVersion = (row: OwnVersion, { published }: OwnMemory): MemoryVersion => ({
  ...{ version: row.number, model_name: row.model_name, from_version: row.parent, change: row.change },
  ...{ published: row.number === published, facts: row.facts, facts_recalled: row.recalled },
  gate: row.gate === null ? null : (JSON.parse(row.gate) as GateResult).holds ? 'holds' : 'fails',
  created_at: new Date(row.created_at).toISOString(),
});

/** Optimistic locking: refuses a change if the caller expected another version than the published one. */
export async function refuseOutdated(db: Db, memory: OwnMemory, expected: number | undefined): Promise<void> {
  if (expected === undefined) return;
  const { name, published } = memory;
  const refusal = (state: string) => new Refusal('memory_changed', { name, expected, state });
  if (published !== expected) throw refusal(`version ${published ?? 'none'} is published`);
  const [first] = await openChanges(db, memory.id);
  if (first) throw refusal(`the change ${first.number} by ${first.actor} is not over`);
}
