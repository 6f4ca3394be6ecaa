// Finds other models of the account that hold the erased facts of one memory. They are listed and left unchanged.
import { Refusal } from '@lorekeep/contract';
import { factsOf } from '../models/tuned-facts.ts';
import type { TunedFolders } from '../models/tuned-folders.ts';
import type { Store } from '../store/database.ts';
import { type ChosenFact, factMatcher } from './selection.ts';

export async function otherHolders(
  { db }: Store,
  folders: TunedFolders,
  accountId: number,
  facts: ChosenFact[],
  except: Set<string>,
): Promise<string[]> {
  const isErased = factMatcher(facts);
  const models = await db.selectFrom('tuned_models').select('name').where('account_id', '=', accountId).execute();
  const held: string[] = [];
  for (const { name } of models) {
    if (except.has(name) || !(await holds(folders, name, isErased))) continue;
    const alias = await db
      .selectFrom('model_aliases')
      .select('alias')
      .where('account_id', '=', accountId)
      .where('model_name', '=', name)
      .executeTakeFirst();
    const version = await db
      .selectFrom('memory_versions')
      .innerJoin('memories', 'memories.id', 'memory_versions.memory_id')
      .select(['memories.name', 'memory_versions.number'])
      .where('model_name', '=', name)
      .executeTakeFirst();
    held.push(
      version
        ? `memory ${version.name}, version ${version.number}`
        : `model ${alias ? `${alias.alias} (${name})` : name}`,
    );
  }
  return held;
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
