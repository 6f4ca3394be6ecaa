// Who works on which evaluation, and what has been answered: the store as the runner sees it.
import { type Insertable, type Selectable, sql } from 'kysely';
import { Holding } from '../servers/holding.ts';
import type { Presence } from '../servers/presence.ts';
import type { Store } from '../store/database.ts';
import type { EvaluationAnswerRow, EvaluationRow } from '../store/schema.ts';
import type { Row } from './questions.ts';

export type HeldEvaluation = Selectable<EvaluationRow>;
export type NewAnswer = Omit<Insertable<EvaluationAnswerRow>, 'evaluation_id'>;

const running = sql`status = 'running'`;
const rowsAtOnce = 200;

export class EvaluationLedger {
  readonly #store: Store;
  readonly holding: Holding<'evaluations'>;

  constructor(store: Store, presence: Presence) {
    this.#store = store;
    this.holding = new Holding(store, presence, 'evaluations', { open: running });
  }

  /** Of these, those that are still this server's to work on. */
  async kept(ids: number[]): Promise<Set<number>> {
    return await this.holding.kept(ids, running);
  }

  /** The questions, in order; the first is row 1. */
  async questions(id: number): Promise<Row[]> {
    const rows = await this.#store.db
      .selectFrom('evaluation_questions')
      .select(['input', 'output'])
      .where('evaluation_id', '=', id)
      .orderBy('row')
      .execute();
    return rows.map(({ input, output }) => ({ input: JSON.parse(input), output: JSON.parse(output) }));
  }

  /** Of a target: the rows that need no work any more. */
  async answered(id: number, target: number): Promise<Set<number>> {
    const rows = await this.#store.db
      .selectFrom('evaluation_answers')
      .select('row')
      .where('evaluation_id', '=', id)
      .where('target', '=', target)
      .execute();
    return new Set(rows.map(({ row }) => row));
  }

  /** Writes answers, and with `ended` the end of the evaluation. False when it is no longer this server's. */
  async write(id: number, answers: NewAnswer[], ended: boolean): Promise<boolean> {
    return await this.#store.db.transaction().execute(async (transaction) => {
      const evaluation = await this.holding.mine(transaction, id);
      if (evaluation?.status !== 'running') return false;
      for (let at = 0; at < answers.length; at += rowsAtOnce)
        await transaction
          .insertInto('evaluation_answers')
          .values(answers.slice(at, at + rowsAtOnce).map((answer) => ({ evaluation_id: id, ...answer })))
          .onConflict((conflict) => conflict.columns(['evaluation_id', 'row', 'target']).doNothing())
          .execute();
      if (!ended) return true;
      const { asked, error } = await transaction
        .selectFrom('evaluation_answers')
        .select([
          sql<number>`sum(case when error is null then 1 else 0 end)`.as('asked'),
          sql<string | null>`min(error)`.as('error'),
        ])
        .where('evaluation_id', '=', id)
        .executeTakeFirstOrThrow();
      await transaction
        .updateTable('evaluations')
        .set({
          // Where not one question could be asked there is nothing to show.
          ...(Number(asked) > 0 ? { status: 'completed' as const } : { status: 'failed' as const, error }),
          finished_at: Date.now(),
          owner: null,
        })
        .where('id', '=', id)
        .execute();
      return true;
    });
  }
}
