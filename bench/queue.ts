// A long queue of tuning jobs on each database: the cost of a list, of a place in it and of a claim, and all accesses to the tables
// for many tiny jobs.
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Accounts } from '../server/src/accounts/accounts.ts';
import { defaultLimits } from '../server/src/accounts/limits.ts';
import type { Caller } from '../server/src/auth/caller.ts';
import { Keys } from '../server/src/auth/keys.ts';
import { FolderBlobs } from '../server/src/blobs/folder.ts';
import { loadConfig } from '../server/src/config/load.ts';
import { openStore } from '../server/src/store/open.ts';
import { newJob } from '../server/src/testing/records.ts';
import { JobCommands } from '../server/src/tuning/job-commands.ts';
import { JobFolders } from '../server/src/tuning/job-folders.ts';
import { Jobs } from '../server/src/tuning/jobs.ts';
import { JobStore } from '../server/src/tuning/queue/job-store.ts';
import { stepsTo } from '../server/src/tuning/queue/states.ts';

const postgres = process.env.LOREKEEP_TEST_DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres';
const rounds = 20;

export async function measureQueue(queued: number, tiny: number, say: (line: string) => void): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'lorekeep-bench-'));
  try {
    await measure('SQLite', `sqlite:${join(folder, 'queue.db')}`, folder, queued, tiny, say);
    const { default: pg } = await import('pg');
    const client = new pg.Client({ connectionString: postgres, connectionTimeoutMillis: 3000 });
    const name = `lorekeep_bench_${randomBytes(8).toString('hex')}`;
    try {
      await client.connect();
    } catch (error) {
      return say(`PostgreSQL is left out: ${(error as Error).message}`);
    }
    try {
      await client.query(`create database ${name}`);
      const url = new URL(postgres);
      url.pathname = `/${name}`;
      await measure('PostgreSQL', url.href, folder, queued, tiny, say);
    } finally {
      await client.query(`drop database if exists ${name} with (force)`);
      await client.end();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function measure(
  engine: string,
  url: string,
  folder: string,
  queued: number,
  tiny: number,
  say: (line: string) => void,
): Promise<void> {
  const store = await openStore(url);
  try {
    const { config } = loadConfig({ flags: {}, environment: {} });
    const limits = defaultLimits(config);
    const accounts = new Accounts(store, new FolderBlobs(join(folder, 'files')), limits);
    const accountId = await accounts.ensureOperator();
    const { id: keyId } = await new Keys(store, limits).create({
      accountId,
      name: 'bench',
      scopes: ['tune'],
      expiresAt: null,
    });
    const caller = { account: { id: accountId } } as Caller;
    const jobStore = new JobStore(store);
    const jobCommands = new JobCommands(store);
    const jobs = new Jobs(store, new JobFolders(folder, 'bench'));
    const create = () => jobCommands.create(newJob({ name: randomBytes(32).toString('hex'), accountId, keyId }));
    const claim = (slots: number) =>
      jobStore.claim(
        'bench',
        slots,
        () => true,
        (taken) => taken.map((job) => ({ id: job.id, slots: job.slots, guest: false, stopping: false })),
        { shared: false },
      );

    const begun = performance.now();
    for (let count = 0; count < tiny; count++) {
      await create();
      const { started } = await claim(1);
      const [job] = started;
      if (!job) throw new Error('A job that is alone in the queue was not started.');
      const { id, name } = job;
      const point = JSON.stringify({ loss: 0, step: 1 });
      const progress = {
        facts_total: 1,
        facts_done: 1,
        experts_total: 1,
        experts_done: 1,
        ...{ experts_reused: 0, move: null },
        eta_seconds: 0,
      };
      const states = stepsTo('LOADING DATA', 'SAVING MODEL');
      const report = { states, warnings: [], notes: [], points: [{ step: 1, point }], progress, waves: 1, end: 100 };
      await jobStore.advance('bench', id, report, 1);
      await jobStore.complete('bench', id, { facts: 1, recalled: 1, experts: 1, bytes: name.length }, 2, null);
    }
    const each = (performance.now() - begun) / tiny;
    say(
      `${engine}: ${tiny} tiny jobs from CREATED to COMPLETED: ${each.toFixed(2)} ms of tables each, ${Math.round(1000 / each)} a second`,
    );

    let first = 0;
    let last = 0;
    for (let count = 0; count < queued; count++) {
      last = await create();
      first ||= last;
    }
    // The first claim reports to each job that it is queued.
    await claim(0);
    const figures: [string, () => Promise<unknown>][] = [
      ['list of 100', () => jobs.list(caller, 100, undefined)],
      ['list of 1,000', () => jobs.list(caller, 1000, undefined)],
      ['one job in the middle', () => jobs.show(caller, Math.floor((first + last) / 2))],
      ['the last one', () => jobs.show(caller, last)],
      ['claim, nothing free', () => claim(0)],
    ];
    for (const [what, work] of figures)
      say(`${engine}: ${queued} queued, ${what}: ${(await median(work)).toFixed(1)} ms`);
    let slots = 0;
    say(`${engine}: ${queued} queued, claim of one: ${(await median(() => claim(++slots))).toFixed(1)} ms`);
  } finally {
    await store.close();
  }
}

async function median(work: () => Promise<unknown>): Promise<number> {
  const took: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const begun = performance.now();
    await work();
    took.push(performance.now() - begun);
  }
  return took.sort((one, other) => one - other)[Math.floor(rounds / 2)]!;
}
