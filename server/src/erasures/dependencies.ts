// Dependencies of the eraser, and its rows.
import type { ReceiptBody } from '@lorekeep/contract';
import type { FastifyBaseLogger } from 'fastify';
import type { Selectable } from 'kysely';
import type { Blobs } from '../blobs/blobs.ts';
import type { SpareWorker } from '../cluster/spare-worker.ts';
import type { Engine } from '../engine/engine.ts';
import type { ModelClient } from '../inference/model-client.ts';
import type { Models } from '../models/models.ts';
import type { TunedModels } from '../models/tuned.ts';
import type { TunedFolders } from '../models/tuned-folders.ts';
import type { Store } from '../store/database.ts';
import type { ErasedVersionRow, ErasureRow } from '../store/tables/erasure.ts';
import type { JobFolders } from '../tuning/job-folders.ts';
import type { Successor } from '../tuning/submit/successor.ts';
import type { HiddenName } from './hidden-name.ts';
import type { ReceiptKey } from './receipt-key.ts';

export interface EraserDependencies {
  store: Store;
  tuned: TunedModels;
  folders: TunedFolders;
  jobFolders: JobFolders;
  models: Models;
  blobs: Blobs;
  engine: Pick<Engine, 'unready' | 'isLost' | 'unload'>;
  modelClient: ModelClient;
  spare: SpareWorker;
  key: ReceiptKey;
  order(successor: Successor): Promise<unknown>;
  log: FastifyBaseLogger;
}

export type OwnErasure = Selectable<ErasureRow>;
export type ErasedVersion = Selectable<ErasedVersionRow>;

/** The data that a failed erasure keeps. It holds no text. */
export interface Failed {
  again: { id: number; whole: boolean }[];
  about?: HiddenName | undefined;
}

export interface Work {
  /** Models to remove. `removed` is true once their folders are gone. */
  models: string[];
  facts: number;
  /** The version that was published before the erasure. */
  published: number | null;
  removed?: boolean;
  texts?: Record<string, number>;
  /** Number of open proposals that were rejected. */
  proposals?: number;
  /** Versions without the erased facts, whose models still quote one in the source of another fact. */
  quoting?: number[];
  datasets?: ReceiptBody['removed']['datasets'];
  /** Files of datasets to remove. */
  blobs?: string[];
  damaged?: string[];
  datasetsDone?: boolean;
  files?: number;
  /** Number of runs and evaluations that were still running when their texts were overwritten. */
  atWork?: number;
}
