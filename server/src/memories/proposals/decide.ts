// Decisions about proposals. Accepted proposals become one change of the memory, in the transaction of the decision.
import { type acceptProposals, type BodyOf, type FactSource, type Mistake, Refusal } from '@lorekeep/contract';
import { questionKey } from '../../files/question-key.ts';
import { storable } from '../fact-details.ts';
import type { FactRow } from '../facts.ts';
import type { OrderedFacts } from '../memories.ts';
import type { Change, OwnChange, OwnMemory } from '../memory-store.ts';
import { invalid } from './propose.ts';
import { type OwnProposal, proposalsNumbered, publishedFacts, queryInBatches } from './rows.ts';

type Asked = BodyOf<typeof acceptProposals>['proposals'];

/** A proposal with the question and answer in which it is accepted. */
interface Accepted {
  row: OwnProposal;
  input: string;
  output: string | null;
  question: string;
  edited: boolean;
  /** Keys of the questions of other facts that it replaces: as proposed, and as the reviewer requests. */
  proposedFor: string | undefined;
  replaces: string | undefined;
}

export type Facts = { [Kind in 'add' | 'change' | 'withdraw']: NonNullable<OrderedFacts[Kind]> };

const maxQuoteLength = 4000;

/** The proposals of these numbers. Throws if one is decided already. The caller holds the lock of the memory. */
export async function requireOpenProposals(
  change: Change,
  memory: OwnMemory,
  numbers: number[],
): Promise<OwnProposal[]> {
  const rows = await proposalsNumbered(change, memory, [...new Set(numbers)]);
  const decided = rows.find(({ state }) => state !== 'open');
  if (decided) {
    const { number, state, decided_by, change: into } = decided;
    const who = `${decided_by ?? 'the server'}${into === null ? '' : ` (change ${into})`}`;
    throw new Refusal('proposal_decided', { number, state, who });
  }
  return rows;
}

export async function acceptedOf(change: Change, memory: OwnMemory, asked: Asked): Promise<Accepted[]> {
  const twice = asked.findIndex(({ number }, at) => asked.findIndex((other) => other.number === number) < at);
  if (twice >= 0) throw invalid([mistake(twice, `the proposal ${asked[twice]!.number} is named twice`)]);
  const rows = await requireOpenProposals(
    change,
    memory,
    asked.map(({ number }) => number),
  );
  const keyOf = (text: string | null | undefined) => (text == null ? undefined : questionKey(text));
  return asked.map(({ input, output, replaces }, at) => {
    const row = rows[at]!;
    const now = { input: input ?? row.input, output: output ?? row.output };
    const edited = storable(now.input) !== row.input || (now.output !== null && storable(now.output) !== row.output);
    const others = { proposedFor: keyOf(row.withdraws), replaces: keyOf(replaces) };
    return { row, ...now, question: questionKey(now.input), edited, ...others };
  });
}

/** Operations on the current facts. A proposal without effect, or in conflict with another one, is refused by its index. */
export async function factsOf(change: Change, memory: OwnMemory, accepted: Accepted[], asked: Asked): Promise<Facts> {
  const stand = await publishedFacts(
    change,
    memory,
    accepted.flatMap(({ question, proposedFor, replaces }) => [question, proposedFor ?? [], replaces ?? []].flat()),
  );
  const gone = await goneDocuments(change, accepted);
  const facts: Facts = { add: [], change: [], withdraw: [] };
  const taken = new Map<string, Accepted>();
  const mistakes: Mistake[] = [];
  for (const [at, one] of accepted.entries()) {
    const fault = faultOf(one, stand.get(one.question), taken.get(one.question)?.row.number, gone);
    if (fault !== undefined) mistakes.push(mistake(at, fault));
    taken.set(one.question, one);
    add(facts, one, stand.has(one.question));
  }
  for (const [at, one] of accepted.entries()) {
    const { replaces } = one;
    if (replaces === undefined) continue;
    const fault = replacesFault(one, asked[at]!.replaces!, stand.get(replaces), taken.get(replaces));
    if (fault !== undefined) mistakes.push(mistake(at, fault, 'replaces'));
  }
  for (const one of accepted)
    for (const question of [one.proposedFor, one.replaces]) {
      const fact = question === undefined ? undefined : stand.get(question);
      if (!fact || taken.has(question!)) continue;
      taken.set(question!, one);
      facts.withdraw.push(fact.input);
    }
  if (mistakes.length > 0) throw invalid(mistakes);
  return facts;
}

