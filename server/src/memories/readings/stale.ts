// Handles deleted documents: withdraws their open proposals, and proposes a change or a withdrawal of accepted facts that are still
// current. A file with the same name in the same index is the next edition of the document.
import type { FastifyBaseLogger } from 'fastify';
import type { FoundFact } from '../../documents/facts/found-fact.ts';
import type { StoredPassage } from '../../documents/stored-passages.ts';
import { questionKey } from '../../files/question-key.ts';
import { isQuoted } from '../../files/quoted.ts';
import type { Store } from '../../store/database.ts';
import type { Change, OwnMemory } from '../memory-store.ts';
import { recordCreated } from '../proposals/proposals.ts';
import { type Proposed, propose } from '../proposals/propose.ts';
import { type OwnProposal, publishedFacts, queryInBatches } from '../proposals/rows.ts';
import { lockForProposals } from '../texts-lock.ts';
import { proposalOf } from './proposal-of.ts';

const batchSize = 500;
const actor = 'server';

interface File {
  id: number;
  name: string;
}
type Read = (file: File) => Promise<{ found: FoundFact[]; passages: StoredPassage[] }>;

/** The next edition of a document, with its facts by question; undefined while it is being read. */
type Edition = { file: File; facts: Map<string, FoundFact>; passages: StoredPassage[] } | 'none' | 'coming';

export async function markStale(store: Store, read: Read, log: FastifyBaseLogger): Promise<void> {
  const rows = await orphans(store);
  for (const [memoryId, some] of Map.groupBy(rows, (row) => row.memory_id)) {
    const editions = await editionsOf(store, some, read);
    await store.db
      .transaction()
      .execute(async (change) => {
        const memory = await lockForProposals(store, change, memoryId);
        if (memory) await markOf(change, memory, some, editions);
      })
      .catch((error) => log.warn({ err: error }, 'facts of a removed document could not be marked as stale; retrying'));
  }
}

async function orphans(store: Store): Promise<OwnProposal[]> {
  return await store.db
    .selectFrom('memory_proposals')
    .selectAll()
    .where('file_id', 'is not', null)
    .where('stale_at', 'is', null)
    .where('state', 'in', ['open', 'accepted', 'edited'])
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('index_files')
            .innerJoin('indexes', 'indexes.id', 'index_files.index_id')
            .select('index_files.id')
            .whereRef('index_files.id', '=', 'memory_proposals.file_id')
            .where('index_files.state', '<>', 'deleting')
            .where('indexes.deleted_at', 'is', null),
        ),
      ),
    )
    .orderBy('id')
    .limit(batchSize)
    .execute();
}

const editionKey = ({ index_id, document }: OwnProposal) => `${index_id}\n${document}`;

async function editionsOf(store: Store, rows: OwnProposal[], read: Read): Promise<Map<string, Edition>> {
  const editions = new Map<string, Edition>();
  for (const row of rows) {
    const key = editionKey(row);
    if (editions.has(key)) continue;
    const file = await store.db
      .selectFrom('index_files')
      .innerJoin('indexes', 'indexes.id', 'index_files.index_id')
      .select(['index_files.id', 'index_files.name', 'index_files.state'])
      .where('index_files.index_id', '=', row.index_id!)
      .where('index_files.name', '=', row.document ?? '')
      .where('index_files.state', 'in', ['waiting', 'reading', 'done'])
      .where('indexes.deleted_at', 'is', null)
      .orderBy('index_files.id', 'desc')
      .limit(1)
      .executeTakeFirst();
    if (!file) editions.set(key, 'none');
    else if (file.state !== 'done') editions.set(key, 'coming');
    else {
      const { found, passages } = await read(file);
      editions.set(key, { file, facts: new Map(found.map((fact) => [questionKey(fact.input), fact])), passages });
    }
  }
  return editions;
}

