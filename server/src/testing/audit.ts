// Checks a restarted server against the record of what it acknowledged, and its disk against its own records.
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openStore } from '../store/open.ts';
import { type Acknowledged, type State, succeed } from './acknowledged.ts';
import { adminKey } from './server.ts';

export interface Findings {
  missing: string[];
  /** Reappeared after its acknowledged deletion, or was never requested. */
  undead: string[];
  halfWritten: string[];
  stray: string[];
}

type Entry = { state: State; fresh: boolean };

/** Checks everything against the lists. Fresh entries, or with `all` every entry, are used too: keys sign in, datasets are downloaded. */
export async function audit(url: string, acknowledged: Acknowledged, all: boolean): Promise<Findings> {
  const findings: Findings = { missing: [], undead: [], halfWritten: [], stray: [] };
  const compare = (name: string, entry: Entry, there: boolean) => {
    if (entry.state === 'there' && !there) findings.missing.push(name);
    if (entry.state === 'gone' && there) findings.undead.push(name);
    // For a change without an acknowledgement the found state is accepted.
    if (entry.state === 'unsure') entry.state = there ? 'there' : 'gone';
  };
  const toUse = <Kind extends Entry>(entries: Iterable<Kind>) => [...entries].filter((entry) => all || entry.fresh);

  const { keys } = await succeed(url, 'GET', '/v1/keys?limit=1000');
  const active = new Set<number>(
    keys.filter((key: { status: string }) => key.status === 'active').map((key: { id: number }) => key.id),
  );
  await auditLog(url, active, findings);
  for (const key of acknowledged.keys.values()) compare(`key ${key.id}`, key, active.has(key.id));
  await each(toUse(acknowledged.keys.values()), async (key) => {
    compare(`use of key ${key.id}`, key, await signsIn(url, key.secret));
    key.fresh = false;
  });

  const listed = new Map<string, number>();
  for (let after: number | null = 0; after !== null; ) {
    const page = await succeed(url, 'GET', `/v1/datasets?limit=1000${after ? `&after=${after}` : ''}`);
    for (const { dataset_id, rows } of page.datasets) listed.set(dataset_id, rows);
    after = page.next;
  }
  for (const [hash, entry] of acknowledged.datasets) compare(`dataset ${hash}`, entry, listed.has(hash));
  for (const [hash, rows] of listed) {
    const entry = acknowledged.datasets.get(hash);
    if (!entry) findings.undead.push(`dataset ${hash} that nobody sent`);
    else if (entry.rows !== rows) findings.halfWritten.push(`dataset ${hash}: ${rows} of ${entry.rows} rows`);
  }
  await each(
    [...acknowledged.datasets].filter(([, entry]) => (all || entry.fresh) && entry.state === 'there'),
    async ([hash, entry]) => {
      const problem = await downloadProblem(url, hash);
      if (problem) findings.halfWritten.push(`download of ${hash}: ${problem}`);
      entry.fresh = false;
    },
  );

  const { accounts } = await succeed(url, 'GET', '/v1/accounts');
  const names = new Map(accounts.map((account: { id: number; name: string }) => [account.id, account.name]));
  for (const [id, account] of acknowledged.accounts) compare(`account ${id}`, account, names.get(id) === account.name);
  await each(toUse(acknowledged.accounts.values()), async (account) => {
    const { secret, dataset } = account;
    if (secret) compare(`key of ${account.name}`, account, await signsIn(url, secret));
    if (secret && dataset && account.state === 'there') {
      const problem = await downloadProblem(url, dataset, secret);
      if (problem) findings.missing.push(`dataset of ${account.name}: ${problem}`);
    }
    account.fresh = false;
  });
  return findings;
}

/** Checks that the chain of the audit log is valid, and that every key has its row: both were written, or neither. */
async function auditLog(url: string, keys: Set<number>, findings: Findings): Promise<void> {
  const { fault } = await succeed(url, 'GET', '/v1/audit/verify');
  if (fault) findings.halfWritten.push(`row ${fault.number} of the audit log: ${fault.reason}`);
  const loggedKeys = new Set<string>();
  for (const action of ['key.created', 'key.rotated'])
    for (let after: number | null = 0; after !== null; ) {
      const page = await succeed(url, 'GET', `/v1/audit?action=${action}&limit=1000${after ? `&after=${after}` : ''}`);
      for (const { subject, details } of page.rows) loggedKeys.add(String(details.new_key ?? subject));
      after = page.next;
    }
  for (const id of keys)
    if (!loggedKeys.has(String(id))) findings.missing.push(`the row of key ${id} in the audit log`);
}

/** Checks that every record has an intact file, every file has a record, and no draft is left. */
export async function auditDisk(home: string, databaseUrl: string, findings: Findings): Promise<void> {
  const store = await openStore(databaseUrl);
  try {
    const records = await store.db.selectFrom('datasets').select(['blob', 'hash']).execute();
    const known = new Map(records.map(({ blob, hash }) => [join(home, 'files', blob), hash]));
    // A server killed early in its first start has made no folder yet.
    const files = await readdir(join(home, 'files'), { recursive: true, withFileTypes: true }).catch((error) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    });
    const paths = files.filter((file) => file.isFile()).map((file) => join(file.parentPath, file.name));
    findings.stray.push(...paths.filter((path) => !known.has(path)));
    await each([...known], async ([path, hash]) => {
      const bytes = await readFile(path).catch(() => undefined);
      if (!bytes) findings.missing.push(`the file of dataset ${hash}`);
      else if (sha256(bytes) !== hash) findings.halfWritten.push(`the file of dataset ${hash}`);
    });
  } finally {
    await store.close();
  }
}

async function signsIn(url: string, secret: string): Promise<boolean> {
  const response = await fetch(`${url}/v1/account`, { headers: { authorization: `Bearer ${secret}` } });
  const text = await response.text();
  if (response.status !== 200 && response.status !== 401) throw new Error(`/v1/account: ${response.status} ${text}`);
  return response.status === 200;
}

async function downloadProblem(url: string, hash: string, key = adminKey): Promise<string | undefined> {
  const response = await fetch(`${url}/v1/datasets/${hash}/download`, { headers: { authorization: `Bearer ${key}` } });
  const bytes = Buffer.from(await response.arrayBuffer());
  if (response.status !== 200) return `${response.status} ${bytes}`;
  return sha256(bytes) === hash ? undefined : 'its content is not what was stored';
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** Limits concurrency. */
async function each<T>(items: T[], work: (item: T) => Promise<void>): Promise<void> {
  const rest = [...items];
  const lane = async () => {
    for (let item = rest.pop(); item !== undefined; item = rest.pop()) await work(item);
  };
  await Promise.all(Array.from({ length: 8 }, lane));
}
