// The parts that the work on indexes uses, and the calls that reach a work under way.

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
  /** Parent of the temporary folders of readers. */
  scratch: string;
  /** The tokenizer.json of an embedder. */
  tokenizer(embedder: string, accountId: number, signal: AbortSignal): Promise<string>;
  limits?: Partial<Limits>;
  /** Milliseconds of a turn, when others wait. */
  slice?: number;
  log: { warn(facts: object, text: string): void };
}

/** Requests to a running task, which looks for them between files and between batches. */
export interface Interruptions {
  /** Files were removed. */
  remove: boolean;
  /** Others wait, and this turn has lasted long enough. */
  giveWay: boolean;
}
