// Test environment of a runner: the real store, blobs, reader and vectors, and a fake embedder that the test controls.
import { createHash, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterEach } from 'node:test';
import type { Limits } from '../../../../reader/src/limits.ts';
import { embedderTokenizer } from '../../../../reader/src/testing/embedder.ts';
import { testFolder } from '../../../../reader/src/testing/reading.ts';
import type { Caller } from '../../auth/caller.ts';
import { FolderBlobs } from '../../blobs/folder.ts';
import type { ModelClient } from '../../inference/model-client.ts';
import { Heartbeat } from '../../leases/heartbeat.ts';
import type { Store } from '../../store/database.ts';
import { openStore } from '../../store/open.ts';
import { LanceVectors } from '../../vectors/lance.ts';
import { IndexFiles } from '../files.ts';
import { Indexes } from '../indexes.ts';
import type { IndexingDependencies } from '../indexing/dependencies.ts';
import { IndexStore } from '../indexing/index-store.ts';
import { IndexRunner } from '../indexing/runner.ts';
import type { ReceivedFile } from '../receive.ts';
import { StorageQuota } from '../storage-quota.ts';

const dimensions = 16;

export interface Site extends IndexingDependencies {
  home: string;
  store: Store;
  runner: IndexRunner;
  indexes: Indexes;
  files: IndexFiles;
  caller: Caller;
  vectors: LanceVectors;
  /** Collected errors of background work. */
  errors: unknown[];
  received(files: Record<string, string | Uint8Array>): Promise<ReceivedFile[]>;
  create(files: Record<string, string | Uint8Array>, by?: Caller): Promise<number>;
  /** A caller with its own account. */
  another(): Promise<Caller>;
  end(): Promise<void>;
}

interface Options {
  home: string;
  database: string;
  /** Called before texts are embedded; an error that it throws acts as a failure of the engine. */
  onEmbed?(texts: string[], signal: AbortSignal): Promise<void> | void;
  timeoutMs?: number;
  slice?: number;
  limits?: Partial<Limits>;
}

/** One server; several may share a home and a database. */
export async function site({ home, database, onEmbed, timeoutMs, slice, limits }: Options): Promise<Site> {
  const store = await openStore(database);
  const heartbeat = new Heartbeat(store);
  await heartbeat.beat({ nodes: 1, slots: 1 });
  const blobs = new FolderBlobs(join(home, 'files'));
  const vectors = new LanceVectors(join(home, 'vectors'));
  const embed: ModelClient['embed'] = async (_, { texts }, { signal }) => {
    await onEmbed?.(texts, signal);
    signal.throwIfAborted();
    const data = Buffer.concat(texts.map((text) => Buffer.from(vectorOf(text).buffer))).toString('base64');
    return { type: 'vectors', id: '', count: texts.length, dimensions, data, tokens: texts.length, truncated: [] };
  };
  const errors: unknown[] = [];
  const place: IndexingDependencies = {
    indexStore: new IndexStore(store, heartbeat),
    ...{ vectors, blobs, scratch: join(home, 'scratch/documents') },
    modelClient: { embed } as ModelClient,
    tokenizer: async () => embedderTokenizer!,
    log: { warn: (facts) => errors.push(facts) },
    ...(slice !== undefined && { slice }),
    ...(limits && { limits }),
  };
  const runner = new IndexRunner(place, (error) => errors.push(error));
  const quota = new StorageQuota(store, 'nobody');
  const parts = {
    store,
    blobs,
    quota,
    onWork: () => runner.wake(),
    ...(timeoutMs !== undefined && { timeoutMs }),
  };
  const indexes = new Indexes(parts);
  const files = new IndexFiles({ ...parts, indexes });
  const caller = await callerOf(store);
  const received = async (contents: Record<string, string | Uint8Array>) =>
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
    another: async () => await newCaller(store),
    create: async (contents, by = caller) =>
      await indexes.create(by, { model: 'lorekeep/quill', files: await received(contents), metadata: {} }),
    end: async () => {
      await runner.stop();
      await store.close();
    },
  };
}

/** Opens servers for a suite, each on its own database by default; they are closed after each test. */
export function sitesOfSuite(): (options?: Partial<Options>) => Promise<Site> {
  const sites: Site[] = [];
  afterEach(async () => {
    for (const one of sites.splice(0)) await one.end();
  });
  return async (options = {}) => {
    const home = options.home ?? (await testFolder());
    const started = await site({ database: `sqlite:${join(home, 'test.db')}`, ...options, home });
    sites.push(started);
    return started;
  };
}

async function newCaller(store: Store): Promise<Caller> {
  const account = await accountOf(store);
  return callerAs(account, await keyOf(store, account));
}

const callerAs = (account: number, key: number) =>
  ({ account: { id: account, limits: { jobs: null, storage_bytes: null } }, key: { id: key } }) as Caller;

/** An account that all servers of a database share. */
async function callerOf(store: Store): Promise<Caller> {
  const known = await store.db.selectFrom('keys').select(['id', 'account_id']).executeTakeFirst();
  const account = known?.account_id ?? (await accountOf(store));
  const key = known?.id ?? (await keyOf(store, account));
  return callerAs(account, key);
}

async function accountOf(store: Store): Promise<number> {
  const values = { name: randomUUID(), role: 'member' as const, limits: '{}', created_at: 1, disabled_at: null };
  return (await store.db.insertInto('accounts').values(values).returning('id').executeTakeFirstOrThrow()).id;
}

async function keyOf(store: Store, account_id: number): Promise<number> {
  const named = { name: 'key', hash: randomUUID(), hint: 'key', prefix: 'key', scopes: '[]', created_at: 1 };
  return (
    await store.db
      .insertInto('keys')
      .values({ account_id, ...named })
      .returning('id')
      .executeTakeFirstOrThrow()
  ).id;
}

/** A deterministic vector of a text. */
export function vectorOf(text: string): Float32Array {
  const bytes = createHash('sha256').update(text).digest();
  return Float32Array.from({ length: dimensions }, (_, at) => bytes[at]! / 128 - 1);
}
