// Evaluations of two versions of a memory on one dataset, the newer first, for gates and comparisons. They are created in the caller's
// transaction. Rows whose answers differ are read from the stored answers.
import {
  type AnswerDifference,
  type AnswerOf,
  type listRegressions,
  Refusal,
  type RightSide,
} from '@lorekeep/contract';
import { type ExpressionBuilder, type Selectable, type SqlBool, sql, type Transaction } from 'kysely';
import type { Datasets } from '../datasets/datasets.ts';
import type { Store } from '../store/database.ts';
import { pageOf } from '../store/page.ts';
import type { EvaluationAnswerRow, EvaluationRow, Tables } from '../store/schema.ts';
import { type EvaluationRequest, insertEvaluation, refuseTooMany } from './insert.ts';
import { questionsOf } from './questions.ts';
import type { Targets } from './targets.ts';

export interface VersionsOrder {
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

/** Counts of the rows that both versions have answered. */
export interface ComparedCounts {
  compared: number;
  right_before: number;
  right_after: number;
  differing: number;
  differing_right: Record<RightSide, number>;
}

/** An evaluation of two models on a whole dataset. */
export interface VersionsAsked extends Pick<Selectable<EvaluationRow>, 'id' | 'status' | 'error' | 'rows'> {
  dataset: string;
  /** The newer first. */
  models: [string, string];
}

const newTarget = 0;
const oldTarget = 1;
const maxCandidates = 200;
type Db = Pick<Store['db'], 'selectFrom'>;

interface Dependencies {
  store: Store;
  datasets: Datasets;
  targets: Targets;
  /** Called when there is work to start or to stop. */
  onChange(): void;
}

export class VersionEvaluations {
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

  /** The completed or running evaluation of these models on the dataset. */
  async same(db: Db, { accountId, dataset, models }: VersionsOrder, rows: number): Promise<number | undefined> {
    const found = await db
      .selectFrom('evaluations')
      .selectAll()
      .where('account_id', '=', accountId)
      .where('dataset', '=', dataset)
      .where('status', 'in', ['running', 'completed'])
      .where('rows', '=', rows)
      .orderBy('id', 'desc')
      .limit(maxCandidates)
      .execute();
    const wanted = models.map(({ model_name }) => model_name).join('\n');
    return found.find((row) => askedBy(row)?.models.join('\n') === wanted)?.id;
  }

  /** Refuses if the account has reached its limit of unfinished evaluations. */
  async refuseTooMany(change: Transaction<Tables>, accountId: number): Promise<void> {
    await refuseTooMany(change, accountId);
  }

  /** Undefined if it belongs to another account, or does not ask two models the questions of a dataset. */
  async asked(accountId: number, id: number): Promise<VersionsAsked | undefined> {
    const row = await this.#store.db
      .selectFrom('evaluations')
      .selectAll()
      .where('id', '=', id)
      .where('account_id', '=', accountId)
      .executeTakeFirst();
    return row && askedBy(row);
  }

  /** Reads the questions. The returned function writes the evaluation and returns its id. */
  async prepare(order: VersionsOrder): Promise<(change: Transaction<Tables>) => Promise<number>> {
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

  /** Cancels an evaluation that is no longer needed. */
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
    const { differences, next } = await this.differences(id, { limit, after: from, right: 'before' });
    return { regressions: differences.map(({ right: _, ...row }) => row), next };
  }

  /** Rows whose answers differ, in row order. */
  async differences(
    id: number,
    { limit, after = 0, right }: { limit: number; after?: number | undefined; right?: RightSide | undefined },
  ): Promise<{ differences: AnswerDifference[]; next: number | null }> {
    let query = this.#answers(id)
      .where(differ)
      .where('question.row', '>', after)
      .select(['question.row', 'question.input', 'question.output'])
      .select(['old.output as before', 'old.error as before_error', 'old.exact as before_right'])
      .select(['new.output as after', 'new.error as after_error', 'new.exact as after_right'])
      .limit(limit + 1);
    if (right)
      query = query
        .where('old.exact', '=', right === 'before' ? 1 : 0)
        .where('new.exact', '=', right === 'after' ? 1 : 0);
    const { rows, next } = pageOf(await query.execute(), limit, ({ row }) => row);
    return {
      differences: rows.map((one) => ({
        ...{ row: one.row, input: JSON.parse(one.input), output: JSON.parse(one.output) },
        before: { output: JSON.parse(one.before), error: one.before_error },
        after: { output: JSON.parse(one.after), error: one.after_error },
        right: one.before_right === 1 ? 'before' : one.after_right === 1 ? 'after' : 'neither',
      })),
      next,
    };
  }

  async counts(id: number): Promise<ComparedCounts> {
    const groups = await this.#answers(id)
      .clearOrderBy()
      .groupBy(['old.exact', 'new.exact'])
      .select(['old.exact as before', 'new.exact as after'])
      .select((eb) => [
        eb.fn.countAll<number>().as('rows'),
        eb.fn.sum<number>(eb.case().when(differ(eb)).then(eb.lit(1)).else(eb.lit(0)).end()).as('differing'),
      ])
      .execute();
    const sum = (count: 'rows' | 'differing', holds: (group: (typeof groups)[number]) => boolean = () => true) =>
      groups.filter(holds).reduce((total, group) => total + Number(group[count]), 0);
    return {
      compared: sum('rows'),
      right_before: sum('rows', ({ before }) => before === 1),
      right_after: sum('rows', ({ after }) => after === 1),
      differing: sum('differing'),
      differing_right: {
        before: sum('differing', ({ before }) => before === 1),
        after: sum('differing', ({ after }) => after === 1),
        neither: sum('differing', ({ before, after }) => before === 0 && after === 0),
      },
    };
  }

  #answers(id: number) {
    return this.#store.db
      .selectFrom('evaluation_questions as question')
      .innerJoin('evaluation_answers as new', (join) =>
        join
          .onRef('new.evaluation_id', '=', 'question.evaluation_id')
          .onRef('new.row', '=', 'question.row')
          .on('new.target', '=', newTarget),
      )
      .innerJoin('evaluation_answers as old', (join) =>
        join
          .onRef('old.evaluation_id', '=', 'question.evaluation_id')
          .onRef('old.row', '=', 'question.row')
          .on('old.target', '=', oldTarget),
      )
      .where('question.evaluation_id', '=', id)
      .orderBy('question.row');
  }
}

/** Two right answers do not differ, although white space may. A failed answer differs from a given one. */
function differ(eb: ExpressionBuilder<{ new: EvaluationAnswerRow; old: EvaluationAnswerRow }, 'new' | 'old'>) {
  return eb.or([
    eb('new.exact', '!=', eb.ref('old.exact')),
    eb.and([
      eb('new.exact', '=', 0),
      eb.or([
        eb('new.output', '!=', eb.ref('old.output')),
        sql<SqlBool>`(${eb.ref('new.error')} is null) <> (${eb.ref('old.error')} is null)`,
      ]),
    ]),
  ]);
}

/** Undefined if the evaluation asks in another way than `prepare` does. */
function askedBy({ id, status, error, rows, dataset, request }: Selectable<EvaluationRow>): VersionsAsked | undefined {
  const { targets, form, max_tokens } = JSON.parse(request) as EvaluationRequest;
  const models = targets.map(({ model_name, prompt }) => (prompt === null ? model_name : null));
  if (dataset === null || form !== 'chat' || max_tokens !== undefined) return undefined;
  if (models.length !== 2 || models.some((model) => model === null)) return undefined;
  return { id, status, error, rows, dataset, models: models as [string, string] };
}
