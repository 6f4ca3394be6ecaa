// Dependencies of the work on indexes, and the interruptions of running work.

import type { Limits } from '@lorekeep/reader';
import type { Blobs } from '../../blobs/blobs.ts';
import type { ModelClient } from '../../inference/model-client.ts';
import type { Vectors } from '../../vectors/vectors.ts';
import type { IndexStore } from './index-store.ts';

export interface IndexingDependencies {
  indexStore: IndexStore;
  vectors: Vectors;
  blobs: Blobs;
  modelClient: ModelClient;
  /** Parent folder of the readers' temporary folders. */
  scratch: string;
  /** Returns the path of an embedder's tokenizer.json. */
  tokenizer(embedder: string, accountId: number, signal: AbortSignal): Promise<string>;
  limits?: Partial<Limits>;
  /** Time slice in milliseconds while others wait. */
  slice?: number;
  log: { warn(facts: object, text: string): void };
}

/** Requests to a running task, which checks them between files and between batches. */
export interface Interruptions {
  /** Files were removed and have to be processed. */
  remove: boolean;
  /** Others wait, and the time slice is over. */
  giveWay: boolean;
}
