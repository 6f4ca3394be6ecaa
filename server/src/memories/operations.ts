// Operations of a change on facts: read from a request, held against the facts of a version, and applied to them.
import { type BodyOf, type changeMemory, type Mistake, Refusal } from '@lorekeep/contract';
import type { ModelFact } from '../models/tuned-facts.ts';
import { questionKey } from '../tuning/submit/facts-file.ts';

export interface Operation {
  kind: 'add' | 'change' | 'withdraw';
  input: string;
  /** Empty where the fact goes. */
  output: string;
  subject?: string | undefined;
  /** The place in the request. */
  at: number;
}

/** By question. */
export type Operations = Map<string, Operation>;
type Body = Pick<BodyOf<typeof changeMemory>, 'add' | 'change' | 'withdraw'>;

const maxTold = 50;

/** Each question once; `there` tells which of them the memory has. */
export async function operationsOf(
  { add = [], change = [], withdraw = [] }: Body,
  limit: number,
  there: (questions: string[]) => Promise<Set<string>>,
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
  }
  if (mistakes.length > 0) throw invalid(mistakes);
  return operations;
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
    { mistakes: mistakes.slice(0, maxTold) },
  );

/** The name of a change as the source of a fact. */
export const sourceOf = (memory: string, change: number): string => `memory/${memory}/${change}`;

/** The change of this memory that a source names. */
export function changeOf(memory: string, source: string | null): number | null {
  const [, name, number] = /^memory\/(.+)\/([1-9][0-9]*)$/.exec(source ?? '') ?? [];
  return name === memory ? Number(number) : null;
}

/** The facts of the next version. */
export async function* applied(
  facts: AsyncIterable<ModelFact>,
  operations: Operations,
  source: string,
): AsyncGenerator<Omit<ModelFact, 'recalled'>> {
  let row = 0;
  for await (const { recalled: _, ...fact } of facts) {
    const operation = operations.get(questionKey(fact.input));
    if (!operation) yield fact;
    else if (operation.kind === 'change') yield { ...fact, output: operation.output, row: ++row, dataset_id: source };
  }
  for (const { kind, input, output, subject } of operations.values())
    if (kind === 'add') yield { input, output, row: ++row, dataset_id: source, topic: subject ?? null };
}
