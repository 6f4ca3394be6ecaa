// Writes an evaluation with its questions, in the caller's transaction.
import { type EvaluationBody, Refusal } from '@lorekeep/contract';
import type { Selectable, Transaction } from 'kysely';
import type { EvaluationRow, Tables } from '../store/schema.ts';
import type { Row } from './questions.ts';
import type { Target } from './targets.ts';

const rowsAtOnce = 500;
/** Maximum number of unfinished evaluations of one account. */
const maxRunning = 100;

/** The stored part of the request. */
export interface EvaluationRequest {
  targets: Target[];
  form: EvaluationBody['form'];
  max_tokens?: number | undefined;
}

export interface NewEvaluation {
  accountId: number;
  keyId: number;
  request: EvaluationRequest;
  questions: Row[];
  name?: string | undefined;
  dataset?: string | undefined;
  job?: number | undefined;
}

export async function refuseTooMany(change: Transaction<Tables>, accountId: number): Promise<void> {
  const { count } = await change
    .selectFrom('evaluations')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('account_id', '=', accountId)
    .where('status', '=', 'running')
    .executeTakeFirstOrThrow();
  if (Number(count) >= maxRunning) throw new Refusal('too_many_evaluations', { limit: maxRunning });
}

/** Undefined if this job already has an evaluation. */
export async function insertEvaluation(
  change: Transaction<Tables>,
  { accountId, keyId, request, questions, name, dataset, job }: NewEvaluation,
): Promise<Selectable<EvaluationRow> | undefined> {
  const evaluation = await change
    .insertInto('evaluations')
    .values({
      account_id: accountId,
      key_id: keyId,
      name: name ?? null,
      dataset: dataset ?? null,
      job_id: job ?? null,
      request: JSON.stringify(request),
      rows: questions.length,
      status: 'running',
      created_at: Date.now(),
    })
    .onConflict((conflict) => conflict.column('job_id').doNothing())
    .returningAll()
    .executeTakeFirst();
  if (!evaluation) return undefined;
  for (let at = 0; at < questions.length; at += rowsAtOnce)
    await change
      .insertInto('evaluation_questions')
      .values(
        questions.slice(at, at + rowsAtOnce).map(({ input, output }, place) => ({
          evaluation_id: evaluation.id,
          row: at + place + 1,
          // As JSON, since not every database stores every character.
          input: JSON.stringify(input),
          output: JSON.stringify(output),
        })),
      )
      .execute();
  return evaluation;
}
