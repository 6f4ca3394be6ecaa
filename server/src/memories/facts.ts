// Facts of memories. A row spans the versions from the one that added the fact until the first one without it. Rows are searched,
// compared, and written together with a version.
import { setImmediate } from 'node:timers/promises';
import {
  type AnswerOf,
  type compareMemoryVersions,
  type listMemoryFacts,
  type MemoryFact,
  momentAt,
  type QueryOf,
} from '@lorekeep/contract';
import { type Selectable, sql } from 'kysely';
import { questionKey } from '../files/question-key.ts';
import { searchForm } from '../files/search-form.ts';
import { isoTime } from '../http/iso-time.ts';
import type { ModelFact } from '../models/tuned-facts.ts';
import type { Store } from '../store/database.ts';
import { pageOf } from '../store/page.ts';
import type { MemoryFactRow } from '../store/tables/memory.ts';
import { refuseEnded } from './erased.ts';
import {
  detailColumns,
  isSame,
  type Known,
  sameTimes,
  searchOf,
  shownSource,
  shownTimes,
  storable,
  validAt,
} from './fact-details.ts';
import { type Change, type Db, type OwnMemory, versionOf } from './memory-store.ts';
import { changeOf } from './operations.ts';
import { staleSince } from './stale-facts.ts';

export type FactRow = Selectable<MemoryFactRow>;
type Row = FactRow;

const rowsAtOnce = 500;
const readPageSize = 2000;

export function inVersion(db: Db, memoryId: number, version: number) {
  return db
    .selectFrom('memory_facts')
    .where('memory_id', '=', memoryId)
    .where('since', '<=', version)
    .where((eb) => eb.or([eb('until', 'is', null), eb('until', '>', version)]));
}

/** Refuses a version that does not exist or that an erasure has ended. */
async function requireVersion(db: Db, memory: OwnMemory, version: number): Promise<void> {
  await versionOf(db, memory, version);
  await refuseEnded(db, memory, version);
}

export async function searchFacts(
  { db }: Store,
  memory: OwnMemory,
  { text, subject, dataset_id, version, state, recalled, limit, after, ...about }: QueryOf<typeof listMemoryFacts>,
): Promise<AnswerOf<typeof listMemoryFacts>> {
  if (version !== undefined) await requireVersion(db, memory, version);
  const viewedVersion = version ?? memory.published ?? 0;
  let query =
    state === 'current'
      ? inVersion(db, memory.id, viewedVersion)
      : db.selectFrom('memory_facts').where('memory_id', '=', memory.id);
  if (state === 'withdrawn') query = query.where('until', '<=', viewedVersion);
  for (const word of searchForm(text ?? '')
    .split(/\s+/)
    .filter(Boolean))
    query = query.where('search', 'like', sql<string>`${`%${escaped(word)}%`} escape '\\'`);
  if (subject !== undefined) query = query.where('subject', '=', storable(subject));
  if (dataset_id !== undefined) query = query.where('dataset_id', '=', storable(dataset_id));
  if (recalled !== undefined) query = query.where('recalled', '=', recalled === 'true' ? 1 : 0);
  const { valid_at, source_kind, source_name } = about;
  if (valid_at !== undefined) query = query.where((eb) => validAt(eb, momentAt(valid_at, 'start')));
  // A fact of a tuned dataset has no explicit source: its dataset is its source.
  if (source_kind === 'dataset')
    query = query.where((eb) =>
      eb.or([
        eb('source_kind', '=', source_kind),
        eb.and([eb('source_kind', 'is', null), eb('dataset_id', 'is not', null)]),
      ]),
    );
  else if (source_kind !== undefined) query = query.where('source_kind', '=', source_kind);
  if (source_name !== undefined) query = query.where('source_name', '=', storable(source_name));
  if (after !== undefined) query = query.where('id', '>', after);
  const found = await query
    .selectAll()
    .orderBy('id')
    .limit(limit + 1)
    .execute();
  const { rows, next } = pageOf(found, limit, ({ id }) => id);
  return { facts: await shownFacts(db, memory, rows), next };
}

export const escaped = (word: string) => storable(word).replace(/[\\%_]/g, '\\$&');

/** Facts as they are shown, with the time since which their source is stale. */
export async function shownFacts(db: Db, memory: OwnMemory, rows: Row[]): Promise<MemoryFact[]> {
  const stale = await staleSince(db, memory.id, rows);
  return rows.map((row) => ({ ...shownFact(row), stale_since: isoTime(stale.get(row.id) ?? null) }));
}

function shownFact({
  id,
  input,
  output,
  subject,
  dataset_id,
  row,
  change,
  since,
  until,
  ...more
}: Row): Omit<MemoryFact, 'stale_since'> {
  return {
    ...{ id, input, output, subject },
    source: { dataset_id, row, change, ...shownSource(more.source) },
    ...{ valid_from: more.valid_from, valid_until: more.valid_until },
    recalled: more.recalled === 1,
    ...{ since_version: since, until_version: until },
  };
}

