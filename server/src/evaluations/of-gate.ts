// Evaluations that decide over a version of a memory: the new model and the one before it on one dataset. Made in the transaction of
// what waits for them, and read when they are over.
import type { AnswerOf, listRegressions } from '@lorekeep/contract';
import { Refusal } from '@lorekeep/contract';
import type { Transaction } from 'kysely';
import type { Datasets } from '../datasets/datasets.ts';
import type { Store } from '../store/database.ts';
import { pageOf } from '../store/page.ts';
import type { EvaluationRow, Tables } from '../store/schema.ts';
import { insertEvaluation } from './insert.ts';
import { questionsOf } from './questions.ts';
import type { Targets } from './targets.ts';

export interface GateOrder {
  accountId: number;
  keyId: number;
  dataset: string;
  name: string;
  /** The new version first. */
  models: { model_name: string; name: string }[];
}

export interface GateRow {
  input: string;
  right: boolean;
  rightBefore: boolean;
}

const after = 0;
const before = 1;

interface Dependencies {
  store: Store;
  datasets: Datasets;
  targets: Targets;
  /** There is work to take up or to stop. */
  onChange(): void;
}

export class GateEvaluations {
  readonly #parts: Dependencies;
  readonly #store: Store;

  constructor(parts: Dependencies) {
    this.#parts = parts;
    this.#store = parts.store;
  }

  /** Rows of a dataset that the account may read. */
  async rowsOf(accountId: number, dataset: string): Promise<number> {
    return (await this.#parts.datasets.show({ account: { id: accountId } }, dataset)).rows;
  }

  /** The questions of the whole dataset. */
  async questions(accountId: number, dataset: string): Promise<string[]> {
    const rows = await questionsOf(
      { dataset_id: dataset, data: undefined, max_rows: undefined, targets: [] },
      this.#parts.datasets,
      { account: { id: accountId } },
    );
    return rows.map(({ input }) => input);
  }

  /** Reads what is to be asked; the answered function writes the evaluation and answers its id. */
  async prepare(order: GateOrder): Promise<(change: Transaction<Tables>) => Promise<number>> {
    const { accountId, keyId, dataset, name } = order;
    const requested = order.models.map((model) => ({ ...model, prompt: undefined }));
    const targets = await this.#parts.targets.check(requested, accountId);
    const questions = await questionsOf(
      { dataset_id: dataset, data: undefined, max_rows: undefined, targets: requested },
      this.#parts.datasets,
      { account: { id: accountId } },
    );
    const request = { targets, form: 'chat' as const };
    return async (change) =>
      (await insertEvaluation(change, { accountId, keyId, request, questions, name, dataset }))!.id;
  }

  wake(): void {
    this.#parts.onChange();
  }

  async find(id: number): Promise<Pick<EvaluationRow, 'status' | 'dataset' | 'error'> | undefined> {
    return await this.#store.db
      .selectFrom('evaluations')
      .select(['status', 'dataset', 'error'])
      .where('id', '=', id)
      .executeTakeFirst();
  }

  /** Stops one that nobody waits for any more. */
  async drop(change: Transaction<Tables>, id: number): Promise<void> {
    await change
      .updateTable('evaluations')
      .set({ status: 'cancelled', finished_at: Date.now(), owner: null })
      .where('id', '=', id)
      .where('status', '=', 'running')
      .execute();
  }

  async rows(id: number): Promise<GateRow[]> {
    const rows = await this.#answers(id).select(['question.input', 'new.exact as right', 'old.exact as was']).execute();
    return rows.map(({ input, right, was }) => ({
      input: JSON.parse(input),
      right: right === 1,
      rightBefore: was === 1,
    }));
  }

  async regressions(id: number, limit: number, from: number | undefined): Promise<AnswerOf<typeof listRegressions>> {
    if (!(await this.find(id))) throw new Refusal('evaluation_not_found', { id });
    const found = await this.#answers(id)
      .where('old.exact', '=', 1)
      .where('new.exact', '=', 0)
      .where('question.row', '>', from ?? 0)
      .select(['question.row', 'question.input', 'question.output'])
      .select(['old.output as old', 'new.output as now', 'new.error'])
      .limit(limit + 1)
      .execute();
    const { rows, next } = pageOf(found, limit, ({ row }) => row);
    return {
      regressions: rows.map(({ row, input, output, old, now, error }) => ({
        ...{ row, input: JSON.parse(input), output: JSON.parse(output) },
        before: { output: JSON.parse(old), error: null },
        after: { output: JSON.parse(now), error },
      })),
      next,
    };
  }

  #answers(id: number) {
    return this.#store.db
      .selectFrom('evaluation_questions as question')
      .innerJoin('evaluation_answers as new', (join) =>
        join
          .onRef('new.evaluation_id', '=', 'question.evaluation_id')
          .onRef('new.row', '=', 'question.row')
          .on('new.target', '=', after),
      )
      .innerJoin('evaluation_answers as old', (join) =>
        join
          .onRef('old.evaluation_id', '=', 'question.evaluation_id')
          .onRef('old.row', '=', 'question.row')
          .on('old.target', '=', before),
      )
      .where('question.evaluation_id', '=', id)
      .orderBy('question.row');
  }
}