async function markOf(
  change: Change,
  memory: OwnMemory,
  candidates: OwnProposal[],
  editions: Map<string, Edition>,
): Promise<void> {
  // A person may have decided meanwhile.
  const rows = await queryInBatches(
    candidates.map(({ id }) => id),
    async (ids) =>
      change
        .selectFrom('memory_proposals')
        .selectAll()
        .where('id', 'in', ids)
        .where('stale_at', 'is', null)
        .where('state', 'in', ['open', 'accepted', 'edited'])
        .orderBy('id')
        .execute(),
  );
  const wordsOf = (row: OwnProposal) => row.accepted_input ?? row.input;
  const facts = await publishedFacts(
    change,
    memory,
    rows.map((row) => questionKey(wordsOf(row))),
  );
  const now = Date.now();
  const proposed: Proposed[] = [];
  const set = async (row: OwnProposal, values: Partial<Omit<OwnProposal, 'id'>>) =>
    await change.updateTable('memory_proposals').set(values).where('id', '=', row.id).execute();
  for (const row of rows) {
    const edition = editions.get(editionKey(row))!;
    if (edition === 'coming') continue;
    const next = edition === 'none' ? undefined : edition.facts.get(row.question);
    const kept = edition === 'none' ? undefined : stillStated(row, next, edition.passages);
    if (edition !== 'none' && kept) await set(row, { file_id: edition.file.id, page: kept.page });
    else if (row.state === 'open') {
      await set(row, {
        ...{ state: 'withdrawn', decided_by: actor, decided_at: now, stale_at: now },
        reason: 'Its document is gone, or does not say so any more.',
      });
      // The same question with the answer of the next edition takes its place.
      if (next && edition !== 'none' && row.index_id !== null)
        proposed.push(proposalOf({ index_id: row.index_id, assignee: row.assignee }, edition.file, next));
    } else {
      const output = row.accepted_input === null ? row.output : row.accepted_output;
      const fact = facts.get(questionKey(wordsOf(row)));
      // An open change will add the fact, so it is checked again later.
      if (!fact && (await isChangeOpen(change, row))) continue;
      if (fact && output !== null && fact.output.trim() === output.trim())
        proposed.push(staleProposal(row, wordsOf(row), edition, next));
      await set(row, { stale_at: now });
    }
  }
  if (proposed.length > 0) await recordCreated(change, memory, await propose(change, memory, proposed, actor));
}

/** The page where the next edition states the same: as the same fact, or, if a base wrote the fact, with the same quote. */
function stillStated(
  { output, quote }: OwnProposal,
  next: FoundFact | undefined,
  passages: StoredPassage[],
): { page: number | null } | undefined {
  if (next) return next.output === output ? next : undefined;
  const passage = quote ? passages.find(({ text }) => isQuoted(quote, text)) : undefined;
  return passage && { page: passage.page ?? null };
}

async function isChangeOpen(change: Change, row: OwnProposal): Promise<boolean> {
  const order = await change
    .selectFrom('memory_changes')
    .select('finished_at')
    .where('memory_id', '=', row.memory_id)
    .where('number', '=', row.change)
    .executeTakeFirst();
  return order !== undefined && order.finished_at === null;
}

/** A proposal to change the fact to the statement of the next edition, or to withdraw it. */
function staleProposal(row: OwnProposal, input: string, edition: Edition, next: FoundFact | undefined): Proposed {
  const file = typeof edition === 'string' ? undefined : edition.file;
  return {
    ...{ kind: 'stale', input, output: next?.output, subject: row.subject ?? undefined, withdraws: undefined },
    ...{ quote: next?.quote ?? row.quote ?? undefined, confidence: next?.confidence },
    assignee: row.assignee ?? undefined,
    source: {
      ...{ document: row.document ?? undefined, page: (next ? next.page : row.page) ?? undefined },
      ...(file
        ? { index_id: row.index_id ?? undefined, file_id: file.id }
        : { index_id: undefined, file_id: undefined }),
      conversation: undefined,
    },
  };
}
