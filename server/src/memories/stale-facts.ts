// Facts whose source is stale. A fact comes from the accepted proposal with the same question in the change that added the fact.
import type { Selectable } from 'kysely';
import { questionKey } from '../files/question-key.ts';
import type { MemoryFactRow } from '../store/tables/memory.ts';
import type { Db } from './memory-store.ts';

type Fact = Pick<Selectable<MemoryFactRow>, 'id' | 'question' | 'change'>;

const changesAtOnce = 500;

/** Stale times by fact id. A fact that was changed afterwards comes from another change and is not stale. */
export async function staleSince(db: Db, memoryId: number, facts: Fact[]): Promise<Map<number, number>> {
  const changes = [...new Set(facts.flatMap(({ change }) => change ?? []))];
  const times = new Map<string, number>();
  for (let at = 0; at < changes.length; at += changesAtOnce) {
    const rows = await db
      .selectFrom('memory_proposals')
      .select(['change', 'input', 'accepted_input', 'stale_at'])
      .where('memory_id', '=', memoryId)
      .where('change', 'in', changes.slice(at, at + changesAtOnce))
      .where('state', 'in', ['accepted', 'edited'])
      .where('stale_at', 'is not', null)
      .execute();
    for (const { change, input, accepted_input, stale_at } of rows)
      times.set(`${change} ${questionKey(accepted_input ?? input)}`, stale_at!);
  }
  return new Map(
    facts.flatMap(({ id, question, change }) => {
      const time = times.get(`${change} ${question}`);
      return time === undefined ? [] : [[id, time] as const];
    }),
  );
}
