// The databases that the store's tests run on: SQLite always, PostgreSQL where one answers. Each test gets an empty one of its own.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from 'node:test';
import pg from 'pg';

const serverUrl = process.env.LOREKEEP_TEST_DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres';

export interface TestDatabase {
  url: string;
  drop(): Promise<void>;
}

type Make = () => Promise<TestDatabase>;

async function sqlite(): Promise<TestDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'lorekeep-test-'));
  return { url: `sqlite:${join(folder, 'test.db')}`, drop: () => rm(folder, { recursive: true, force: true }) };
}

async function postgres(): Promise<TestDatabase> {
  const name = `lorekeep_test_${crypto.randomUUID().replaceAll('-', '')}`;
  await query(`create database ${name}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => query(`drop database if exists ${name} with (force)`) };
}

async function query(text: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl, connectionTimeoutMillis: 3000 });
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}

const postgresProblem = await query('select 1').then(
  () => undefined,
  (error: Error) => error.message || 'it does not answer',
);

/** The same suite on every database. Without a PostgreSQL its half is skipped, and says so. */
export function onEveryDatabase(name: string, suite: (make: Make) => void): void {
  describe(`${name} on SQLite`, () => suite(sqlite));
  onPostgres(name, suite);
}

/** For what only a database server can do, such as going away. */
export function onPostgres(name: string, suite: (make: Make) => void): void {
  const skip = postgresProblem && `no PostgreSQL at LOREKEEP_TEST_DATABASE_URL (${postgresProblem})`;
  describe(`${name} on PostgreSQL`, { skip: skip ?? false }, () => suite(postgres));
}

export { sqlite as emptySqlite };
