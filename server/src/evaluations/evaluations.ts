// Evaluations for callers: stored before they are acknowledged, figures by target, rows with the answers side by side. runner.ts does
// the work.
import {
  type Evaluation,
  type EvaluationBody,
  type Outcome,
  Refusal,
  type EvaluationRow as ResultRow,
} from '@lorekeep/contract';
import type { Selectable } from 'kysely';
import type { Caller } from '../auth/caller.ts';
import type { Datasets } from '../datasets/datasets.ts';
import { isoTime } from '../http/iso-time.ts';
import type { Store } from '../store/database.ts';
import { newestPage, pageOf } from '../store/page.ts';
import type { EvaluationAnswerRow, EvaluationRow } from '../store/schema.ts';
import { figuresOf, noFigures } from './figures.ts';
import { type EvaluationRequest, insertEvaluation, refuseTooMany } from './insert.ts';
import { questionsOf, type Row } from './questions.ts';
import type { Target, Targets } from './targets.ts';

type EvaluationRecord = Selectable<EvaluationRow>;

const rowsAtOnce = 500;

export class Evaluations {
  readonly #store: Store;
  readonly #datasets: Datasets;
  readonly #targets: Targets;
  readonly #onChange: () => void;

  /** `onChange` is called when there may be work to start or to stop. */
  constructor(store: Store, datasets: Datasets, targets: Targets, onChange: () => void) {
    this.#store = store;
    this.#datasets = datasets;
    this.#targets = targets;
    this.#onChange = onChange;
  }

