// Contents of a stored file as its reader tells them, and at the end the reason if it cannot be read.
import { Refusal } from '@lorekeep/contract';
import { DocumentReader, defaultPassageLimits, type ReadEvent, Unreadable } from '@lorekeep/reader';
import type { LocalFile } from '../../blobs/blobs.ts';
import { checkedFile } from '../../blobs/checked.ts';
import { childEnvironment } from '../../engine/child-environment.ts';
import type { IndexingDependencies } from './dependencies.ts';
import type { HeldFile, LeasedIndex } from './index-store.ts';
import { newScratch } from './scratch.ts';

/** A reader of an index. `current` is the file in its hands. */
export async function newReader(
  { scratch, tokenizer, limits, log }: IndexingDependencies,
  { id, embedder, account_id }: LeasedIndex,
  current: () => HeldFile | undefined,
  signal: AbortSignal,
): Promise<DocumentReader> {
  return new DocumentReader({
    scratch: newScratch(scratch),
    environment: childEnvironment('read'),
    passages: { tokenizer: await tokenizer(embedder, account_id, signal), limits: defaultPassageLimits },
    ...(limits && { limits }),
    onCrash: (output) =>
      log.warn(
        { index: id, file: current()?.name, output },
        'the process that reads documents ended unexpectedly; its last output is beside',
      ),
  });
}

/** A failure in the consumer, the engine or a write is no fault of the file. */
export async function* contentsOf(
  { blobs, log }: IndexingDependencies,
  reader: DocumentReader,
  file: HeldFile,
  signal: AbortSignal,
): AsyncGenerator<ReadEvent | { type: 'unreadable'; part?: never; reason: string }> {
  let stored: LocalFile | undefined;
  try {
    stored = await checkedFile(blobs, { what: 'document', ...file });
    yield* reader.read({ path: stored.path, name: file.name }, signal);
  } catch (error) {
    signal.throwIfAborted();
    // Not the file's fault; it is read when the storage is back.
    if (error instanceof Refusal && error.code === 'storage_unavailable') throw error;
    if (error instanceof Refusal && error.code === 'data_damaged') {
      log.warn({ err: error }, error.message);
      yield { type: 'unreadable', reason: `${error.message} Send it again.` };
      return;
    }
    if (!(error instanceof Unreadable)) log.warn({ err: error }, 'a document could not be read');
    const reason =
      error instanceof Unreadable ? error.message : 'it could not be read on this server; the log shows the reason';
    yield { type: 'unreadable', reason };
  } finally {
    await stored?.release();
  }
}
