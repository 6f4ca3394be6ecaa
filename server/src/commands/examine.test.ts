// Findings of the command `examine`: each part intact and broken.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import { checkout } from '../config/settings.ts';
import { openStore } from '../store/open.ts';
import { runCommand } from '../testing/process.ts';
import { startServer } from '../testing/server.ts';
import { base, database, disk, engine, examine, models, port } from './examine.ts';

describe('the examination of an installation', () => {
  let place: string;
  before(async () => {
    place = await mkdtemp(join(tmpdir(), 'lorekeep-examine-'));
  });
  after(async () => await rm(place, { recursive: true }));

  it('considers a Python environment complete once its packages are installed', async () => {
    const states = [await engine(place)];
    await mkdir(join(place, '.setup/engine/bin'), { recursive: true });
    await writeFile(join(place, '.setup/engine/bin/python'), '');
    states.push(await engine(place));
    await writeFile(join(place, '.setup/engine/.stamp'), 'x');
    states.push(await engine(place));
    assert.deepEqual(
      states.map(({ state }) => state),
      ['problem', 'problem', 'ok'],
    );
    assert.match(states[0]!.about, /missing/);
    assert.match(states[1]!.about, /incomplete/);
    assert.match(states[1]!.remedy!, /\.\/lorekeep setup/);
  });

  it('names only existing commands in its help', async () => {
    const launcher = await readFile(join(checkout, 'lorekeep'), 'utf8');
    const named = [...examine.help().matchAll(/\.\/lorekeep (\w+)/g)];
    assert.ok(named.length > 0);
    for (const [words] of named) assert.ok(launcher.includes(`\n  ${words} `), words);
  });

  it('reports a missing base model', async () => {
    assert.equal((await base(place)).state, 'problem');
    assert.equal((await base()).state, 'ok');
  });

  it('names the file of a base or tuned model in which one bit has changed', async () => {
    const home = join(place, 'home');
    assert.deepEqual(await models({ home }), []);
    const shipped = join(place, 'models/quill');
    const tuned = join(home, 'tuned/abc');
    await mkdir(tuned, { recursive: true });
    for (const folder of [shipped, join(home, 'models/org/scribe')])
      await cp(join(checkout, 'models/quill'), folder, { recursive: true });
    await writeFile(join(tuned, 'memory.json'), '{}');
    const sum = createHash('sha256').update('{}').digest('hex');
    await writeFile(join(tuned, 'checksums.json'), JSON.stringify({ 'memory.json': sum }));
    assert.equal((await base(place)).state, 'ok');
    assert.deepEqual(await models({ home }), [{ name: 'model files', state: 'ok', about: '2 checked' }]);

    await writeFile(join(tuned, 'memory.json'), '[]');
    for (const folder of [shipped, join(home, 'models/org/scribe')]) {
      const content = await readFile(join(folder, 'model.safetensors'));
      content[content.length >> 1]! ^= 1;
      await writeFile(join(folder, 'model.safetensors'), content);
    }
    const { state, about, remedy } = await base(place);
    assert.deepEqual([state, about], ['problem', 'lorekeep/quill is damaged: model.safetensors']);
    assert.match(remedy!, /git checkout models/);
    const found = await models({ home });
    assert.deepEqual(
      found.map((one) => [one.state, one.about]),
      [
        ['problem', 'org/scribe is damaged: model.safetensors'],
        ['problem', 'abc is damaged: memory.json'],
      ],
    );
    assert.ok(found.every((one) => one.remedy));
  });

  it('checks the home, or the folder in which it will be created', async () => {
    const [home, space] = await disk({ home: join(place, 'not/yet'), storage: 'folder' });
    assert.equal(home!.state, 'ok');
    assert.match(space!.about, /GB are free/);
    await writeFile(join(place, 'file'), '');
    const [sealed] = await disk({ home: join(place, 'file/home'), storage: 'folder' });
    assert.deepEqual([sealed!.state, /LOREKEEP_HOME/.test(sealed!.remedy ?? '')], ['problem', true]);
  });

  it('names a folder of the home that cannot be written', async () => {
    const home = join(place, 'sealed');
    await mkdir(join(home, 'files'), { recursive: true });
    await writeFile(join(home, 'files/documents'), '');
    const [sealed] = await disk({ home, storage: 'folder' });
    assert.equal(sealed!.state, 'problem');
    assert.match(sealed!.about, /sealed\/files\/documents is a file, and a folder is needed there: move it away/);
    const [elsewhere] = await disk({ home, storage: 's3://bucket' });
    assert.equal(elsewhere!.state, 'ok');
  });

  it('opens the database without creating one, and hides the password of an unreachable one', async () => {
    const file = join(place, 'lorekeep.db');
    assert.equal((await database({ database_url: `sqlite:${file}` })).state, 'unknown');
    new DatabaseSync(file).exec('create table one (id integer)');
    assert.equal((await database({ database_url: `sqlite:${file}` })).state, 'ok');
    await writeFile(file, 'this is no database, and it is longer than a header of one would be. '.repeat(20));
    const broken = await database({ database_url: `sqlite:${file}` });
    assert.deepEqual(
      [broken.state, /is not an SQLite database.*Restore a backup/.test(broken.about)],
      ['problem', true],
    );
    const away = await database({ database_url: 'postgres://someone:hunter2@127.0.0.1:2/none' });
    assert.deepEqual([away.state, away.about.includes('hunter2')], ['problem', false]);
    assert.match(away.about, /^The database of LOREKEEP_DATABASE_URL cannot be used: .*ECONNREFUSED/);
  });

  it('says of a database what a start says of it', async () => {
    const home = join(place, 'databases');
    await mkdir(home);
    const database_url = `sqlite:${join(home, 'lorekeep.db')}`;
    const store = await openStore(database_url);
    await sql`insert into schema_versions (version, name, applied_at) values (999, 'from the future', 0)`.execute(
      store.db,
    );
    await store.close();
    const same = async () => {
      const { state, about } = await database({ database_url });
      const { output } = await runCommand('up', [], { home, port: '0' });
      assert.deepEqual([state, `${about}\n`], ['problem', output]);
      return about;
    };
    assert.match(await same(), /databases\/lorekeep\.db has schema version 999/);
    await rm(join(home, 'lorekeep.db'));
    await mkdir(join(home, 'lorekeep.db'));
    assert.match(await same(), /is a folder/);
  });

  it('distinguishes Lorekeep at its port from another program and from a free port', async () => {
    const ours = await startServer();
    const { hostname, port: number } = new URL(ours.url);
    assert.equal((await port({ host: hostname, port: Number(number) })).state, 'ok');
    await ours.end();
    assert.equal((await port({ host: hostname, port: Number(number) })).state, 'unknown');
    const other: Server = createServer((_, response) => void response.end('{"status": "ok"}'));
    await new Promise<void>((ready) => other.listen(0, '127.0.0.1', ready));
    const found = await port({ host: '127.0.0.1', port: (other.address() as AddressInfo).port });
    assert.deepEqual([found.state, /another program listens/.test(found.about)], ['problem', true]);
    other.close();
    assert.match((await port({ host: '192.0.2.1', port: 0 })).remedy!, /LOREKEEP_HOST/);
  });
});
