// Operations of a change on facts: parsed from a request, validated against the facts of a version, and applied to them.
import {
  type BodyOf,
  type changeMemory,
  type FactSource,
  type Mistake,
  Refusal,
  type Times,
  timesFault,
} from '@lorekeep/contract';
import { questionKey } from '../files/question-key.ts';
import type { ModelFact } from '../models/tuned-facts.ts';
import { detailColumns, type Known } from './fact-details.ts';

export interface Operation {
  kind: 'add' | 'change' | 'withdraw';
  input: string;
  /** Empty if the fact is withdrawn. */
  output: string;
  subject?: string | undefined;
  /** In a change, `none` removes a bound and an omitted bound stays. */
  valid_from?: string | undefined;
  valid_until?: string | undefined;
  source?: FactSource | undefined;
  /** Index in the request. */
  at: number;
}

/** Operations by question. */
export type Operations = Map<string, Operation>;
type Body = Pick<BodyOf<typeof changeMemory>, 'add' | 'change' | 'withdraw'>;

const maxListedMistakes = 50;

/** Validates the operations: at most one per question. `there` returns the questions that the memory has. */
export async function operationsOf(
  { add = [], change = [], withdraw = [] }: Body,
  limit: number,
  there: (questions: string[]) => Promise<Map<string, Known>>,
): Promise<Operations> {
  const all: Operation[] = [
    ...add.map((fact, at) => ({ kind: 'add' as const, ...fact, at })),
    ...change.map((fact, at) => ({ kind: 'change' as const, ...fact, at })),
    ...withdraw.map((input, at) => ({ kind: 'withdraw' as const, input, output: '', at })),
  ];
  if (all.length === 0 || all.length > limit)
    throw invalid([mistake(undefined, all.length === 0 ? 'no fact is named' : `there are more than ${limit}`)]);
  const mistakes: Mistake[] = [];
  const operations: Operations = new Map();
  for (const one of all) {
    const question = questionKey(one.input);
    if (operations.has(question))
      mistakes.push(mistake(one, `the question ${cut(one.input)} stands in the change twice`));
    else operations.set(question, one);
  }
  const known = await there([...operations.keys()]);
  for (const [question, one] of operations) {
    if (one.kind === 'add' && known.has(question))
      mistakes.push(mistake(one, `there is a fact with the question ${cut(one.input)}: change it instead`));
    if (one.kind !== 'add' && !known.has(question))
      mistakes.push(mistake(one, `there is no fact with the question ${cut(one.input)}`));
    const fault = one.kind === 'withdraw' ? undefined : timesFault(timesOf(known.get(question), one));
    if (one.kind === 'change' && !fault && changesNothing(one, known.get(question)))
      mistakes.push(mistake(one, `the fact ${cut(one.input)} has this answer and these times already`));
    if (fault) mistakes.push(mistake(one, `the fact ${cut(one.input)} can never be valid: ${fault}`));
  }
  if (mistakes.length > 0) throw invalid(mistakes);
  return operations;
}

/** The validity of a fact after an operation. */
function timesOf(before: Times | undefined, { valid_from, valid_until }: Operation): Times {
  const bound = (asked: string | undefined, old: string | null | undefined) =>
    asked === 'none' ? undefined : (asked ?? old ?? undefined);
  return {
    valid_from: bound(valid_from, before?.valid_from),
    valid_until: bound(valid_until, before?.valid_until),
  };
}

/** Whether the operation leaves a recalled fact unchanged. A fact that is not recalled is taught again. */
function changesNothing(one: Operation, known: Known | undefined): boolean {
  if (!known || known.recalled === 0 || one.output.trim() !== known.output.trim()) return false;
  const times = timesOf(known, one);
  const { source } = detailColumns(one);
  return (
    (times.valid_from ?? null) === known.valid_from &&
    (times.valid_until ?? null) === known.valid_until &&
    (source === null || source === known.source)
  );
}

const cut = (text: string) => JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);

const mistake = (one: Pick<Operation, 'kind' | 'at'> | undefined, msg: string): Mistake => ({
  loc: ['body', ...(one ? [one.kind, one.at] : [])],
  msg,
  type: 'change',
});

const invalid = (mistakes: Mistake[]) =>
  new Refusal(
    'change_invalid',
    { count: mistakes.length, summary: mistakes[0]!.msg },
    { mistakes: mistakes.slice(0, maxListedMistakes) },
  );

/** The refusal of facts that are too long. */
export const longFactsRefusal = (facts: (Pick<Operation, 'kind' | 'at' | 'input'> & { reason: string })[]): Refusal =>
  invalid(facts.map((one) => mistake(one, longFactText(one.input, one.reason))));

export const longFactText = (input: string, reason: string): string =>
  `the fact ${cut(input)} is too long: it ${reason}`;

/** Name of a change, used as the source of its facts. */
export const sourceOf = (memory: string, change: number): string => `memory/${memory}/${change}`;

/** Number of the change of this memory that a source names. */
export function changeOf(memory: string, source: string | null): number | null {
  const [, name, number] = /^memory\/(.+)\/([1-9][0-9]*)$/.exec(source ?? '') ?? [];
  return name === memory ? Number(number) : null;
}

/** The facts of the next version. */
export async function* applyOperations(
  facts: AsyncIterable<ModelFact>,
  operations: Operations,
  source: string,
): AsyncGenerator<Omit<ModelFact, 'recalled'>> {
  let row = 0;
  for await (const { recalled: _, ...fact } of facts) {
    const operation = operations.get(questionKey(fact.input));
    if (!operation) yield fact;
    else if (operation.kind === 'change') {
      const { valid_from, valid_until, ...old } = fact;
      const { output } = operation;
      const said = operation.source ?? (output.trim() === old.output.trim() ? old.source : undefined);
      const times = timesOf({ valid_from, valid_until }, operation) as Pick<ModelFact, 'valid_from' | 'valid_until'>;
      yield { ...old, output, row: ++row, dataset_id: source, ...times, source: said };
    }
  }
  for (const { kind, input, output, subject, ...details } of operations.values()) {
    const { valid_from, valid_until, source: said } = details;
    if (kind === 'add')
      yield {
        ...{ input, output, row: ++row, dataset_id: source, topic: subject ?? null },
        ...{ valid_from, valid_until, source: said },
      };
  }
}
