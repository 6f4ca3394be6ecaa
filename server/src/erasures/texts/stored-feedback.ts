// Erases texts of facts in kept answers, which are deleted, and in votes, whose texts are overwritten: the vote itself still counts.
import { erasedMark } from '../erased-text.ts';
import { type ErasureScope, preselects, rowsAtOnce } from './kept-place.ts';

/** Kept answers are deleted instead of overwritten, since a later vote on one would propose its question. */
export async function eraseDecisions(place: ErasureScope): Promise<number> {
  const { change, accountId, models } = place;
  let count = 0;
  for (let after = ''; ; ) {
    const rows = await change
      .selectFrom('answer_decisions')
      .select(['answer_id', 'model', 'input', 'output', 'decision'])
      .where('account_id', '=', accountId)
      .where('answer_id', '>', after)
      .where(preselects(place, 'input', 'output', 'decision'))
      .orderBy('answer_id')
      .limit(rowsAtOnce)
      .execute();
    if (rows.length === 0) return count;
    after = rows.at(-1)!.answer_id;
    const gone = rows.filter(({ model, input, output, decision }) =>
      holds(place, models.has(model), [input, output], decision),
    );
    if (gone.length > 0)
      await change
        .deleteFrom('answer_decisions')
        .where(
          'answer_id',
          'in',
          gone.map(({ answer_id }) => answer_id),
        )
        .execute();
    count += gone.length;
  }
}

export async function eraseVotes(place: ErasureScope): Promise<number> {
  const { change, accountId, models, memory } = place;
  let count = 0;
  for (let after = 0; ; ) {
    const rows = await change
      .selectFrom('feedback')
      .select(['id', 'model', 'memory', 'input', 'output', 'decision', 'expected', 'comment'])
      .where('account_id', '=', accountId)
      .where('id', '>', after)
      .where(preselects(place, 'input', 'output', 'decision', 'expected', 'comment'))
      .orderBy('id')
      .limit(rowsAtOnce)
      .execute();
    if (rows.length === 0) return count;
    after = rows.at(-1)!.id;
    for (const { id, model, memory: name, decision, ...texts } of rows) {
      const ours = name === memory.name || (model !== null && models.has(model));
      if (!holds(place, ours, Object.values(texts), decision)) continue;
      const marks = Object.entries(texts).map(([column, text]) => [column, text === null ? null : erasedMark]);
      await change
        .updateTable('feedback')
        .set({ ...Object.fromEntries(marks), decision: null })
        .where('id', '=', id)
        .execute();
      count++;
    }
  }
}

const holds = ({ text }: ErasureScope, ours: boolean, texts: (string | null)[], decision: string | null): boolean =>
  texts.some((one) => one !== null && text.isIn(one, ours)) ||
  (decision !== null && text.withoutIn(decision, ours) !== undefined);
