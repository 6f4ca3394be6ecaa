// Inserts received files as rows of an index. A file is identified by its name: one with the content of the latest file of its name is
// not stored again, any other replaces the earlier ones once it is read (indexing/supersede.ts).
import type { Metadata } from '@lorekeep/contract';
import type { Transaction } from 'kysely';
import type { Tables } from '../store/schema.ts';
import type { ReceivedFile } from './receive.ts';
import type { OwnFile } from './rows.ts';

const rowsAtOnce = 100;

export interface NewFiles {
  files: ReceivedFile[];
  /** Undefined if none is given: a file then keeps that of the one it replaces. */
  metadata: Metadata | undefined;
}

type NamedFile = Pick<OwnFile, 'id' | 'name' | 'sha256' | 'state' | 'metadata'>;

/** The rows of an index with the names of these files, by name, earlier ones first. */
export async function sameNamed(
  transaction: Transaction<Tables>,
  indexId: number,
  files: { name: string }[],
): Promise<Map<string, NamedFile[]>> {
  const names = [...new Set(files.map(({ name }) => name))];
  const found: NamedFile[] = [];
  for (let at = 0; at < names.length; at += rowsAtOnce)
    found.push(
      ...(await transaction
        .selectFrom('index_files')
        .select(['id', 'name', 'sha256', 'state', 'metadata'])
        .where('index_id', '=', indexId)
        .where('name', 'in', names.slice(at, at + rowsAtOnce))
        .where('state', '<>', 'deleting')
        .orderBy('id')
        .execute()),
    );
  return Map.groupBy(found, ({ name }) => name);
}

/**
 * Separates the files that the index or the request has already. Different files of one name in one request are all kept: some
 * clients send names without folders.
 */
export function distinct(
  files: ReceivedFile[],
  there = new Map<string, NamedFile[]>(),
): { fresh: ReceivedFile[]; repeated: ReceivedFile[] } {
  const sent = new Set<string>();
  const fresh: ReceivedFile[] = [];
  const repeated: ReceivedFile[] = [];
  for (const file of files) {
    const { name, sha256 } = file;
    const sentKey = JSON.stringify([name, sha256]);
    const isThere = there.get(name)?.findLast(isReadable)?.sha256 === sha256;
    (isThere || sent.has(sentKey) ? repeated : fresh).push(file);
    sent.add(sentKey);
  }
  return { fresh, repeated };
}

const isReadable = ({ state }: NamedFile) => state === 'waiting' || state === 'reading' || state === 'done';

export async function insertFiles(
  transaction: Transaction<Tables>,
  indexId: number,
  { files, metadata }: NewFiles,
  there = new Map<string, NamedFile[]>(),
): Promise<number[]> {
  const ids: number[] = [];
  // One time for all: files of one request do not replace each other.
  const now = Date.now();
  const metadataOf = (name: string) =>
    metadata ? JSON.stringify(metadata) : (there.get(name)?.at(-1)?.metadata ?? '{}');
  for (let at = 0; at < files.length; at += rowsAtOnce) {
    const inserted = await transaction
      .insertInto('index_files')
      .values(
        files.slice(at, at + rowsAtOnce).map(({ name, sha256, bytes, draft }) => ({
          ...{ index_id: indexId, name, sha256, bytes, blob: draft.name },
          ...{ state: 'waiting' as const, pages_done: 0, passages: 0, notices: '[]' },
          metadata: metadataOf(name),
          created_at: now,
        })),
      )
      .returning('id')
      .execute();
    ids.push(...inserted.map(({ id }) => id));
  }
  return ids;
}
