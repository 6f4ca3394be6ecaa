// Finds other models of the account that hold the erased facts of one memory. They are listed and left unchanged. A model that other
// memories use too is kept for them, so every version of theirs is named.
import { Refusal } from '@lorekeep/contract';
import { endedVersions } from '../memories/erased.ts';
import type { Db, OwnVersion } from '../memories/rows.ts';
import { factsOf } from '../models/tuned-facts.ts';
import type { TunedFolders } from '../models/tuned-folders.ts';
import type { Store } from '../store/database.ts';
import { type ChosenFact, factMatcher } from './selection.ts';

type VersionName = Pick<OwnVersion, 'memory_id' | 'number'>;

/** `rebuilt` are the versions of the memory that will not hold the facts any more. */
export async function otherHolders(
  { db }: Store,
  folders: TunedFolders,
  accountId: number,
  facts: ChosenFact[],
  rebuilt: VersionName[],
): Promise<string[]> {
  const isErased = factMatcher(facts);
  const models = await db.selectFrom('tuned_models').select('name').where('account_id', '=', accountId).execute();
  const held: string[] = [];
  for (const { name } of models) {
    const versions = await versionsOn(db, name);
    const others = versions.filter((one) => !rebuilt.some((gone) => isSame(one, gone)));
    const isOnlyRebuilt = versions.length > 0 && others.length === 0;
    if (isOnlyRebuilt || !(await holds(folders, name, isErased))) continue;
    const named = await withoutEnded(db, others);
    held.push(
      ...(named.length > 0
        ? named.map(({ memory, number }) => `memory ${memory}, version ${number}`)
        : [`model ${await modelInWords(db, accountId, name)}`]),
    );
  }
  return held;
}

const isSame = (one: VersionName, other: VersionName) =>
  one.memory_id === other.memory_id && one.number === other.number;

async function versionsOn(db: Db, model: string): Promise<(VersionName & { memory: string })[]> {
  return await db
    .selectFrom('memory_versions')
    .innerJoin('memories', 'memories.id', 'memory_versions.memory_id')
    .select(['memories.name as memory', 'memory_versions.memory_id', 'memory_versions.number'])
    .where('model_name', '=', model)
    .orderBy('memory_versions.memory_id')
    .orderBy('memory_versions.number')
    .execute();
}

/** A version that an erasure has ended keeps the name of its model, but no one can ask it. */
async function withoutEnded<One extends VersionName>(db: Db, versions: One[]): Promise<One[]> {
  const left: One[] = [];
  for (const one of versions) if (!(await endedVersions(db, one.memory_id)).has(one.number)) left.push(one);
  return left;
}

async function modelInWords(db: Db, accountId: number, name: string): Promise<string> {
  const alias = await db
    .selectFrom('model_aliases')
    .select('alias')
    .where('account_id', '=', accountId)
    .where('model_name', '=', name)
    .executeTakeFirst();
  return alias ? `${alias.alias} (${name})` : name;
}

async function holds(folders: TunedFolders, model: string, isErased: ReturnType<typeof factMatcher>): Promise<boolean> {
  try {
    for await (const fact of factsOf(folders, model)) if (isErased(fact)) return true;
  } catch (error) {
    if (error instanceof Refusal && error.code === 'storage_unavailable') throw error;
    // A model with unreadable facts cannot serve them either.
  }
  return false;
}
