// A runner's place of work for a test: the real store, blobs, reader and vectors, and an embedder that the test holds in its hand.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { afterEach } from 'node:test';
import { FolderBlobs } from '../../blobs/folder.ts';
import type { Asking } from '../../completions/asking.ts';
import type { Caller } from '../../keys/caller.ts';
import { Presence } from '../../servers/presence.ts';
import type { Store } from '../../store/database.ts';
import { openStore } from '../../store/open.ts';
import { IndexFiles } from '../files.ts';
import { Indexes } from '../indexes.ts';
import type { Workplace } from '../indexing/indexing.ts';
import { IndexLedger } from '../indexing/ledger.ts';
import { IndexRunner } from '../indexing/runner.ts';
import type { ReceivedFile } from '../receive.ts';
import { Room } from '../room.ts';
import { LanceVectors } from '../vectors/lance.ts';
import { embedderTokenizer } from './embedder.ts';
import { testFolder } from './reading.ts';

const dimensions = 16;

export interface Site extends Workplace {
  home: string;
  store: Store;
  runner: IndexRunner;
  indexes: Indexes;
  files: IndexFiles;
  caller: Caller;
  vectors: LanceVectors;
  /** What went wrong in the background. */
  errors: unknown[];
  received(files: Record<string, string>): Promise<ReceivedFile[]>;
  create(files: Record<string, string>): Promise<number>;
  end(): Promise<void>;
}

interface Options {
  home: string;
  database: string;
  /** Called before texts are embedded; what it throws is what the engine says. */
  onEmbed?(texts: string[], signal: AbortSignal): Promise<void> | void;
  patience?: number;
}

/** One server; several may share a home and a database. */
export async function site({ home, database, onEmbed, patience }: Options): Promise<Site> {
  const store = await openStore(database);
  const presence = new Presence(store);
  await presence.beat({ nodes: 1, slots: 1 });
  const blobs = new FolderBlobs(join(home, 'files'));
  const vectors = new LanceVectors(join(home, 'vectors'));
  const embed: Asking['embed'] = async (_, { texts }, { signal }) => {
    await onEmbed?.(texts, signal);
    signal.throwIfAborted();
    const data = Buffer.concat(texts.map((text) => Buffer.from(vectorOf(text).buffer))).toString('base64');
    return { type: 'vectors', id: '', count: texts.length, dimensions, data, tokens: texts.length, truncated: [] };
  };
  const errors: unknown[] = [];
  const place: Workplace = {
    ledger: new IndexLedger(store, presence),
    ...{ vectors, blobs, scratch: join(home, 'scratch/documents') },
    asking: { embed } as Asking,
    tokenizer: async () => embedderTokenizer!,
    log: { warn: (facts) => errors.push(facts) },
  };
  const runner = new IndexRunner(place, (error) => errors.push(error));
  const room = new Room(store, 'nobody');
  const parts = { store, blobs, room, onWork: () => runner.look(), ...(patience !== undefined && { patience }) };
  const indexes = new Indexes(parts);
  const files = new IndexFiles({ ...parts, indexes });
  const caller = await callerOf(store);
  const received = async (contents: Record<string, string>) =>
    await Promise.all(
      Object.entries(contents).map(async ([name, content]) => {
        const draft = await blobs.draft('documents');
        await draft.write(Buffer.from(content));
        await draft.keep();
        return { name, sha256: createHash('sha256').update(content).digest('hex'), bytes: content.length, draft };
      }),
    );
  return {
    ...place,
    ...{ home, store, runner, indexes, files, caller, vectors, errors, received },
    create: async (contents) =>
      await indexes.create(caller, { model: 'lorekeep/quill', files: await received(contents), metadata: {} }),
    end: async () => {
      await runner.stop();
      await store.close();
    },
  };
}

/** Opens sites in a suite, each on a database of its own unless said; they are closed after each test. */
export function sitesOfSuite(): (options?: Partial<Options>) => Promise<Site> {
  const sites: Site[] = [];
  afterEach(async () => {
    for (const one of sites.splice(0)) await one.end();
  });
  return async (options = {}) => {
    const home = options.home ?? (await testFolder());
    const made = await site({ database: `sqlite:${join(home, 'test.db')}`, ...options, home });
    sites.push(made);
    return made;
  };
}

/** One account of all servers of a database. */
async function callerOf(store: Store): Promise<Caller> {
  const known = await store.db.selectFrom('keys').select(['id', 'account_id']).executeTakeFirst();
  const account = known?.account_id ?? (await accountOf(store));
  const key = known?.id ?? (await keyOf(store, account));
  return { account: { id: account, limits: { jobs: null, storage_bytes: null } }, key: { id: key } } as Caller;
}

async function accountOf(store: Store): Promise<number> {
  const values = { name: 'tester', role: 'member' as const, limits: '{}', created_at: 1, disabled_at: null };
  return (await store.db.insertInto('accounts').values(values).returning('id').executeTakeFirstOrThrow()).id;
}

async function keyOf(store: Store, account_id: number): Promise<number> {
  const named = { name: 'key', hash: 'key', hint: 'key', prefix: 'key', scopes: '[]', created_at: 1 };
  return (
    await store.db
      .insertInto('keys')
      .values({ account_id, ...named })
      .returning('id')
      .executeTakeFirstOrThrow()
  ).id;
}

/** Of the same text always the same. */
export function vectorOf(text: string): Float32Array {
  const bytes = createHash('sha256').update(text).digest();
  return Float32Array.from({ length: dimensions }, (_, at) => bytes[at]! / 128 - 1);
}
