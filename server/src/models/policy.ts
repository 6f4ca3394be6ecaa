// Answer policy of a tuned model, used if a request names none. It is set for each model, and stored as JSON of the fields that were set.
import { type AnswerFrom, defaultAnswerFrom, defaultUnknown, type Unknown } from '@lorekeep/contract';

export interface Policy {
  answer_from?: AnswerFrom | undefined;
  unknown?: Unknown | undefined;
  /** Never empty. */
  unknown_answer?: string | undefined;
  /** The index for questions that no fact answers; null removes it. */
  index_id?: number | null | undefined;
}

export const policyOf = ({ policy }: { policy: string | null }): Policy =>
  policy === null ? {} : (JSON.parse(policy) as Policy);

/** The policy for callers, with defaults for unset fields. */
export function shownPolicy(row: { policy: string | null }) {
  const { answer_from, unknown, unknown_answer, index_id } = policyOf(row);
  return {
    answer_from: answer_from ?? defaultAnswerFrom,
    unknown: unknown ?? defaultUnknown,
    unknown_answer: unknown_answer ?? null,
    index_id: index_id ?? null,
  };
}

/** The policy with changed fields. An empty sentence removes the set one. */
export function changedPolicy(
  row: { policy: string | null },
  { answer_from, unknown, unknown_answer, index_id }: Policy,
): string {
  const now = policyOf(row);
  return JSON.stringify({
    answer_from: answer_from ?? now.answer_from,
    unknown: unknown ?? now.unknown,
    unknown_answer: (unknown_answer ?? now.unknown_answer) || undefined,
    index_id: (index_id === undefined ? now.index_id : index_id) ?? undefined,
  } satisfies Policy);
}
