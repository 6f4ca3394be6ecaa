// Files of an index from the command line: their names, their new versions, and the outcome of one call.
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { startWithEngine } from '../../server/src/testing/engine.ts';
import { adminKey, type TestServer } from '../../server/src/testing/server.ts';
import { run } from './testing/program.ts';

describe('files of an index', () => {
  let server: TestServer;
  let folder: string;
  let environment: Record<string, string>;
  before(async () => {
    server = await startWithEngine({ slots: '0' });
    folder = await mkdtemp(join(tmpdir(), 'lorekeep-cli-'));
    environment = { LOREKEEP_BASE_URL: server.url, LOREKEEP_API_KEY: adminKey, HOME: folder };
    for (const [name, text] of Object.entries({
      'north/gates.md': 'The north gate opens at six.\n',
      'south/gates.md': 'The south gate opens at nine.\n',
      'south/inner/doors.md': 'The inner door is locked.\n',
      'broken.pdf': '%PDF-1.4\nnothing of it',
    })) {
      await mkdir(join(folder, name, '..'), { recursive: true });
      await writeFile(join(folder, name), text);
    }
  });
  after(async () => {
    await server.end();
    await rm(folder, { recursive: true });
  });

  const lorekeep = async (...words: string[]) => await run(words, environment);
  const result = async (...words: string[]) => {
    const { code, out, error } = await lorekeep(...words);
    assert.equal(code, 0, `${words.join(' ')}: ${error}`);
    return out.trimEnd();
  };
  const names = async (id: string) =>
    JSON.parse(await result('index', 'files', id, '--json'))
      .map(({ name, state }: { name: string; state: string }) => `${name} ${state}`)
      .sort();

  it('of one name are told apart by their folders, and replaced by new versions', async () => {
    const id = await result('index', join(folder, 'north/gates.md'));
    assert.deepEqual(await names(id), ['gates.md done']);
    await writeFile(join(folder, 'north/gates.md'), 'The north gate opens at seven.\n');
    await result('index', join(folder, 'north/gates.md'), '--to', id);
    assert.deepEqual(await names(id), ['gates.md done']);
    assert.match(await result('index', 'search', id, 'When does the north gate open?'), /at seven/);
    await result('index', join(folder, 'south'), '--to', id);
    assert.deepEqual(await names(id), ['gates.md done', 'inner/doors.md done']);
    const both = await result('index', join(folder, 'north/gates.md'), join(folder, 'south/gates.md'));
    assert.deepEqual(await names(both), ['north/gates.md done', 'south/gates.md done']);
  });

  it('belong to an index that has a name, which every command takes for its number', async () => {
    const id = await result('index', join(folder, 'south/inner/doors.md'), '--name', 'doors of the house');
    const named = 'doors of the house';
    const [file] = JSON.parse(await result('index', 'files', named, '--json'));
    assert.equal(await result('index', join(folder, 'north/gates.md'), '--to', named), id);
    assert.match(await result('index', 'show', named), /2 files/);
    assert.equal(await result('index', 'watch', named), id);
    assert.match(await result('index', 'search', named, 'Is the inner door locked?'), /locked/);
    assert.equal(
      await result('ask', '--index', named, '--answer', 'quote', 'Which door is locked?'),
      'The inner door is locked.',
    );
    assert.match(await result('index', 'download', named, String(file.id)), /^The inner door/);
    await result('index', 'remove', named, String(file.id));
    const wrong = await lorekeep('index', 'show', 'doors of the hose');
    assert.equal(wrong.code, 5);
    assert.equal(wrong.error, 'Error: There is no index "doors of the hose". Did you mean "doors of the house"?\n');
    const told = await lorekeep('ask', '--index', 'nowhere', 'What?', '--json');
    assert.deepEqual([told.code, JSON.parse(told.error).error.code], [5, 'index_not_found']);
    await result('index', 'delete', named);
    assert.equal((await lorekeep('index', 'show', id)).code, 5);
  });

  it('that failed in an earlier call are no failure of this one', async () => {
    const partly = await lorekeep('index', join(folder, 'broken.pdf'), join(folder, 'north/gates.md'));
    assert.equal(partly.code, 7, partly.error);
    assert.match(partly.error, /^broken\.pdf: .+\n1 of 2 files could be read\.\n$/);
    const id = partly.out.trim();
    const good = await lorekeep('index', join(folder, 'south/inner/doors.md'), '--to', id);
    assert.deepEqual([good.code, good.error], [0, '']);
    const known = await lorekeep('index', join(folder, 'north/gates.md'), '--to', id);
    assert.deepEqual([known.code, known.error], [0, '']);
    await writeFile(join(folder, 'cut.pdf'), '%PDF-1.4\nsomething else');
    const both = await lorekeep('index', join(folder, 'cut.pdf'), join(folder, 'south/gates.md'), '--to', id);
    assert.equal(both.code, 7);
    assert.match(both.error, /^cut\.pdf: .+\n1 of 2 files could be read\.\n$/);
    // Watching tells about the whole index.
    assert.match((await lorekeep('index', 'watch', id)).error, /broken\.pdf: .+\n.*cut\.pdf: .+\n2 of 4 files/s);
  });
});
