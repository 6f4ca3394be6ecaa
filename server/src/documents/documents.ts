// Document indexes as one part of the server: everything in this folder put together.
import { join } from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import type { Blobs } from '../blobs/blobs.ts';
import type { Asking } from '../completions/asking.ts';
import type { Presence } from '../servers/presence.ts';
import type { Store } from '../store/database.ts';
import { Answers } from './answers/answers.ts';
import { Suggestions } from './answers/suggestions.ts';
import { IndexFiles } from './files.ts';
import { Indexes } from './indexes.ts';
import { IndexLedger } from './indexing/ledger.ts';
import { IndexRunner } from './indexing/runner.ts';
import { Room } from './room.ts';
import { Search } from './search/search.ts';
import { LanceVectors } from './vectors/lance.ts';

interface Needs {
  store: Store;
  presence: Presence;
  blobs: Blobs;
  asking: Asking;
  home: string;
  contact: string;
  log: FastifyBaseLogger;
}

export class Documents {
  readonly indexes: Indexes;
  readonly files: IndexFiles;
  readonly room: Room;
  readonly search: Search;
  readonly answers: Answers;
  readonly suggestions: Suggestions;
  readonly runner: IndexRunner;

  constructor({ store, presence, blobs, asking, home, contact, log }: Needs) {
    const vectors = new LanceVectors(join(home, 'vectors'));
    this.runner = new IndexRunner(
      {
        ledger: new IndexLedger(store, presence),
        ...{ vectors, blobs, asking, log },
        scratch: join(home, 'scratch/documents'),
        tokenizer: async (embedder, accountId, signal) => {
          const { folder } = await asking.findWhenStarted(embedder, 'embed', accountId, signal);
          return join(folder, 'tokenizer.json');
        },
      },
      (error) => log.error({ err: error }, 'a document index could not be worked on; tried again soon'),
    );
    const onWork = () => this.runner.look();
    this.room = new Room(store, contact);
    this.indexes = new Indexes({ store, room: this.room, onWork });
    this.files = new IndexFiles({ store, blobs, room: this.room, indexes: this.indexes, onWork });
    this.search = new Search(store, vectors, asking);
    this.answers = new Answers(this.search, asking);
    this.suggestions = new Suggestions(store, asking);
  }
}
