// Composes document indexes into one part of the server.
import { join } from 'node:path';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { Blobs } from '../blobs/blobs.ts';
import type { UploadLimits } from '../http/form.ts';
import type { ModelClient } from '../inference/model-client.ts';
import type { Heartbeat } from '../leases/heartbeat.ts';
import type { Store } from '../store/database.ts';
import { LanceVectors } from '../vectors/lance.ts';
import type { TablePlace } from '../vectors/place.ts';
import { Answers } from './answers/answers.ts';
import { IndexFiles } from './files.ts';
import { Indexes } from './indexes.ts';
import { IndexStore } from './indexing/index-store.ts';
import { IndexRunner } from './indexing/runner.ts';
import { Quoter } from './quoting/quoter.ts';
import { documentRoutes } from './routes.ts';
import { Search } from './search/search.ts';
import { StorageQuota } from './storage-quota.ts';
import { Suggestions } from './suggestions/suggestions.ts';

interface Dependencies {
  store: Store;
  heartbeat: Heartbeat;
  blobs: Blobs;
  tables: TablePlace;
  modelClient: ModelClient;
  home: string;
  contact: string;
  log: FastifyBaseLogger;
}

export class Documents {
  readonly indexes: Indexes;
  readonly files: IndexFiles;
  readonly quota: StorageQuota;
  readonly search: Search;
  readonly answers: Answers;
  readonly suggestions: Suggestions;
  readonly #runner: IndexRunner;
  readonly #dependencies: Dependencies;

  constructor(dependencies: Dependencies) {
    const { store, heartbeat, blobs, tables, modelClient, home, contact, log } = dependencies;
    this.#dependencies = dependencies;
    const vectors = new LanceVectors(tables);
    this.#runner = new IndexRunner(
      {
        indexStore: new IndexStore(store, heartbeat),
        ...{ vectors, blobs, modelClient, log },
        scratch: join(home, 'scratch/documents'),
        tokenizer: async (embedder, accountId, signal) => {
          const { folder } = await modelClient.findWhenStarted(embedder, 'embed', accountId, signal);
          return join(folder, 'tokenizer.json');
        },
      },
      (error) => log.error({ err: error }, 'indexing failed; retrying'),
    );
    const onWork = () => this.#runner.wake();
    this.quota = new StorageQuota(store, contact);
    this.indexes = new Indexes({ store, quota: this.quota, onWork });
    this.files = new IndexFiles({ store, blobs, quota: this.quota, indexes: this.indexes, onWork });
    this.search = new Search(store, vectors, modelClient);
    this.answers = new Answers(this.search, new Quoter(modelClient), modelClient);
    this.suggestions = new Suggestions(store, modelClient);
  }
  routes(app: FastifyInstance, limits: UploadLimits): void {
    const { store, blobs, modelClient } = this.#dependencies;
    documentRoutes(app, { ...this, ...{ store, blobs, modelClient, limits } });
  }

  start(): void {
    this.#runner.start();
  }

  async stop(): Promise<void> {
    await this.#runner.stop();
  }
}
