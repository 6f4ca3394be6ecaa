// Opening of an SQLite file while another process writes to it.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { openSqlite } from './sqlite.ts';

/** A process with an open write transaction on a new file, like a server that starts at the same time. */
const writer = `
  const { DatabaseSync } = require('node:sqlite');
  const database = new DatabaseSync(process.argv[1]);
  database.exec('create table made (by text); begin immediate; insert into made values (1)');
  process.stdout.write('writes');
  process.stdin.once('data', () => setTimeout(() => { database.exec('commit'); database.close(); process.exit(0); }, 300));
`;

describe('a new SQLite file', () => {
  it('is refused where there is a folder, whose permissions stay', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'lorekeep-test-'));
    await chmod(folder, 0o1777);
    assert.throws(() => openSqlite(folder));
    assert.equal((await stat(folder)).mode & 0o7777, 0o1777);
    await rm(folder, { recursive: true });
  });

  it('is opened once the write transaction of another process has ended', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'lorekeep-test-'));
    const path = join(folder, 'new.db');
    const other = spawn(process.execPath, ['-e', writer, path], { stdio: ['pipe', 'pipe', 'inherit'] });
    try {
      await once(other.stdout, 'data');
      other.stdin.end('go on');
      const store = openSqlite(path);
      const { rows } = await sql<{ journal_mode: string }>`pragma journal_mode`.execute(store.db);
      assert.equal(rows[0]?.journal_mode, 'wal');
      assert.equal((await sql`select * from made`.execute(store.db)).rows.length, 1);
      await store.close();
    } finally {
      other.kill();
      await rm(folder, { recursive: true, force: true });
    }
  });
});
