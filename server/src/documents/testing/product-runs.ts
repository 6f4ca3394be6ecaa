// Runs the real product several times on the same data, and inspects the data in between.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { defaultEmbedder } from '../../models/models.ts';
import { openStore } from '../../store/open.ts';
import type { TestDatabase } from '../../testing/databases.ts';
import { endProcesses, type ServerProcess, startProcess } from '../../testing/process.ts';
import { adminKey } from '../../testing/server.ts';
import { LanceVectors } from '../../vectors/lance.ts';
import type { Called } from './indexes.ts';

export interface ProductRun extends Called {
  /** Interval of polls, which leaves the server time to work. */
  until(id: number, holds: (index: { status: string; progress: { passages: number } }) => boolean): Promise<void>;
  untilGone(holds: () => Promise<boolean>): Promise<void>;
  kill(): Promise<void>;
  stop(): Promise<number | NodeJS.Signals>;
}

/** A home and a database that all tests of a suite share. */
export function placeOfSuite(make: () => Promise<TestDatabase>) {
  let database: TestDatabase;
  const place = {
    home: '',
    url: '',
    start: async (within: string[] = []) =>
      await startProcess({ home: place.home, database_url: place.url, slots: '0' }, within),
  };
  before(async () => {
    database = await make();
    place.url = database.url;
    place.home = await mkdtemp(join(tmpdir(), 'lorekeep-test-'));
  });
  afterEach(endProcesses);
  after(async () => {
    await database.drop();
    await rm(place.home, { recursive: true, force: true });
  });
  return place;
}

export function called(server: ServerProcess): ProductRun {
  const call: Called['call'] = async (method, path, { body, key = adminKey } = {}) => {
    const form = body instanceof FormData;
    const response = await fetch(server.url + path, {
      method,
      headers: { authorization: `Bearer ${key}`, ...(!form && body !== undefined && json) },
      ...(body !== undefined && { body: form ? body : JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json() };
  };
  return {
    call,
    until: async (id, holds) => {
      // Short enough to catch a fast engine in the middle of its work.
      for (let attempt = 0; attempt < 100_000; attempt++) {
        if (holds((await call('GET', `/v1/indexes/${id}`)).body)) return;
        await sleep(20);
      }
      throw new Error(`The index ${id} never came so far.`);
    },
    untilGone: async (holds) => {
      for (let attempt = 0; !(await holds()); attempt++) {
        assert.ok(attempt < 200, 'something is left');
        await sleep(100);
      }
    },
    kill: async () => void (await server.stop('SIGKILL')),
    stop: async () => await server.stop(),
  };
}

const json = { 'content-type': 'application/json' };

/** Reads the database while a server runs on it or afterwards. */
export async function stored(url: string) {
  const store = await openStore(url);
  try {
    const rows = await store.db.selectFrom('index_passages').select(['file_id', 'number']).execute();
    const places = rows.map(({ file_id, number }) => `${file_id}:${number}`);
    const usage = await store.db.selectFrom('usage').select('requests').where('model', '=', defaultEmbedder).execute();
    const indexes = await store.db.selectFrom('indexes').select('vectors').execute();
    return {
      passages: rows.length,
      doubled: places.filter((place, at) => places.indexOf(place) !== at),
      embedded: usage.reduce((sum, { requests }) => sum + requests, 0),
      indexes: indexes.length,
      vectors: indexes[0]?.vectors ?? '',
    };
  } finally {
    await store.close();
  }
}

export const vectorsOf = async (home: string, table: string) =>
  await new LanceVectors(join(home, 'vectors')).count(table);

/** Files written by the server that contain a word. */
export function holding(home: string, url: string, word: string): string[] {
  const places = url.startsWith('sqlite:') ? [home, url.slice('sqlite:'.length).replace(/[^/]*$/, '')] : [home];
  const found = execFileSync('sh', ['-c', `grep -rl ${word} "$@" || true`, 'sh', ...places], { encoding: 'utf8' });
  return found.split('\n').filter(Boolean);
}
