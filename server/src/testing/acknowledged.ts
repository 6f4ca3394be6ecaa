// Record of everything that a server acknowledged to its clients, kept outside of the server: a crash must not
// lose any of it.
import { createHash } from 'node:crypto';
import type { Random } from './random.ts';
import { adminKey, fileForm } from './server.ts';

/** `unsure` while a change is sent but not acknowledged: after a crash either state is right. */
export type State = 'there' | 'unsure' | 'gone';

interface Entry {
  state: State;
  /** Written since the last check. */
  fresh: boolean;
}
export interface KeyEntry extends Entry {
  id: number;
  secret: string;
}
export interface DatasetEntry extends Entry {
  rows: number;
}
export interface AccountEntry extends Entry {
  name: string;
  secret?: string;
  dataset?: string;
}

export class Acknowledged {
  readonly keys = new Map<number, KeyEntry>();
  readonly datasets = new Map<string, DatasetEntry>();
  readonly accounts = new Map<number, AccountEntry>();
  writes = 0;
  #awaited: { count: number; reached: () => void } | undefined;

  add(): void {
    this.writes++;
    if (this.#awaited && this.writes >= this.#awaited.count) this.#awaited.reached();
  }

  /** Resolves when this many more writes were acknowledged. */
  async after(more: number): Promise<void> {
    if (more === 0) return;
    await new Promise<void>((reached) => {
      this.#awaited = { count: this.writes + more, reached };
    });
  }
}

/** A call that must succeed while the server lives; it throws if the server ends before the whole answer has arrived. */
export async function succeed(
  url: string,
  method: string,
  path: string,
  { body, key = adminKey }: { body?: unknown; key?: string } = {},
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
): Promise<any> {
  const form = body instanceof FormData;
  const response = await fetch(url + path, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body !== undefined && !form && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: form ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  if (response.status !== 200) throw new UnexpectedAnswer(`${method} ${path} answered ${response.status}: ${text}`);
  return JSON.parse(text);
}

/** The server is alive but refuses a valid call: a failure of the test, unlike a connection broken by a kill. */
export class UnexpectedAnswer extends Error {}

type Writer = (url: string, acknowledged: Acknowledged, random: Random) => Promise<void>;

/** Sends a change, and records its outcome only after the acknowledgement. */
async function change(
  acknowledged: Acknowledged,
  entry: Entry,
  to: State,
  send: () => Promise<unknown>,
): Promise<void> {
  entry.state = 'unsure';
  entry.fresh = true;
  await send();
  entry.state = to;
  acknowledged.add();
}

function add<Id, Kind extends Entry>(acknowledged: Acknowledged, entries: Map<Id, Kind>, id: Id, entry: Kind): Kind {
  entries.set(id, entry);
  acknowledged.add();
  return entry;
}

const writeKeys: Writer = async (url, acknowledged, random) => {
  const { id, key } = await succeed(url, 'POST', '/v1/keys', { body: { name: 'crash', scopes: ['read'] } });
  const entry = add(acknowledged, acknowledged.keys, id, { id, secret: key, state: 'there', fresh: true });
  const fate = random.pick(['kept', 'kept', 'revoked', 'rotated']);
  if (fate === 'revoked') await change(acknowledged, entry, 'gone', () => succeed(url, 'DELETE', `/v1/keys/${id}`));
  if (fate === 'rotated') {
    await change(acknowledged, entry, 'gone', async () => {
      const next = await succeed(url, 'POST', `/v1/keys/${id}/rotate`, { body: { grace_seconds: 0 } });
      add(acknowledged, acknowledged.keys, next.id, { id: next.id, secret: next.key, state: 'there', fresh: true });
    });
  }
};

/** Rows unique to this upload, sometimes more bytes than one write takes, and the hash that they must be stored under. */
function newRows(random: Random): { data: { input: string; output: string }[]; lines: string; hash: string } {
  const long = random.chance(0.2);
  const mark = crypto.randomUUID();
  const data = Array.from({ length: random.between(1, 40) }, (_, row) => ({
    input: `${mark} question ${row}`,
    output: `answer ${random.between(0, 1e9)} "é" ${'more '.repeat(long ? 15_000 : 10)}`,
  }));
  const lines = data.map((row) => `${JSON.stringify(row)}\n`).join('');
  return { data, lines, hash: createHash('sha256').update(lines).digest('hex') };
}

async function storeRows(
  url: string,
  acknowledged: Acknowledged,
  random: Random,
  way: 'json' | 'file',
): Promise<string> {
  const { data, lines, hash } = newRows(random);
  const entry: DatasetEntry = { rows: data.length, state: 'unsure', fresh: true };
  acknowledged.datasets.set(hash, entry);
  await change(acknowledged, entry, 'there', async () => {
    const stored =
      way === 'json'
        ? await succeed(url, 'POST', '/v1/local-data', { body: { upload_base_path: 'local', data } })
        : await succeed(url, 'POST', '/v1/datasets', { body: fileForm('rows.jsonl', lines) });
    if (stored.dataset_id !== hash) throw new UnexpectedAnswer(`rows of ${hash} were stored as ${stored.dataset_id}`);
  });
  return hash;
}

const writeDatasets =
  (way: 'json' | 'file'): Writer =>
  async (url, acknowledged, random) => {
    const hash = await storeRows(url, acknowledged, random, way);
    if (random.chance(0.4)) {
      await change(acknowledged, acknowledged.datasets.get(hash)!, 'gone', () =>
        succeed(url, 'DELETE', `/v1/datasets/${hash}`),
      );
    }
  };

const writeAccounts: Writer = async (url, acknowledged, random) => {
  const { id, name } = await succeed(url, 'POST', '/v1/accounts', { body: { name: `crash ${crypto.randomUUID()}` } });
  const account = add<number, AccountEntry>(acknowledged, acknowledged.accounts, id, {
    name,
    state: 'there',
    fresh: true,
  });
  account.secret = (await succeed(url, 'POST', '/v1/keys', { body: { name: 'theirs', account_id: id } })).key as string;
  acknowledged.add();
  const { data } = newRows(random);
  const stored = await succeed(url, 'POST', '/v1/local-data', { body: { data }, key: account.secret });
  account.dataset = stored.dataset_id;
  acknowledged.add();
  if (random.chance(0.5))
    await change(acknowledged, account, 'gone', () => succeed(url, 'DELETE', `/v1/accounts/${id}`));
};

const writers = [
  writeKeys,
  writeKeys,
  writeDatasets('json'),
  writeDatasets('file'),
  writeDatasets('file'),
  writeAccounts,
];

/** Concurrent clients that write, each until the server ends. */
export async function writeUntilItDies(url: string, acknowledged: Acknowledged, random: Random): Promise<void> {
  await Promise.all(
    writers.map(async (write) => {
      try {
        for (;;) await write(url, acknowledged, random);
      } catch (error) {
        if (error instanceof UnexpectedAnswer) throw error;
      }
    }),
  );
}
