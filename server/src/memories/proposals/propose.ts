// Stores proposals of a memory, deduplicated against its facts and against earlier proposals.
import { setImmediate } from 'node:timers/promises';
import {
  type AnswerOf,
  type BodyOf,
  type createProposals,
  type Mistake,
  maxOpenProposals,
  Refusal,
} from '@lorekeep/contract';
import { questionKey } from '../../files/question-key.ts';
import { isQuoted } from '../../files/quoted.ts';
import { storable } from '../fact-details.ts';
import type { FactRow } from '../facts.ts';
import { type Change, type OwnMemory, openChanges } from '../memory-store.ts';
import { publishedFacts, queryInBatches } from './rows.ts';
import { looseAnswer, publishedFactsAsked } from './same-question.ts';

export type Proposed = BodyOf<typeof createProposals>['proposals'][number] & {
  /** Other questions under which the memory may know the fact. */
  asked?: string[] | undefined;
};
export type Outcome = AnswerOf<typeof createProposals>['proposals'][number];

interface Stored {
  number: number;
  question: string;
  output: string | null;
  withdraws: string | null;
  state: string;
  change: number | null;
}

const rowsAtOnce = 200;
const maxListedMistakes = 50;
/** Kinds that may propose a rejected fact again: people, votes and changed documents. */
const kindsIgnoringRejection = new Set<Proposed['kind']>(['person', 'feedback', 'stale']);

/** The caller holds the lock of the memory. */
export async function propose(
  change: Change,
  memory: OwnMemory,
  offered: Proposed[],
  actor: string,
): Promise<Outcome[]> {
  refuseUnquoted(offered);
  const questions = offered.map(({ input }) => questionKey(input));
  const stand = await publishedFactsAsked(
    change,
    memory,
    offered.map(({ input, asked }) => [input, ...(asked ?? [])]),
  );
  const replaced = await publishedFacts(
    change,
    memory,
    offered.flatMap(({ withdraws }) => (withdraws === undefined ? [] : [questionKey(withdraws)])),
  );
  const known = offered.map((one, at) => isKnown(one, questions[at]!, stand[at], replaced));
  const proposed = offered.map((one, at) => ({ ...one, withdraws: withdrawnBy(one, questions[at]!, stand[at]) }));
  const before = await proposedBefore(change, memory, [...new Set(questions)]);
  const fresh: ReturnType<typeof rowOf>[] = [];
  const outcomes = proposed.map((one, at): Outcome => {
    const question = questions[at]!;
    if (known[at]) return { outcome: 'known', number: null };
    const same = before.get(question)?.filter((other) => isSame(one, other)) ?? [];
    const open = same.find(({ state }) => state !== 'rejected');
    if (open) return { outcome: 'open', number: open.number };
    const [rejected] = kindsIgnoringRejection.has(one.kind) ? [] : same;
    if (rejected) return { outcome: 'rejected', number: rejected.number };
    const number = memory.proposals + fresh.length + 1;
    const row = rowOf(memory, number, question, one, stand[at], actor);
    fresh.push(row);
    before.set(question, [...(before.get(question) ?? []), { ...row, withdraws: one.withdraws ?? null, change: null }]);
    return { outcome: 'created', number };
  });
  await refuseFull(change, memory, fresh.length);
  for (let at = 0; at < fresh.length; at += rowsAtOnce) {
    await change
      .insertInto('memory_proposals')
      .values(fresh.slice(at, at + rowsAtOnce))
      .execute();
    await setImmediate();
  }
  if (fresh.length > 0)
    await change
      .updateTable('memories')
      .set({ proposals: memory.proposals + fresh.length })
      .where('id', '=', memory.id)
      .execute();
  return outcomes;
}

/** Whether the proposal changes nothing: the memory has the fact, or lacks the one to be withdrawn. */
function isKnown(
  { kind, output, withdraws }: Proposed,
  question: string,
  fact: FactRow | undefined,
  replaced: Map<string, FactRow>,
): boolean {
  if (withdraws !== undefined && replaced.has(questionKey(withdraws))) return false;
  // A withdrawal applies only to the exact question, not to a variant in other case or punctuation.
  if (output === undefined) return fact?.question !== question;
  // An answer of a document that differs only in white space or a final full stop is not new.
  if (kind === 'document' && fact && looseAnswer(fact.output) === looseAnswer(storable(output))) return true;
  return sameAnswer(fact?.output, output);
}

