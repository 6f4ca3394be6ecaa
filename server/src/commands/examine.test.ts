// What ./lorekeep examine finds: each part whole and broken.
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { startServer } from '../testing/server.ts';
import { base, database, disk, engine, port } from './examine.ts';

describe('a look at the installation', () => {
  let place: string;
  before(async () => {
    place = await mkdtemp(join(tmpdir(), 'lorekeep-examine-'));
  });
  after(async () => await rm(place, { recursive: true }));

  it('takes a Python environment for whole once its packages are in', async () => {
    const states = [await engine(place)];
    await mkdir(join(place, '.setup/engine/bin'), { recursive: true });
    await writeFile(join(place, '.setup/engine/bin/python'), '');
    states.push(await engine(place));
    await writeFile(join(place, '.setup/engine/.stamp'), 'x');
    states.push(await engine(place));
    assert.deepEqual(
      states.map(({ state }) => state),
      ['trouble', 'trouble', 'well'],
    );
    assert.match(states[0]!.about, /not here/);
    assert.match(states[1]!.about, /not whole/);
    assert.match(states[1]!.mend!, /\.\/lorekeep setup/);
  });

  it('misses the base model', async () => {
    assert.equal((await base(place)).state, 'trouble');
    assert.equal((await base()).state, 'well');
  });

  it('looks at the home that is there, or will be', async () => {
    const [home, space] = await disk({ home: join(place, 'not/yet') });
    assert.equal(home!.state, 'well');
    assert.match(space!.about, /GB are free/);
    await writeFile(join(place, 'file'), '');
    const [sealed] = await disk({ home: join(place, 'file/home') });
    assert.deepEqual([sealed!.state, /LOREKEEP_HOME/.test(sealed!.mend ?? '')], ['trouble', true]);
  });

  it('opens the database, makes none, and hides the password of one that cannot be reached', async () => {
    const file = join(place, 'lorekeep.db');
    assert.equal((await database({ database_url: `sqlite:${file}` })).state, 'unknown');
    new DatabaseSync(file).exec('create table one (id integer)');
    assert.equal((await database({ database_url: `sqlite:${file}` })).state, 'well');
    await writeFile(file, 'this is no database, and it is longer than a header of one would be. '.repeat(20));
    const broken = await database({ database_url: `sqlite:${file}` });
    assert.deepEqual([broken.state, /Restore a backup/.test(broken.mend!)], ['trouble', true]);
    const away = await database({ database_url: 'postgres://someone:hunter2@127.0.0.1:2/none' });
    assert.deepEqual([away.state, away.about.includes('hunter2')], ['trouble', false]);
    assert.match(away.mend!, /Does PostgreSQL run/);
  });

  it('knows Lorekeep at its port from another program, and from nobody', async () => {
    const ours = await startServer();
    const { hostname, port: number } = new URL(ours.url);
    assert.equal((await port({ host: hostname, port: Number(number) })).state, 'well');
    await ours.end();
    assert.equal((await port({ host: hostname, port: Number(number) })).state, 'unknown');
    const other: Server = createServer((_, response) => void response.end('{"status": "ok"}'));
    await new Promise<void>((ready) => other.listen(0, '127.0.0.1', ready));
    const found = await port({ host: '127.0.0.1', port: (other.address() as AddressInfo).port });
    assert.deepEqual([found.state, /another program/.test(found.about)], ['trouble', true]);
    other.close();
    assert.match((await port({ host: '192.0.2.1', port: 0 })).mend!, /LOREKEEP_HOST/);
  });
});
