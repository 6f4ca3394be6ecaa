// Checks every row of the audit log against the one before, a page at a time, and reports the first inconsistent row.
import { setImmediate } from 'node:timers/promises';
import { type AnswerOf, noHash, type verifyAudit } from '@lorekeep/contract';
import type { Store } from '../store/database.ts';
import { hashOf, type Row } from './chain.ts';

type Verdict = AnswerOf<typeof verifyAudit>;
type Fault = NonNullable<Verdict['fault']>;

const pageRows = 1000;

export interface Noted {
  number?: number | undefined;
  hash?: string | undefined;
}

export async function verify(store: Store, noted: Noted = {}): Promise<Verdict> {
  for (;;) {
    const head = await headOf(store);
    const verdict = await walk(store, head, noted);
    // Rows that were pruned during the check are not missing.
    if (verdict.sound || (await headOf(store)).first === head.first) return verdict;
  }
}

const headOf = async (store: Store) =>
  await store.db.selectFrom('audit_head').selectAll().where('id', '=', 1).executeTakeFirstOrThrow();

async function walk(store: Store, head: Awaited<ReturnType<typeof headOf>>, noted: Noted): Promise<Verdict> {
  let rows = 0;
  let expected = head.first;
  let previous = head.before;
  const ended = (fault: Fault | null): Verdict => ({
    sound: fault === null,
    rows,
    first: head.number < head.first ? null : head.first,
    last: head.number === 0 ? null : { number: head.number, hash: head.hash },
    fault,
  });
  for (;;) {
    const page = await pageAfter(store, rows === 0 ? 0 : expected - 1, head.number);
    for (const row of page) {
      const reason = reasonAgainst(row, expected, previous) ?? againstNote(row, noted);
      if (reason !== undefined) return ended({ number: Math.min(row.number, expected), reason });
      rows++;
      expected = row.number + 1;
      previous = row.hash;
    }
    if (page.length < pageRows) break;
    // SQLite answers within one turn of the event loop: yields to other requests.
    await setImmediate();
  }
  if (expected <= head.number)
    return ended({ number: expected, reason: `the rows from here to ${head.number} are missing` });
  if (previous !== head.hash)
    return ended({ number: head.number, reason: 'its hash is not the one that was kept as the last' });
  const beyond = await beyondHead(store);
  if (beyond !== undefined) return ended({ number: beyond, reason: 'it was inserted behind the last row' });
  if (noted.number !== undefined && noted.number > head.number)
    return ended({ number: noted.number, reason: 'it was noted earlier and is missing' });
  return ended(null);
}

/** Rows from the very first number on: rows before the first kept one were inserted. */
async function pageAfter(store: Store, after: number, last: number): Promise<Row[]> {
  return await store.db
    .selectFrom('audit_rows')
    .selectAll()
    .where('number', '>', after)
    .where('number', '<=', last)
    .orderBy('number')
    .limit(pageRows)
    .execute();
}

function reasonAgainst(row: Row, expected: number, previous: string): string | undefined {
  if (row.number < expected) return 'it was inserted before the first row';
  if (row.number > expected)
    return row.number === expected + 1 ? 'it is missing' : `the rows from here to ${row.number - 1} are missing`;
  if (row.previous !== previous)
    return previous === noHash
      ? 'it names a row before the first'
      : 'the hash of the row before is not the one that it names';
  if (safeHash(row) !== row.hash) return 'its content was changed: it does not have its hash';
  return undefined;
}

function againstNote(row: Row, { number, hash }: Noted): string | undefined {
  if (number !== row.number || hash === undefined || hash === row.hash) return undefined;
  return 'it had another hash when it was noted: the chain was written anew';
}

/** Undefined if a column holds a value that was never written by this program. */
function safeHash(row: Row): string | undefined {
  try {
    return hashOf(row);
  } catch {
    return undefined;
  }
}

/** A row number beyond the head. Read together with the head, which advances while others write. */
async function beyondHead(store: Store): Promise<number | undefined> {
  const row = await store.db
    .selectFrom('audit_rows')
    .select('number')
    .where('number', '>', (eb) => eb.selectFrom('audit_head').select('audit_head.number').where('id', '=', 1))
    .orderBy('number')
    .limit(1)
    .executeTakeFirst();
  return row?.number;
}
