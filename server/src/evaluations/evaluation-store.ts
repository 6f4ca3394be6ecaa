// Store of evaluations for the runner: the owning server of each, and its answers so far.
import { type Insertable, type Selectable, sql } from 'kysely';
import type { Heartbeat } from '../leases/heartbeat.ts';
import { RowLease } from '../leases/row-lease.ts';
import type { Store } from '../store/database.ts';
import type { EvaluationAnswerRow, EvaluationRow } from '../store/schema.ts';
import type { Row } from './questions.ts';

export type HeldEvaluation = Selectable<EvaluationRow>;
export type NewAnswer = Omit<Insertable<EvaluationAnswerRow>, 'evaluation_id'>;

const running = sql`status = 'running'`;
const rowsAtOnce = 200;

export class EvaluationStore {
  readonly #store: Store;
  readonly lease: RowLease<'evaluations'>;

  constructor(store: Store, heartbeat: Heartbeat) {
    this.#store = store;
    this.lease = new RowLease(store, heartbeat, 'evaluations', { open: running });
  }

  /** The ids that this server still owns. */
  async stillOwned(ids: number[]): Promise<Set<number>> {
    return await this.lease.stillOwned(ids, running);
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

  /** Rows that a target has answered. */
  async answered(id: number, target: number): Promise<Set<number>> {
    const rows = await this.#store.db
      .selectFrom('evaluation_answers')
      .select('row')
      .where('evaluation_id', '=', id)
      .where('target', '=', target)
      .execute();
    return new Set(rows.map(({ row }) => row));
  }

  /** Writes answers, and with `ended` the end of the evaluation. False if this server no longer owns it. */
  async write(id: number, answers: NewAnswer[], ended: boolean): Promise<boolean> {
    return await this.#store.db.transaction().execute(async (transaction) => {
      const evaluation = await this.lease.lock(transaction, id);
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
          // An evaluation in which no question could be asked has failed.
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
