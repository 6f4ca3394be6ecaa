// Removes files from an index, and whole indexes.
import type { IndexingDependencies } from './dependencies.ts';
import { type HeldFile, type LeasedIndex, newVectorsName } from './index-store.ts';

/** Removes vectors, files, and finally the record. */
export async function deleteIndex(
  { indexStore, vectors, blobs }: IndexingDependencies,
  index: LeasedIndex,
): Promise<void> {
  await vectors.drop(index.vectors);
  if (index.vectors_spare !== null) await vectors.drop(index.vectors_spare);
  const files = await indexStore.files(index.id, 'waiting', 'reading', 'done', 'failed', 'cancelled', 'deleting');
  for (const { blob } of files) await blobs.remove(blob);
  await indexStore.dropIndex(index.id);
}

/** Removes the files that are marked as deleted. They are hidden until then. */
export async function removeFiles(dependencies: IndexingDependencies, index: LeasedIndex): Promise<HeldFile[]> {
  const { indexStore, vectors, blobs } = dependencies;
  await dropSpare(dependencies, index);
  const files = await indexStore.files(index.id, 'deleting');
  if (files.length === 0) return [];
  const before = index.vectors;
  await vectors.removeFrom(
    before,
    files.map((file) => ({ file: file.id, from: 0 })),
  );
  // The copy needs a record, since other servers sweep tables without one.
  const fresh = newVectorsName();
  await change(dependencies, index, { vectors_spare: fresh });
  const left = await vectors.purge(before, fresh);
  await change(dependencies, index, { vectors: left, vectors_spare: left === before ? null : before });
  await dropSpare(dependencies, index);
  for (const { blob } of files) await blobs.remove(blob);
  await indexStore.dropFiles(
    index.id,
    files.map((file) => file.id),
  );
  const read = await indexStore.readFiles(
    index.id,
    files.map(({ name }) => name),
  );
  const events = files.map(({ id, name }) => {
    const isReplaced = read.some((other) => other.name === name && other.id > id);
    return { kind: 'file', text: isReplaced ? `${name} replaced its earlier version` : `${name} was removed` };
  });
  await indexStore.write(index.id, { events, always: true });
  return files;
}

/** Drops an incomplete copy of the vectors, or the old table after the copy. */
async function dropSpare(dependencies: IndexingDependencies, index: LeasedIndex): Promise<void> {
  if (index.vectors_spare === null) return;
  await dependencies.vectors.drop(index.vectors_spare);
  await change(dependencies, index, { vectors_spare: null });
}

async function change(
  { indexStore }: IndexingDependencies,
  index: LeasedIndex,
  values: Partial<Pick<LeasedIndex, 'vectors' | 'vectors_spare'>>,
): Promise<void> {
  await indexStore.write(index.id, { index: values, always: true });
  Object.assign(index, values);
}