/** The given questions that a version knows, with their facts. */
export async function knownQuestions(
  db: Db,
  memoryId: number,
  version: number,
  questions: string[],
): Promise<Map<string, Known>> {
  const known = new Map<string, Known>();
  for (let at = 0; at < questions.length; at += rowsAtOnce) {
    const rows = await inVersion(db, memoryId, version)
      .where('question', 'in', questions.slice(at, at + rowsAtOnce))
      .select(['question', 'output', 'source', 'recalled', 'valid_from', 'valid_until'])
      .execute();
    for (const { question, ...fact } of rows) known.set(question, fact);
  }
  return known;
}

/** Facts of a version by question. Read in pages, so that on SQLite other requests run in between. */
export async function factsIn(db: Db, memoryId: number, version: number): Promise<Map<string, Row>> {
  const found = new Map<string, Row>();
  for (let after = 0; ; await setImmediate()) {
    const rows = await inVersion(db, memoryId, version)
      .where('id', '>', after)
      .selectAll()
      .orderBy('id')
      .limit(readPageSize)
      .execute();
    for (const row of rows) found.set(row.question, row);
    if (rows.length < readPageSize) return found;
    after = rows.at(-1)!.id;
  }
}

/** Writes the facts of a new version as differences to the one before. Unchanged facts keep their rows. */
export async function writeFacts(
  change: Change,
  memory: OwnMemory,
  version: number,
  facts: ModelFact[],
): Promise<void> {
  const before = version === 1 ? new Map<string, Row>() : await factsIn(change, memory.id, version - 1);
  const fresh: ModelFact[] = [];
  const turned: { id: number; recalled: boolean }[] = [];
  for (const [at, fact] of facts.entries()) {
    if (at % readPageSize === readPageSize - 1) await setImmediate();
    const question = questionKey(fact.input);
    const old = before.get(question);
    if (!old || !isSame(old, fact)) {
      fresh.push(fact);
      continue;
    }
    before.delete(question);
    if ((old.recalled === 1) !== fact.recalled) turned.push({ id: old.id, recalled: fact.recalled });
  }
  const gone = [...before.values()].map(({ id }) => id);
  for (let at = 0; at < gone.length; at += rowsAtOnce)
    await change
      .updateTable('memory_facts')
      .set({ until: version })
      .where('id', 'in', gone.slice(at, at + rowsAtOnce))
      .execute();
  for (const { id, recalled } of turned)
    await change
      .updateTable('memory_facts')
      .set({ recalled: recalled ? 1 : 0 })
      .where('id', '=', id)
      .execute();
  for (let at = 0; at < fresh.length; at += rowsAtOnce) {
    await change
      .insertInto('memory_facts')
      .values(fresh.slice(at, at + rowsAtOnce).map((fact) => rowOf(memory, version, fact)))
      .execute();
    // Yields, so that on SQLite other requests run in between.
    await setImmediate();
  }
}

function rowOf(
  memory: OwnMemory,
  since: number,
  { input, output, topic, dataset_id, row, recalled, ...more }: ModelFact,
) {
  const subject = topic === null || topic === undefined ? null : storable(topic);
  const change = changeOf(memory.name, dataset_id);
  const details = detailColumns(more);
  return {
    ...{ memory_id: memory.id, input: storable(input), output: storable(output), subject },
    question: questionKey(input),
    search: searchOf({ input, output, subject, source: more.source }),
    ...{ dataset_id: change === null ? dataset_id : null, row: change === null ? row : null, change },
    ...{ since, until: null, recalled: recalled ? 1 : 0, ...details },
  };
}

export async function compareVersions(
  { db }: Store,
  memory: OwnMemory,
  { limit, after = 0, ...between }: QueryOf<typeof compareMemoryVersions>,
): Promise<AnswerOf<typeof compareMemoryVersions>> {
  const to = between.to ?? memory.published ?? 1;
  const from = between.from ?? Math.max(1, to - 1);
  await requireVersion(db, memory, from);
  await requireVersion(db, memory, to);
  const [before, behind] = [await onlyIn(db, memory.id, from, to), await onlyIn(db, memory.id, to, from)];
  const all = [...new Set([...before.keys(), ...behind.keys()])].sort().flatMap((question) => {
    const [old, now] = [before.get(question), behind.get(question)];
    // A fact that was withdrawn and added again has two rows.
    if (old && now && old.output === now.output && sameTimes(old, now)) return [];
    return [
      {
        ...{ input: (now ?? old)!.input, before: old?.output ?? null, after: now?.output ?? null },
        ...{ times_before: shownTimes(old), times_after: shownTimes(now) },
      },
    ];
  });
  const count = (holds: (one: (typeof all)[number]) => boolean) => all.filter(holds).length;
  return {
    added: count(({ before }) => before === null),
    changed: count(({ before, after }) => before !== null && after !== null),
    withdrawn: count(({ after }) => after === null),
    differences: all.slice(after, after + limit),
    next: after + limit < all.length ? after + limit : null,
  };
}

async function onlyIn(db: Db, memoryId: number, version: number, other: number): Promise<Map<string, Row>> {
  const rows = await inVersion(db, memoryId, version)
    .where((eb) => eb.or([eb('since', '>', other), eb('until', '<=', other)]))
    .selectAll()
    .execute();
  return new Map(rows.map((row) => [row.question, row]));
}
