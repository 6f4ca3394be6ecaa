// The databases that the store's tests run on: SQLite always, PostgreSQL if one answers. Each test gets its own database, without rows.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, beforeEach, describe } from 'node:test';
import pg from 'pg';
import type { Store } from '../store/database.ts';
import { openStore } from '../store/open.ts';
import { copyMigrated, type Templates, templates } from './templates.ts';

const serverUrl = process.env.LOREKEEP_TEST_DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres';

export interface TestDatabase {
  url: string;
  drop(): Promise<void>;
}

/** A `new` database has no tables, and dropping deletes it. Other PostgreSQL databases have the tables of the product. */
type Make = (wanted?: 'new') => Promise<TestDatabase>;

async function sqlite(wanted?: 'new'): Promise<TestDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'lorekeep-test-'));
  const path = join(folder, 'test.db');
  if (wanted !== 'new') await copyMigrated(path);
  return { url: `sqlite:${path}`, drop: () => rm(folder, { recursive: true, force: true }) };
}

/** Creating a database with its tables takes longer than most tests: a dropped one is emptied and reused by the next test of its suite. */
function postgresPool(): { make: Make; close(): Promise<void> } {
  const free: string[] = [];
  const drop = async (url: string) => await query(`drop database if exists ${nameOf(url)} with (force)`);
  return {
    make: async (wanted) => {
      if (wanted === 'new') {
        const url = await newDatabase();
        return { url, drop: () => drop(url) };
      }
      const url = free.pop() ?? (await migratedDatabase());
      const giveBack = async () => {
        await query(emptied, url);
        free.push(url);
      };
      return { url, drop: giveBack };
    },
    close: async () => {
      for (const url of free) await drop(url);
    },
  };
}

async function newDatabase(template = 'template1'): Promise<string> {
  const url = new URL(serverUrl);
  url.pathname = `/lorekeep_test_${crypto.randomUUID().replaceAll('-', '')}`;
  await query(`create database ${nameOf(url.href)} template ${template}`);
  return url.href;
}

async function migratedDatabase(): Promise<string> {
  const copied = templates().postgres;
  const url = await newDatabase(copied);
  if (copied === undefined) await migratePostgres(url);
  return url;
}

async function migratePostgres(url: string): Promise<void> {
  const store = await openStore(url);
  await store.close();
  await query(noted, url);
}

/** For ./lorekeep test: databases that are migrated once and copied for all test files. */
export async function makeTemplates(): Promise<{ environment: Record<string, string>; end(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'lorekeep-templates-'));
  const made: Templates = { sqlite: join(folder, 'migrated.db'), shared: folder };
  await (await openStore(`sqlite:${made.sqlite}`)).close();
  const url = postgresProblem === undefined ? await newDatabase() : undefined;
  if (url) {
    await migratePostgres(url);
    made.postgres = nameOf(url);
  }
  return {
    environment: { LOREKEEP_TEST_TEMPLATES: JSON.stringify(made) },
    end: async () => {
      await rm(folder, { recursive: true, force: true });
      if (url) await query(`drop database if exists ${nameOf(url)} with (force)`);
    },
  };
}

const nameOf = (url: string) => new URL(url).pathname.slice(1);

/** Saves the rows that migrations wrote. */
const noted = `do $$
  declare place text; has_rows boolean;
  begin
    create schema migrated;
    for place in select format('%I', tablename) from pg_tables where schemaname = 'public' loop
      execute format('select exists (select from %s)', place) into has_rows;
      if has_rows then execute format('create table migrated.%s as table %s', place, place); end if;
    end loop;
  end $$`;

/** Ends leftover connections of a test, replaces all rows by those of the migrations, and resets every sequence. */
const emptied = `do $$
  declare place text; has_rows boolean; full_ones text[] := '{}';
  begin
    perform pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid();
    for place in select format('%I', tablename) from pg_tables where schemaname = 'public' loop
      execute format('select exists (select from %s)', place) into has_rows;
      if has_rows then full_ones := full_ones || place; end if;
    end loop;
    execute format('truncate %s cascade', array_to_string(full_ones, ', '));
    for place in select format('%I', tablename) from pg_tables where schemaname = 'migrated' loop
      execute format('insert into %s select * from migrated.%s', place, place);
    end loop;
    for place in select format('%I', sequencename) from pg_sequences where schemaname = 'public' and last_value is not null loop
      execute format('alter sequence %s restart', place);
    end loop;
  end $$`;

async function query(text: string, connectionString = serverUrl): Promise<void> {
  // A busy machine must not skip the suites of a server that ./lorekeep test has found.
  const connectionTimeoutMillis = templates().postgres === undefined ? 3000 : 60_000;
  const client = new pg.Client({ connectionString, connectionTimeoutMillis });
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

/** Opens the store of a new database for each test of a suite, and closes it behind the test. */
export function storeOfEachTest(make: Make): () => Store {
  let database: TestDatabase;
  let store: Store;
  beforeEach(async () => {
    database = await make();
    store = await openStore(database.url);
  });
  afterEach(async () => {
    await store.close();
    await database.drop();
  });
  return () => store;
}

/** The same suite on every database. Without PostgreSQL its half is skipped with the reason. */
export function onEveryDatabase(name: string, suite: (make: Make) => void): void {
  describe(`${name} on SQLite`, () => suite(sqlite));
  onPostgres(name, suite);
}

/**
 * The same suite on every database with ./lorekeep test --long, otherwise on one: for suites that start engines or compute for long, since
 * other suites cover every database. Without PostgreSQL the one is SQLite.
 */
export function onDatabase(name: string, chosen: 'SQLite' | 'PostgreSQL', suite: (make: Make) => void): void {
  if (process.env.LOREKEEP_TEST_LONG === '1') onEveryDatabase(name, suite);
  else if (chosen === 'SQLite' || postgresProblem !== undefined) describe(`${name} on SQLite`, () => suite(sqlite));
  else onPostgres(name, suite);
}

/** For behaviour of database servers only, such as disconnecting. */
export function onPostgres(name: string, suite: (make: Make) => void): void {
  const skip = postgresProblem && `no PostgreSQL at LOREKEEP_TEST_DATABASE_URL (${postgresProblem})`;
  describe(`${name} on PostgreSQL`, { skip: skip ?? false }, () => {
    const { make, close } = postgresPool();
    suite(make);
    after(close);
  });
}

export { sqlite as emptySqlite };
