// Queries of proposals: find, filter, and show them beside the current facts.
import { setImmediate } from 'node:timers/promises';
import {
  type AnswerOf,
  type listProposals,
  type Proposal,
  type QueryOf,
  Refusal,
  type StandingFact,
} from '@lorekeep/contract';
import { type Selectable, sql } from 'kysely';
import { questionKey } from '../../files/question-key.ts';
import { isoTime } from '../../http/iso-time.ts';
import { pageOf } from '../../store/page.ts';
import type { ProposalRow } from '../../store/tables/proposal.ts';
import { storable } from '../fact-details.ts';
import { escaped, type FactRow, inVersion, shownFacts } from '../facts.ts';
import type { Db, OwnMemory } from '../memory-store.ts';

export type OwnProposal = Selectable<ProposalRow>;

const keysAtOnce = 500;

/** Queries rows for many keys in parts, since databases limit the number of parameters. */
export async function queryInBatches<Key, Row>(keys: Key[], find: (some: Key[]) => Promise<Row[]>): Promise<Row[]> {
  const all: Row[] = [];
  for (let at = 0; at < keys.length; at += keysAtOnce) {
    // Yields, so that on SQLite other requests run in between.
    if (at > 0) await setImmediate();
    all.push(...(await find(keys.slice(at, at + keysAtOnce))));
  }
  return all;
}

/** Facts of the published version by question. */
export async function publishedFacts(db: Db, memory: OwnMemory, questions: string[]): Promise<Map<string, FactRow>> {
  const { published } = memory;
  if (published === null) return new Map();
  const rows = await queryInBatches([...new Set(questions)], async (some) =>
    inVersion(db, memory.id, published).where('question', 'in', some).selectAll().execute(),
  );
  return new Map(rows.map((row) => [row.question, row]));
}

export async function proposalsNumbered(db: Db, memory: OwnMemory, numbers: number[]): Promise<OwnProposal[]> {
  const rows = await queryInBatches([...new Set(numbers)], async (some) =>
    db
      .selectFrom('memory_proposals')
      .selectAll()
      .where('memory_id', '=', memory.id)
      .where('number', 'in', some)
      .execute(),
  );
  const found = new Map(rows.map((row) => [row.number, row]));
  return numbers.map((number) => {
    const row = found.get(number);
    if (!row) throw new Refusal('proposal_not_found', { name: memory.name, number });
    return row;
  });
}

export async function searchProposals(
  db: Db,
  memory: OwnMemory,
  {
    state,
    kind,
    assignee,
    text,
    index_id,
    file_id,
    change,
    min_confidence,
    limit,
    after,
  }: QueryOf<typeof listProposals>,
): Promise<AnswerOf<typeof listProposals>> {
  let query = db.selectFrom('memory_proposals').selectAll().where('memory_id', '=', memory.id);
  if (state !== 'all') query = query.where('state', '=', state);
  if (kind !== undefined) query = query.where('kind', '=', kind);
  if (assignee !== undefined)
    query = assignee === '' ? query.where('assignee', 'is', null) : query.where('assignee', '=', storable(assignee));
  for (const word of (text ?? '').toLowerCase().split(/\s+/).filter(Boolean))
    query = query.where('search', 'like', sql<string>`${`%${escaped(word)}%`} escape '\\'`);
  if (index_id !== undefined) query = query.where('index_id', '=', index_id);
  if (file_id !== undefined) query = query.where('file_id', '=', file_id);
  if (change !== undefined) query = query.where('change', '=', change);
  if (min_confidence !== undefined) query = query.where('confidence', '>=', min_confidence);
  if (after !== undefined) query = query.where('number', '>', after);
  const found = await query
    .orderBy('number')
    .limit(limit + 1)
    .execute();
  const { rows, next } = pageOf(found, limit, ({ number }) => number);
  return { proposals: await shownProposals(db, memory, rows), next };
}

/** Current facts with the creation times of the versions that added them. */
export async function shownStanding(db: Db, memory: OwnMemory, facts: FactRow[]): Promise<StandingFact[]> {
  const versions = await queryInBatches([...new Set(facts.map(({ since }) => since))], async (some) =>
    db
      .selectFrom('memory_versions')
      .select(['number', 'created_at'])
      .where('memory_id', '=', memory.id)
      .where('number', 'in', some)
      .execute(),
  );
  const times = new Map(versions.map(({ number, created_at }) => [number, created_at]));
  const shown = await shownFacts(db, memory, facts);
  return facts.map(({ since }, at) => ({ ...shown[at]!, since: isoTime(times.get(since) ?? memory.created_at)! }));
}

/** Proposals with the facts that each would change, and the open proposals that contradict it. */
export async function shownProposals(db: Db, memory: OwnMemory, rows: OwnProposal[]): Promise<Proposal[]> {
  const facts = [...(await publishedFacts(db, memory, rows.flatMap(touched))).values()];
  const shown = await shownStanding(db, memory, facts);
  const stand = new Map(facts.map(({ question }, at) => [question, shown[at]!]));
  const rivals = await queryInBatches([...new Set(rows.map(({ question }) => question))], async (some) =>
    db
      .selectFrom('memory_proposals')
      .select(['number', 'question', 'output'])
      .where('memory_id', '=', memory.id)
      .where('state', '=', 'open')
      .where('question', 'in', some)
      .orderBy('number')
      .execute(),
  );
  const votes = await votesOf(db, memory, rows);
  return rows.map((row) => ({
    ...{ number: row.number, kind: row.kind, state: row.state, input: row.input, output: row.output },
    ...{ subject: row.subject, withdraws: row.withdraws, quote: row.quote, confidence: row.confidence },
    source: {
      ...{ document: row.document, index_id: row.index_id, file_id: row.file_id, page: row.page },
      conversation: row.conversation,
    },
    vote: votes.get(voteOf(row)) ?? null,
    assignee: row.assignee,
    stands: touched(row).flatMap((question) => {
      const fact = stand.get(question);
      return fact ? [fact] : [];
    }),
    others: rivals
      .filter(
        ({ question, output, number }) => question === row.question && number !== row.number && output !== row.output,
      )
      .map(({ number }) => number),
    accepted: row.accepted_input === null ? null : { input: row.accepted_input, output: row.accepted_output },
    ...{ change: row.change, reason: row.reason, by: row.actor, decided_by: row.decided_by },
    created_at: isoTime(row.created_at)!,
    decided_at: isoTime(row.decided_at),
    stale_since: isoTime(row.stale_at),
  }));
}

const voteOf = ({ kind, conversation }: OwnProposal) => (kind === 'feedback' ? conversation : null);

/** Votes from which proposals came, by answer. */
async function votesOf(
  db: Db,
  { account_id }: OwnMemory,
  rows: OwnProposal[],
): Promise<Map<string | null, Proposal['vote']>> {
  const votes = await queryInBatches([...new Set(rows.flatMap((row) => voteOf(row) ?? []))], async (some) =>
    db
      .selectFrom('feedback')
      .select(['answer_id', 'input', 'output', 'comment', 'actor'])
      .where('account_id', '=', account_id)
      .where('answer_id', 'in', some)
      .execute(),
  );
  return new Map(votes.map(({ answer_id, actor, ...texts }) => [answer_id, { ...texts, by: actor }]));
}

/** The questions that a proposal concerns. */
export function touched({ question, withdraws }: Pick<OwnProposal, 'question' | 'withdraws'>): string[] {
  const other = withdraws === null ? question : questionKey(withdraws);
  return other === question ? [question] : [question, other];
}
