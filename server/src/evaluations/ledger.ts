// Who works on which evaluation, and what has been answered: the store as the runner sees it. Held as runs are: what a dead server held is
// taken over by another, or by itself when it is back.
import { randomUUID } from 'node:crypto';
import { type Insertable, type Selectable, sql } from 'kysely';
import { leaseMs } from '../runs/ledger.ts';
import type { Store } from '../store/database.ts';
import type { EvaluationAnswerRow, EvaluationRow } from '../store/schema.ts';
import type { Row } from './questions.ts';

export type HeldEvaluation = Selectable<EvaluationRow>;
export type NewAnswer = Omit<Insertable<EvaluationAnswerRow>, 'evaluation_id'>;

const rowsAtOnce = 200;

export class EvaluationLedger {
  readonly #store: Store;
  readonly #owner = randomUUID();

  constructor(store: Store) {
    this.#store = store;
  }

  /** Takes evaluations that nobody works on, one of each account in turn. */
  async take(most: number): Promise<HeldEvaluation[]> {
    if (most <= 0) return [];
    const now = Date.now();
    const free = await this.#store.db
      .selectFrom((inner) =>
        inner
          .selectFrom('evaluations')
          .select(['id', sql<number>`row_number() over (partition by account_id order by id)`.as('turn')])
          .where('status', '=', 'running')
          .where('owned_until', '<', now)
          .as('free'),
      )
      .select('id')
      .orderBy('turn')
      .orderBy('id')
      .limit(most)
      .execute();
    if (free.length === 0) return [];
    const ids = free.map(({ id }) => id);
    return await this.#store.db
      .updateTable('evaluations')
      .set({ owner: this.#owner, owned_until: now + leaseMs })
      .where('id', 'in', ids)
      .where('status', '=', 'running')
      .where('owned_until', '<', now)
      .returningAll()
      .execute();
  }

  /** Says that this server still works on these; answers which are still its own. */
  async hold(ids: number[]): Promise<Set<number>> {
    const held = await this.#store.db
      .updateTable('evaluations')
      .set({ owned_until: Date.now() + leaseMs })
      .where('id', 'in', ids)
      .where('owner', '=', this.#owner)
      .where('status', '=', 'running')
      .returning('id')
      .execute();
    return new Set(held.map(({ id }) => id));
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
      const mine = transaction
        .selectFrom('evaluations')
        .select('id')
        .where('id', '=', id)
        .where('owner', '=', this.#owner)
        .where('status', '=', 'running');
      if (!(await (this.#store.engine === 'postgres' ? mine.forUpdate() : mine).executeTakeFirst())) return false;
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
          owned_until: 0,
        })
        .where('id', '=', id)
        .execute();
      return true;
    });
  }

  /** Lets go of everything, for others to take at once. */
  async release(): Promise<void> {
    await this.#store.db
      .updateTable('evaluations')
      .set({ owner: null, owned_until: 0 })
      .where('owner', '=', this.#owner)
      .where('status', '=', 'running')
      .execute();
  }
}
