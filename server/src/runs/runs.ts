// Runs as callers see them: prompts and texts that are answered asynchronously. runner.ts does the work.
import { randomBytes } from 'node:crypto';
import { type FinishReason, type Memory, type Output, Refusal, type Run } from '@lorekeep/contract';
import type { Selectable } from 'kysely';
import type { Caller } from '../auth/caller.ts';
import { isoTime } from '../http/iso-time.ts';
import type { GenerationOptions } from '../inference/generation-request.ts';
import type { Store } from '../store/database.ts';
import { newestPage } from '../store/page.ts';
import type { RunRow } from '../store/tables/run.ts';

export type RunKind = RunRow['kind'];
/** The stored part of the call until the run is complete. */
export type RunRequest = GenerationOptions & { prompts: string[] };

/** Maximum number of unfinished runs of one account. */
const maxRunning = 1000;

/** The result before there is any answer. */
type Nothing = Record<string, never>;

interface Results {
  outputs: (Output | null)[];
  finish_reason: (FinishReason | null)[];
  memory?: (Memory | null)[];
  errors?: (string | null)[];
}

interface Answer {
  output: Output;
  finish: FinishReason | null;
  /** Undefined if it was not requested. */
  memory: Memory | null | undefined;
  error: string | null;
}

export class Runs {
  readonly #store: Store;
  readonly #keptMs: number | null;
  readonly #onNew: () => void;

  /** `onNew` is called when a run is safely stored. */
  constructor(store: Store, daysKept: number | null, onNew: () => void) {
    this.#store = store;
    this.#keptMs = daysKept === null ? null : daysKept * 86_400_000;
    this.#onNew = onNew;
  }

  async start(caller: Caller, kind: RunKind, model: string, request: RunRequest): Promise<{ id: string }> {
    const { count } = await this.#store.db
      .selectFrom('runs')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('account_id', '=', caller.account.id)
      .where('status', '=', 'running')
      .executeTakeFirstOrThrow();
    if (Number(count) >= maxRunning) throw new Refusal('too_many_runs', { limit: maxRunning });
    const name = randomBytes(16).toString('hex');
    await this.#store.db
      .insertInto('runs')
      .values({
        name,
        account_id: caller.account.id,
        key_id: caller.key.id,
        kind,
        model,
        request: JSON.stringify(request),
        prompts: request.prompts.length,
        status: 'running',
        created_at: Date.now(),
      })
      .execute();
    this.#onNew();
    return { id: name };
  }

  async list(caller: Caller, limit: number, after: number | undefined): Promise<{ runs: Run[]; next: number | null }> {
    const query = this.#store.db.selectFrom('runs').selectAll().where('account_id', '=', caller.account.id);
    const { rows, next } = await newestPage(query, limit, after);
    const answered = await this.#answered(rows.map(({ id }) => id));
    return { runs: rows.map((row) => this.#toRun(row, answered.get(row.id) ?? 0)), next };
  }

  async show(caller: Caller, name: string): Promise<Run> {
    const row = await this.#own(caller, name);
    return this.#toRun(row, (await this.#answered([row.id])).get(row.id) ?? 0);
  }

  /** The server that works on it notices within a second. */
  async delete(caller: Caller, name: string): Promise<void> {
    const { id } = await this.#own(caller, name);
    await this.#store.db.deleteFrom('runs').where('id', '=', id).execute();
  }

  /** Finished answers in the order of the prompts, up to the first unfinished one. */
  async batchResults(caller: Caller, name: string): Promise<Results | Nothing> {
    const row = await this.#own(caller, name, 'batch');
    const answers = await this.#answers(row);
    const ready = answers.findIndex((answer) => !answer || answer.finish === null);
    const readyAnswers = ready < 0 ? answers : answers.map((answer, place) => (place < ready ? answer : undefined));
    return resultsOf(readyAnswers, null);
  }

  /** All text so far. */
  async streamResults(caller: Caller, name: string): Promise<Results | Nothing> {
    return resultsOf(await this.#answers(await this.#own(caller, name, 'stream')), '');
  }

  /** All vectors, each as base64 of its numbers; undefined until they are complete. */
  async embeddingResults(caller: Caller, name: string): Promise<string[] | undefined> {
    const row = await this.#own(caller, name, 'embeddings');
    if (row.status === 'failed')
      throw new Refusal('run_failed', { id: name, reason: row.error ?? 'no reason is known' });
    if (row.status === 'running') return undefined;
    return (await this.#answers(row)).map((answer) => answer!.output as string);
  }

  async #own(caller: Caller, name: string, kind?: RunKind): Promise<Selectable<RunRow>> {
    let query = this.#store.db
      .selectFrom('runs')
      .selectAll()
      .where('name', '=', name)
      .where('account_id', '=', caller.account.id);
    if (kind) query = query.where('kind', '=', kind);
    const row = await query.executeTakeFirst();
    if (!row) throw new Refusal('run_not_found', { id: name });
    return row;
  }

  async #answers({ id, prompts }: Selectable<RunRow>): Promise<(Answer | undefined)[]> {
    const rows = await this.#store.db.selectFrom('answers').selectAll().where('run_id', '=', id).execute();
    const answers = new Array<Answer | undefined>(prompts).fill(undefined);
    for (const { place, output, finish_reason, memory, error } of rows)
      answers[place] = {
        output: JSON.parse(output),
        finish: finish_reason as FinishReason | null,
        memory: memory === null ? undefined : JSON.parse(memory),
        error,
      };
    return answers;
  }

  async #answered(ids: number[]): Promise<Map<number, number>> {
    if (ids.length === 0) return new Map();
    const rows = await this.#store.db
      .selectFrom('answers')
      .select(['run_id', (eb) => eb.fn.countAll<number>().as('count')])
      .where('run_id', 'in', ids)
      .where('finish_reason', 'is not', null)
      .groupBy('run_id')
      .execute();
    return new Map(rows.map(({ run_id, count }) => [run_id, Number(count)]));
  }

  #toRun(row: Selectable<RunRow>, answered: number): Run {
    const until = row.finished_at !== null && this.#keptMs !== null ? row.finished_at + this.#keptMs : null;
    return {
      id: row.name,
      kind: row.kind,
      model_name: row.model,
      status: row.status,
      prompts: row.prompts,
      answered,
      error: row.error,
      created_at: isoTime(row.created_at)!,
      finished_at: isoTime(row.finished_at),
      kept_until: isoTime(until),
    };
  }
}

function resultsOf(answers: (Answer | undefined)[], missing: '' | null): Results | Nothing {
  if (answers.every((answer) => answer === undefined)) return {};
  return {
    outputs: answers.map((answer) => answer?.output ?? missing),
    finish_reason: answers.map((answer) => answer?.finish ?? null),
    ...(answers.some((answer) => answer?.memory !== undefined) && {
      memory: answers.map((answer) => answer?.memory ?? null),
    }),
    ...(answers.some((answer) => answer?.error) && { errors: answers.map((answer) => answer?.error ?? null) }),
  };
}