  async start(caller: Caller, body: EvaluationBody): Promise<Evaluation> {
    const targets = await this.#targets.check(body.targets, caller.account.id);
    const questions = await questionsOf(body, this.#datasets, caller);
    const request: EvaluationRequest = { targets, form: body.form, max_tokens: body.max_tokens };
    const evaluation = await this.#insert(caller, request, questions, { name: body.name, dataset: body.dataset_id });
    return (await this.#toEvaluations([evaluation!]))[0]!;
  }

  /** The only evaluation of a job, created if there is none yet. A failed or cancelled one is replaced. */
  async ofJob(
    caller: Caller,
    job: number,
    make: () => Promise<{ models: string[]; questions: Row[] }>,
  ): Promise<number> {
    for (;;) {
      const found = await this.#store.db
        .selectFrom('evaluations')
        .select(['id', 'status'])
        .where('job_id', '=', job)
        .executeTakeFirst();
      if (found && (found.status === 'running' || found.status === 'completed')) return found.id;
      if (found) await this.#store.db.deleteFrom('evaluations').where('id', '=', found.id).execute();
      const { models, questions } = await make();
      const requested = models.map((model_name) => ({ model_name, name: undefined, prompt: undefined }));
      const request: EvaluationRequest = {
        targets: await this.#targets.check(requested, caller.account.id),
        form: 'chat',
      };
      const evaluation = await this.#insert(caller, request, questions, { name: `job ${job}`, job });
      // Undefined if a concurrent call has created it.
      if (evaluation) return evaluation.id;
    }
  }

  async #insert(
    caller: Caller,
    request: EvaluationRequest,
    questions: Row[],
    { name, dataset, job }: { name?: string | undefined; dataset?: string | undefined; job?: number },
  ): Promise<EvaluationRecord | undefined> {
    const row = await this.#store.db.transaction().execute(async (transaction) => {
      await refuseTooMany(transaction, caller.account.id);
      return await insertEvaluation(transaction, {
        ...{ accountId: caller.account.id, keyId: caller.key.id, request, questions, name, dataset, job },
      });
    });
    this.#onChange();
    return row;
  }

  async list(
    caller: Caller,
    limit: number,
    after: number | undefined,
  ): Promise<{ evaluations: Evaluation[]; next: number | null }> {
    const query = this.#store.db.selectFrom('evaluations').selectAll().where('account_id', '=', caller.account.id);
    const { rows, next } = await newestPage(query, limit, after);
    return { evaluations: await this.#toEvaluations(rows), next };
  }

  async show(caller: Caller, id: number): Promise<Evaluation> {
    return (await this.#toEvaluations([await this.#own(caller, id)]))[0]!;
  }

  async results(
    caller: Caller,
    id: number,
    { limit, after = 0, outcome }: { limit: number; after?: number | undefined; outcome?: Outcome | undefined },
  ): Promise<{ targets: string[]; rows: ResultRow[]; next: number | null }> {
    const evaluation = await this.#own(caller, id);
    const names = targetsOf(evaluation).map(({ name }) => name);
    if (outcome) {
      const found = await this.#rowsWithOutcome(id, outcome, after, limit + 1);
      const { rows: numbers, next } = pageOf(found, limit, (row) => row);
      return { targets: names, rows: await this.#rows(evaluation, names.length, numbers), next };
    }
    const last = Math.min(after + limit, evaluation.rows);
    return {
      targets: names,
      rows: await this.#rows(evaluation, names.length, upTo(after, last)),
      next: last < evaluation.rows ? last : null,
    };
  }

  /** The first rows after `after` that a target answered with this outcome. */
  async #rowsWithOutcome(id: number, outcome: Outcome, after: number, limit: number): Promise<number[]> {
    const found = await this.#store.db
      .selectFrom('evaluation_answers')
      .select('row')
      .distinct()
      .where('evaluation_id', '=', id)
      .where('outcome', '=', outcome)
      .where('row', '>', after)
      .orderBy('row')
      .limit(limit)
      .execute();
    return found.map(({ row }) => Number(row));
  }

  /** All rows, in pages. A missing evaluation is refused before the first page. */
  async all(caller: Caller, id: number): Promise<{ targets: string[]; pages: AsyncIterable<ResultRow[]> }> {
    const evaluation = await this.#own(caller, id);
    const targets = targetsOf(evaluation).map(({ name }) => name);
    const page = async (after: number) =>
      await this.#rows(evaluation, targets.length, upTo(after, Math.min(after + rowsAtOnce, evaluation.rows)));
    return {
      targets,
      pages: (async function* () {
        for (let after = 0; after < evaluation.rows; after += rowsAtOnce) yield await page(after);
      })(),
    };
  }

  async cancel(caller: Caller, id: number): Promise<Evaluation> {
    const { status } = await this.#own(caller, id);
    const cancelled = await this.#store.db
      .updateTable('evaluations')
      .set({ status: 'cancelled', finished_at: Date.now(), owner: null })
      .where('id', '=', id)
      .where('status', '=', 'running')
      .returning('id')
      .executeTakeFirst();
    if (!cancelled) {
      const now = status === 'running' ? (await this.#own(caller, id)).status : status;
      throw new Refusal('evaluation_over', { id, status: now });
    }
    this.#onChange();
    return await this.show(caller, id);
  }

  async delete(caller: Caller, id: number): Promise<void> {
    await this.#own(caller, id);
    await this.#store.db.deleteFrom('evaluations').where('id', '=', id).execute();
    this.#onChange();
  }

  async #own(caller: Caller, id: number): Promise<EvaluationRecord> {
    const row = await this.#store.db
      .selectFrom('evaluations')
      .selectAll()
      .where('id', '=', id)
      .where('account_id', '=', caller.account.id)
      .executeTakeFirst();
    if (!row) throw new Refusal('evaluation_not_found', { id });
    return row;
  }

  async #rows(evaluation: EvaluationRecord, targets: number, numbers: number[]): Promise<ResultRow[]> {
    if (numbers.length === 0) return [];
    const within = <Table extends 'evaluation_questions' | 'evaluation_answers'>(table: Table) =>
      this.#store.db
        .selectFrom(table as 'evaluation_questions')
        .where('evaluation_id', '=', evaluation.id)
        .where('row', 'in', numbers);
    const questions = await within('evaluation_questions').selectAll().orderBy('row').execute();
    const answers = (await within('evaluation_answers').selectAll().execute()) as unknown as Answer[];
    const found = new Map(answers.map((answer) => [`${answer.row} ${answer.target}`, answer]));
    return questions.map(({ row, input, output }) => ({
      row,
      input: JSON.parse(input),
      output: JSON.parse(output),
      answers: Array.from({ length: targets }, (_, target) => shownAnswer(found.get(`${row} ${target}`))),
    }));
  }

  async #toEvaluations(rows: EvaluationRecord[]): Promise<Evaluation[]> {
    const figures = await figuresOf(
      this.#store,
      rows.map(({ id }) => id),
    );
    return rows.map((row) => {
      const targets = targetsOf(row).map((target, place) => ({
        ...target,
        ...(figures.get(`${row.id} ${place}`) ?? noFigures),
      }));
      return {
        evaluation_id: row.id,
        name: row.name,
        status: row.status,
        dataset_id: row.dataset,
        rows: row.rows,
        answered: targets.reduce((sum, { answered }) => sum + answered, 0),
        targets,
        error: row.error,
        created_at: isoTime(row.created_at)!,
        finished_at: isoTime(row.finished_at),
      };
    });
  }
}

/** The numbers of the rows after `after`. */
const upTo = (after: number, last: number) =>
  Array.from({ length: Math.max(0, last - after) }, (_, index) => after + index + 1);

type Answer = Selectable<EvaluationAnswerRow>;
const targetsOf = ({ request }: EvaluationRecord): Target[] => (JSON.parse(request) as EvaluationRequest).targets;

function shownAnswer(answer: Answer | undefined): ResultRow['answers'][number] {
  if (!answer) return null;
  return {
    output: JSON.parse(answer.output),
    exact: answer.exact === 1,
    normalised: answer.normalised === 1,
    finish_reason: answer.finish_reason,
    outcome: answer.outcome,
    error: answer.error,
    latency_ms: answer.milliseconds,
    prompt_tokens: answer.prompt_tokens,
    completion_tokens: answer.completion_tokens,
  };
}
