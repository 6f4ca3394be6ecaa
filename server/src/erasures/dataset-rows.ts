// Finds and removes rows with erased facts from an account's datasets. A dataset's id is the hash of its content, so the
// remaining rows become a new dataset with a new id, which replaces the old one.
import { createHash } from 'node:crypto';
import { jsonLines } from '@lorekeep/reader';
import type { Selectable } from 'kysely';
import type { Blobs } from '../blobs/blobs.ts';
import { checkedBytes } from '../blobs/checked.ts';
import { questionKey } from '../files/question-key.ts';
import type { Change } from '../memories/rows.ts';
import type { Store } from '../store/database.ts';
import type { DatasetRow } from '../store/schema.ts';
import { holdsText } from './erased-text.ts';
import { type ChosenFact, factKey } from './selection.ts';

type Row = Selectable<DatasetRow>;

/** A dataset with the numbers (from 1) of the rows to remove. */
export interface FoundDataset extends Row {
  found: Set<number>;
}

interface Searched {
  /** Datasets with rows to remove. */
  found: FoundDataset[];
  /** Lines of `still_held`: datasets with rows that hold the name but no erased fact. */
  held: string[];
}

/** Reads every dataset of the account once. */
export async function searchDatasets(
  { db }: Store,
  blobs: Blobs,
  accountId: number,
  facts: ChosenFact[],
  onDamaged: (row: Row) => void = () => {},
): Promise<Searched> {
  const [isErased, isNaming] = [erasedMatcher(facts), nameMatcher(facts)];
  const datasets = await db
    .selectFrom('datasets')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('id')
    .execute();
  const searched: Searched = { found: [], held: [] };
  for (const row of datasets) {
    const found = new Set<number>();
    let others = 0;
    try {
      for await (const { number, line } of linesOf(blobs, row))
        if (isErased(line)) found.add(number);
        else if (isNaming(line)) others++;
    } catch {
      // Unreadable datasets cannot be erased; the receipt names them.
      onDamaged(row);
      continue;
    }
    if (found.size > 0) searched.found.push({ ...row, found });
    if (others > 0)
      searched.held.push(`dataset ${row.hash}: ${others} other ${others === 1 ? 'row holds' : 'rows hold'} the name`);
  }
  return searched;
}

function erasedMatcher(facts: ChosenFact[]): (line: string) => boolean {
  const whole = new Set(facts.filter((fact) => fact.whole).map(({ question }) => question));
  const keys = new Set(facts.map(factKey));
  const isNaming = nameMatcher(facts);
  const answers = [...new Set(facts.map(({ output }) => output))];
  return (line) => {
    const { input, output } = JSON.parse(line) as { input: string; output: string };
    if (whole.has(questionKey(input)) || keys.has(factKey({ input, output }))) return true;
    // The name beside an erased answer is the fact in other words.
    return isNaming(line) && answers.some((answer) => holdsText(output, answer));
  };
}

/** Whether a row holds the name that the erasure is about. */
function nameMatcher([fact]: ChosenFact[]): (line: string) => boolean {
  const about = fact?.about;
  if (about === undefined) return () => false;
  return (line) => {
    const { input, output, topic } = JSON.parse(line) as { input: string; output: string; topic?: unknown };
    return [input, output, typeof topic === 'string' ? topic : ''].some((text) => holdsText(text, about));
  };
}

async function* linesOf(
  blobs: Blobs,
  { hash, blob, bytes }: Pick<Row, 'hash' | 'blob' | 'bytes'>,
): AsyncGenerator<{ number: number; line: string }> {
  let number = 0;
  const content = checkedBytes(blobs, { what: 'dataset', name: hash, blob, bytes, sha256: hash });
  for await (const line of jsonLines(content)) yield { number: ++number, line };
}

export interface ChangedDataset {
  before: string;
  after: string | null;
  rows: number;
  /** The old file, to be removed. */
  blob: string;
}

/**
 * Writes the remaining rows as a new dataset and replaces the old one in one transaction. Does nothing if it was replaced or
 * deleted meanwhile. `record` runs in the transaction.
 */
export async function withoutRows(
  store: Store,
  blobs: Blobs,
  old: FoundDataset,
  record: (change: Change, done: ChangedDataset) => Promise<void>,
): Promise<void> {
  const left = await writeRemaining(blobs, old);
  const kept = await store.db.transaction().execute(async (change) => {
    const still = await change
      .deleteFrom('datasets')
      .where('id', '=', old.id)
      .where('blob', '=', old.blob)
      .returningAll()
      .executeTakeFirst();
    if (!still) return false;
    const { account_id, name, is_public, created_at } = still;
    const same =
      left &&
      (await change
        .selectFrom('datasets')
        .select('id')
        .where('account_id', '=', account_id)
        .where('hash', '=', left.hash)
        .executeTakeFirst());
    if (left && !same)
      await change
        .insertInto('datasets')
        .values({ account_id, name, is_public, created_at, ...left })
        .execute();
    if (left) await moveReferences(change, old, left.hash);
    await record(change, { before: old.hash, after: left?.hash ?? null, rows: old.found.size, blob: old.blob });
    return left !== undefined && !same;
  });
  if (!kept && left) await blobs.remove(left.blob);
}

async function writeRemaining(
  blobs: Blobs,
  old: FoundDataset,
): Promise<Pick<Row, 'hash' | 'rows' | 'bytes' | 'blob'> | undefined> {
  if (old.found.size === old.rows) return undefined;
  const draft = await blobs.draft('datasets');
  try {
    const digest = createHash('sha256');
    let bytes = 0;
    for await (const { number, line } of linesOf(blobs, old)) {
      if (old.found.has(number)) continue;
      const encoded = Buffer.from(`${line}\n`);
      digest.update(encoded);
      bytes += encoded.length;
      await draft.write(encoded);
    }
    await draft.keep();
    return { hash: digest.digest('hex'), rows: old.rows - old.found.size, bytes, blob: draft.name };
  } catch (error) {
    await draft.discard();
    throw error;
  }
}

/** Updates references to the dataset. Facts of memories also refer to its row numbers, which shift when rows are removed. */
async function moveReferences(change: Change, { account_id, hash, found }: FoundDataset, next: string): Promise<void> {
  for (const table of ['tuning_jobs', 'tuned_models'] as const)
    await change
      .updateTable(table)
      .set({ dataset_id: next })
      .where('account_id', '=', account_id)
      .where('dataset_id', '=', hash)
      .execute();
  await change
    .updateTable('evaluations')
    .set({ dataset: next })
    .where('account_id', '=', account_id)
    .where('dataset', '=', hash)
    .execute();
  const memories = change.selectFrom('memories').select('id').where('account_id', '=', account_id);
  await change
    .updateTable('memory_gates')
    .set({ dataset: next })
    .where('memory_id', 'in', memories)
    .where('dataset', '=', hash)
    .execute();
  const facts = change.updateTable('memory_facts').where('memory_id', 'in', memories).where('dataset_id', '=', hash);
  for (const row of [...found].sort((a, b) => b - a))
    await facts
      .set((eb) => ({ row: eb('row', '-', 1) }))
      .where('row', '>', row)
      .execute();
  await facts.set({ dataset_id: next }).execute();
}