/** The fact that a proposal replaces: the named one, or the fact with a variant of its question. */
function withdrawnBy({ output, withdraws }: Proposed, question: string, fact: FactRow | undefined): string | undefined {
  if (withdraws !== undefined || output === undefined || !fact || fact.question === question) return withdraws;
  return fact.input;
}

const sameAnswer = (one: string | null | undefined, other: string | null | undefined) =>
  (one ?? null) === null || (other ?? null) === null
    ? (one ?? null) === (other ?? null)
    : storable(one!).trim() === storable(other!).trim();

const isSame = ({ output, withdraws }: Proposed, other: Stored): boolean =>
  sameAnswer(output, other.output) && sameAnswer(withdraws, other.withdraws);

/** Proposals by question that are open, rejected, or part of an open change. */
async function proposedBefore(change: Change, memory: OwnMemory, questions: string[]): Promise<Map<string, Stored[]>> {
  const running = new Set((await openChanges(change, memory.id)).map(({ number }) => number));
  const rows = await queryInBatches(questions, async (some) =>
    change
      .selectFrom('memory_proposals')
      .select(['number', 'question', 'output', 'withdraws', 'state', 'change'])
      .where('memory_id', '=', memory.id)
      .where('state', 'in', ['open', 'rejected', 'accepted', 'edited'])
      .where('question', 'in', some)
      .execute(),
  );
  const found = new Map<string, Stored[]>();
  for (const row of rows)
    if (row.change === null || running.has(row.change))
      found.set(row.question, [...(found.get(row.question) ?? []), row]);
  return found;
}

function rowOf(
  memory: OwnMemory,
  number: number,
  question: string,
  { kind, input, output, subject, withdraws, quote, source, confidence, assignee }: Proposed,
  fact: FactRow | undefined,
  actor: string,
) {
  const text = (value: string | undefined) => (value === undefined ? null : storable(value));
  const contradicts = kind === 'document' && (fact !== undefined || withdraws !== undefined);
  return {
    ...{ memory_id: memory.id, number, question, state: 'open' as const, actor },
    kind: contradicts ? ('conflict' as const) : kind,
    ...{ input: storable(input), output: text(output), subject: text(subject), withdraws: text(withdraws) },
    search: [input, output ?? '', quote ?? ''].map(storable).join('\n').toLowerCase(),
    ...{ quote: text(quote), document: text(source?.document), conversation: text(source?.conversation) },
    ...{ index_id: source?.index_id ?? null, file_id: source?.file_id ?? null, page: source?.page ?? null },
    ...{ confidence: confidence ?? null, assignee: text(assignee), created_at: Date.now() },
  };
}

function refuseUnquoted(proposed: Proposed[]): void {
  const mistakes = proposed.flatMap(({ output, quote }, at): Mistake[] =>
    output === undefined || quote === undefined || isQuoted(output, quote)
      ? []
      : [{ loc: ['body', 'proposals', at, 'quote'], msg: 'the quote does not contain the answer', type: 'proposal' }],
  );
  if (mistakes.length > 0) throw invalid(mistakes);
}

export const invalid = (mistakes: Mistake[]) =>
  new Refusal(
    'proposals_invalid',
    { count: mistakes.length, summary: mistakes[0]!.msg },
    { mistakes: mistakes.slice(0, maxListedMistakes) },
  );

async function refuseFull(change: Change, memory: OwnMemory, more: number): Promise<void> {
  if (more === 0) return;
  const { count } = await change
    .selectFrom('memory_proposals')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('memory_id', '=', memory.id)
    .where('state', '=', 'open')
    .executeTakeFirstOrThrow();
  if (Number(count) + more > maxOpenProposals)
    throw new Refusal('proposals_full', { name: memory.name, count: Number(count), limit: maxOpenProposals });
}
