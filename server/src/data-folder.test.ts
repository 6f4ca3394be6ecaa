// The data folder at a start: unusable database files, and permissions towards other users of the machine.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { openStore } from './store/open.ts';
import { succeed } from './testing/acknowledged.ts';
import { endProcesses, runCommand, startProcess } from './testing/process.ts';

const newHome = () => mkdtemp(join(tmpdir(), 'lorekeep-test-'));
const remove = (home: string) => rm(home, { recursive: true, force: true });

describe('an unusable database file', () => {
  let home: string;
  beforeEach(async () => {
    home = await newHome();
  });
  afterEach(async () => {
    await endProcesses();
    await remove(home);
  });

  /** The server and a separate command both exit with a sentence that names the file and says what to do. */
  async function assertToldOf(
    path: string,
    message: RegExp,
    flags: Parameters<typeof startProcess>[0] = {},
  ): Promise<void> {
    for (const [command, words] of [
      ['up', []],
      ['keys', ['list']],
    ] as const) {
      const { code, output } = await runCommand(command, [...words], {
        home,
        ...flags,
        ...(command === 'up' && { port: '0' }),
      });
      assert.equal(code, 1, output);
      assert.match(output, message);
      assert.ok(output.includes(path), output);
      assert.doesNotMatch(output, /\n\s+at |Error:/);
      assert.equal(output.trim().split('\n').length, 1, output);
    }
  }
  async function filled(): Promise<string> {
    const path = join(home, 'lorekeep.db');
    const server = await startProcess({ home });
    for (let count = 0; count < 30; count++)
      await succeed(server.url, 'POST', '/v1/keys', { body: { name: `key ${count}` } });
    assert.equal(await server.stop(), 0);
    return path;
  }

  it('is reported if it is a folder', async () => {
    const path = join(home, 'lorekeep.db');
    await mkdir(path);
    await assertToldOf(path, /is a folder: move it away/);
  });

  it('is reported if one page or all of it is damaged', async () => {
    const path = await filled();
    const bytes = await readFile(path);
    // The first page stays, so that the file is still a database.
    await writeFile(path, Buffer.concat([bytes.subarray(0, 4096), Buffer.alloc(bytes.length - 4096, 0xa5)]));
    await assertToldOf(path, /is damaged.*Restore a backup/);
    await writeFile(path, Buffer.alloc(bytes.length, 0xa5));
    await assertToldOf(path, /is not an SQLite database, or is damaged.*Restore a backup/);
    await writeFile(path, bytes.subarray(0, 5000));
    await assertToldOf(path, /damaged.*Restore a backup/);
  });

  it('is reported if its parent folder is a file', async () => {
    const path = join(home, 'notes.txt');
    await writeFile(path, 'no folder');
    const database_url = `sqlite:${join(path, 'data/lorekeep.db')}`;
    await assertToldOf(path, /A folder is needed where a file is/, { database_url });
  });

  it('is reported if this user may not write it', {
    skip: process.getuid?.() === 0 ? 'root may write everything' : false,
  }, async () => {
    const path = await filled();
    await chmod(home, 0o500);
    await chmod(path, 0o400);
    try {
      await assertToldOf(path, /cannot be written by the user/);
    } finally {
      await chmod(home, 0o700);
    }
  });
});

describe('a folder of files that cannot be written', () => {
  const may = spawnSync('unshare', ['-rm', 'sh', '-c', 'mount -t tmpfs tmpfs /mnt']).status === 0;

  it('is reported at the start', { skip: may ? false : 'file systems of a test cannot be mounted here' }, async () => {
    const home = await newHome();
    await mkdir(join(home, 'files'));
    try {
      const sealed = `mount -t tmpfs -o ro tmpfs ${home}/files && exec "$@"`;
      const start = startProcess({ home }, ['unshare', '-rm', 'sh', '-c', sealed, 'sh']);
      const told = `The folder ${home}/files cannot be written because its file system is read-only: mount it`;
      await assert.rejects(start, ({ message }: Error) => message.includes(told) && !/\n\s+at /.test(message));
    } finally {
      await endProcesses();
      await remove(home);
    }
  });
});

describe('a home that is open to other users', () => {
  it('denies them access to data and secrets from the next start on', async () => {
    const home = await newHome();
    const modeOf = async (name: string) => ((await stat(join(home, name))).mode & 0o777).toString(8);
    try {
      await chmod(home, 0o755);
      await mkdir(join(home, 'files/datasets'), { recursive: true });
      await mkdir(join(home, 'models'));
      await writeFile(join(home, 'lorekeep.env'), `LOREKEEP_CONTACT=ops\n`);
      await (await openStore(`sqlite:${join(home, 'lorekeep.db')}`)).close();
      for (const name of ['files', 'models', 'lorekeep.env', 'lorekeep.db']) await chmod(join(home, name), 0o777);
      // Started from a shell with the usual umask.
      const server = await startProcess({ home }, ['sh', '-c', 'umask 022; exec "$@"', 'sh']);
      await succeed(server.url, 'POST', '/v1/keys', { body: { name: 'first' } });
      for (const name of ['lorekeep.db', 'lorekeep.db-wal', 'lorekeep.db-shm', 'lorekeep.env'])
        assert.ok(['600', '700'].includes(await modeOf(name)), `${name}: ${await modeOf(name)}`);
      assert.equal(await modeOf('files'), '700');
      assert.equal(await modeOf('models'), '777', 'what may be shared on purpose stays');
      assert.equal(await server.stop(), 0);
    } finally {
      await endProcesses();
      await remove(home);
    }
  });

  it('gets no file that others may read, neither from the server nor from a command', async () => {
    const home = await newHome();
    try {
      await chmod(home, 0o755);
      assert.equal((await runCommand('keys', ['create', 'first'], { home })).code, 0);
      const server = await startProcess({ home }, ['sh', '-c', 'umask 022; exec "$@"', 'sh']);
      const data = [{ input: 'Who?', output: 'Ada' }];
      await succeed(server.url, 'POST', '/v1/local-data', { body: { data } });
      const open: string[] = [];
      for (const entry of await readdir(home, { recursive: true, withFileTypes: true })) {
        const path = join(entry.parentPath, entry.name);
        if (((await stat(path)).mode & 0o077) !== 0) open.push(path);
      }
      assert.deepEqual(open, []);
      assert.equal(await server.stop(), 0);
    } finally {
      await endProcesses();
      await remove(home);
    }
  });
});