/** `by` is the accepted proposal about the fact that `one` is to replace. */
function replacesFault(
  one: Accepted,
  words: string,
  fact: FactRow | undefined,
  by: Accepted | undefined,
): string | undefined {
  const { number } = one.row;
  if (one.output === null) return `the proposal ${number} withdraws a fact, and takes the place of none`;
  if (!fact) return `there is no fact with the question ${JSON.stringify(words.slice(0, 200))}`;
  return by && by !== one && by.output !== null
    ? `the proposal ${number} replaces the fact that the proposal ${by.row.number} changes: accept one of them`
    : undefined;
}

function faultOf(
  { row, output }: Accepted,
  fact: FactRow | undefined,
  taken: number | undefined,
  gone: Set<number>,
): string | undefined {
  const proposal = `the proposal ${row.number}`;
  if (taken !== undefined)
    return `${proposal} and the proposal ${taken} are about the same question: accept one of them`;
  if (row.kind !== 'stale' && row.file_id !== null && gone.has(row.file_id))
    return `the document of ${proposal}, ${JSON.stringify(row.document ?? '')}, is gone: reject it`;
  if (output === null) return fact ? undefined : `${proposal} withdraws a fact that is gone already: reject it`;
  if (fact && fact.output.trim() === storable(output).trim() && row.withdraws === null)
    return `the memory has the fact of ${proposal} already: reject it`;
  return undefined;
}

function add(facts: Facts, { row, input, output }: Accepted, there: boolean): void {
  const said = { input, output: output ?? '', source: sourceOf(row), valid_from: undefined, valid_until: undefined };
  if (output === null) facts.withdraw.push(input);
  else if (there) facts.change.push(said);
  else facts.add.push({ ...said, subject: row.subject ?? undefined });
}

/** The source of the fact that a proposal becomes. */
function sourceOf({ kind, document, page, quote, conversation }: OwnProposal): FactSource | undefined {
  const words = quote?.slice(0, maxQuoteLength).toWellFormed().trim() || undefined;
  const name = document?.trim().slice(0, 300).trim();
  if (name) return { kind: 'document', name, page: page === null || page < 1 ? undefined : page, quote: words };
  if (kind === 'feedback')
    return { kind: 'feedback', name: conversation?.trim().slice(0, 300).trim() || undefined, quote: words };
  return undefined;
}

async function goneDocuments(change: Change, accepted: Accepted[]): Promise<Set<number>> {
  const files = [...new Set(accepted.flatMap(({ row }) => row.file_id ?? []))];
  const there = await queryInBatches(files, async (some) =>
    change
      .selectFrom('index_files')
      .innerJoin('indexes', 'indexes.id', 'index_files.index_id')
      .select('index_files.id')
      .where('index_files.id', 'in', some)
      .where('index_files.state', '<>', 'deleting')
      .where('indexes.deleted_at', 'is', null)
      .execute(),
  );
  const ids = new Set(there.map(({ id }) => id));
  return new Set(files.filter((file) => !ids.has(file)));
}

export const mistake = (at: number, msg: string, ...field: string[]): Mistake => ({
  loc: ['body', 'proposals', at, ...field],
  msg,
  type: 'proposal',
});

export async function markAccepted(
  change: Change,
  accepted: Accepted[],
  { number, actor, reason }: OwnChange,
): Promise<void> {
  const decision = { change: number, decided_by: actor, decided_at: Date.now(), reason };
  const plain = accepted.filter(({ edited }) => !edited).map(({ row }) => row.id);
  await queryInBatches(plain, async (ids) =>
    change
      .updateTable('memory_proposals')
      .set({ state: 'accepted', ...decision })
      .where('id', 'in', ids)
      .execute(),
  );
  for (const { row, input, output, edited } of accepted)
    if (edited)
      await change
        .updateTable('memory_proposals')
        .set({
          ...{ state: 'edited', ...decision, accepted_input: storable(input) },
          accepted_output: output === null ? null : storable(output),
        })
        .where('id', '=', row.id)
        .execute();
}

/** Reopens the proposals of a failed change. */
export async function reopen(
  change: Change,
  { memory_id, number }: Pick<OwnChange, 'memory_id' | 'number'>,
): Promise<void> {
  await change
    .updateTable('memory_proposals')
    .set({
      ...{ state: 'open', change: null, reason: null, decided_by: null, decided_at: null },
      ...{ accepted_input: null, accepted_output: null },
    })
    .where('memory_id', '=', memory_id)
    .where('change', '=', number)
    .execute();
}
