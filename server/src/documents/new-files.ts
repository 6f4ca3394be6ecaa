// Inserts received files as rows of an index, without duplicates.
import type { Metadata } from '@lorekeep/contract';
import type { Transaction } from 'kysely';
import type { Tables } from '../store/schema.ts';
import type { ReceivedFile } from './receive.ts';

const rowsAtOnce = 100;

export interface NewFiles {
  files: ReceivedFile[];
  metadata: Metadata;
}

type FileIdentity = Pick<ReceivedFile, 'name' | 'sha256'>;

/** Deduplicates files by name and content, within the request and against stored ones. */
export function distinct(
  files: ReceivedFile[],
  there: FileIdentity[] = [],
): { fresh: ReceivedFile[]; repeated: ReceivedFile[] } {
  const key = ({ name, sha256 }: FileIdentity) => `${sha256} ${name}`;
  const seen = new Set(there.map(key));
  const fresh: ReceivedFile[] = [];
  const repeated: ReceivedFile[] = [];
  for (const file of files) {
    (seen.has(key(file)) ? repeated : fresh).push(file);
    seen.add(key(file));
  }
  return { fresh, repeated };
}

export async function insertFiles(
  transaction: Transaction<Tables>,
  indexId: number,
  files: ReceivedFile[],
  metadata: Metadata,
): Promise<number[]> {
  const ids: number[] = [];
  for (let at = 0; at < files.length; at += rowsAtOnce) {
    const inserted = await transaction
      .insertInto('index_files')
      .values(
        files.slice(at, at + rowsAtOnce).map(({ name, sha256, bytes, draft }) => ({
          ...{ index_id: indexId, name, sha256, bytes, blob: draft.name },
          ...{ state: 'waiting' as const, pages_done: 0, passages: 0, notices: '[]' },
          metadata: JSON.stringify(metadata),
          created_at: Date.now(),
        })),
      )
      .returning('id')
      .execute();
    ids.push(...inserted.map(({ id }) => id));
  }
  return ids;
}
