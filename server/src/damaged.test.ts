// Damaged stored data: every read path names it, and intact data stays available.
import assert from 'node:assert/strict';
import { readdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { storedData } from './commands/stored-data.ts';
import { loadConfig } from './config/load.ts';
import { built, filesOf } from './documents/testing/indexes.ts';
import { startWithEngine } from './testing/engine.ts';
import { fileForm, type TestServer } from './testing/server.ts';

describe('damaged data', () => {
  let server: TestServer;
  const restores: (() => Promise<void>)[] = [];
  before(async () => {
    server = await startWithEngine({ slots: '0' });
  });
  after(async () => await server.end());
  afterEach(async () => {
    for (const restore of restores.splice(0)) await restore();
  });

  /** The file of this kind that contains this text. */
  async function blobWith(kind: string, text: string): Promise<string> {
    const folder = join(server.home, 'files', kind);
    for (const name of await readdir(folder)) {
      const path = join(folder, name);
      if ((await readFile(path)).includes(text)) return path;
    }
    throw new Error(`no file of ${kind} holds ${text}`);
  }

  const ways: Record<string, (path: string) => Promise<void>> = {
    flipped: async (path) => {
      const bytes = await readFile(path);
      bytes[Math.floor(bytes.length / 2)]! ^= 1;
      await writeFile(path, bytes);
    },
    'cut short': async (path) => await truncate(path, Math.floor((await readFile(path)).length / 2)),
    'made longer': async (path) => await writeFile(path, 'more', { flag: 'a' }),
    emptied: async (path) => await truncate(path, 0),
    gone: async (path) => await rm(path),
  };

  async function damaged(path: string, way: string): Promise<void> {
    const whole = await readFile(path);
    await ways[way]!(path);
    restores.push(async () => await writeFile(path, whole));
  }

  async function refused(name: string, method: string, path: string, body?: unknown): Promise<void> {
    const answer = await server.call(method, path, { ...(body !== undefined && { body }) });
    const summary = `${method} ${path}: ${JSON.stringify(answer.body).slice(0, 300)}`;
    assert.equal(answer.status, 500, summary);
    assert.equal(answer.body.code, 'data_damaged', summary);
    assert.ok(answer.body.detail.includes(name), summary);
  }

  for (const way of Object.keys(ways)) {
    it(`is reported wherever the dataset is read: ${way}`, async () => {
      const rows = Array.from({ length: 2000 }, (_, at) =>
        JSON.stringify({ input: `What is ${way} ${at}?`, output: `${at}` }),
      );
      const { body: dataset } = await server.call('POST', '/v1/datasets', {
        body: fileForm('a.jsonl', rows.join('\n')),
      });
      const id = dataset.dataset_id;
      await damaged(await blobWith('datasets', `What is ${way} 0?`), way);
      await refused(id, 'GET', `/v1/datasets/${id}/download`);
      await refused(id, 'POST', '/v1/train', { model_name: 'lorekeep/quill', dataset_id: id });
      await refused(id, 'POST', '/v1/evaluations', {
        dataset_id: id,
        max_rows: 3,
        targets: [{ model_name: 'lorekeep/quill' }],
      });
      assert.deepEqual((await server.call('GET', '/v1/train/jobs')).body, []);
      for (const restore of restores.splice(0)) await restore();
      const { status, body } = await server.call('GET', `/v1/datasets/${id}/download`);
      assert.deepEqual([status, (body as string).trim().split('\n').length], [200, 2000]);
    });

    it(`is reported when the document is downloaded: ${way}`, async () => {
      const text = `The ${way} valve is opened by hand. `.repeat(500);
      const id = await built(server, { 'valve.txt': text });
      const [file] = await filesOf(server, id);
      await damaged(await blobWith('documents', `The ${way} valve`), way);
      await refused('valve.txt', 'GET', `/v1/indexes/${id}/files/${file!.id}/download`);
      const { body } = await server.call('POST', `/v1/indexes/${id}/search`, { body: { query: `${way} valve` } });
      assert.ok(body.passages.length > 0);
    });
  }

  it('is found by the doctor', async () => {
    const look = async (within?: number) =>
      await storedData(loadConfig({ flags: { home: server.home }, environment: {} }).config, within);
    const rows = '{"input": "What does the doctor find?", "output": "Everything"}\n';
    const { body } = await server.call('POST', '/v1/datasets', { body: fileForm('a.jsonl', rows) });
    assert.equal((await look()).state, 'ok', (await look()).about);
    const path = await blobWith('datasets', 'What does the doctor find?');
    await damaged(path, 'flipped');
    const flipped = await look();
    assert.equal(flipped.state, 'problem');
    assert.match(
      flipped.about,
      new RegExp(`^The dataset ${body.dataset_id} is damaged: its content does not match its checksum\\.$`),
    );
    // Sizes alone, for when there is no time for more.
    assert.equal((await look(0)).state, 'ok');
    await damaged(path, 'gone');
    assert.match((await look(0)).about, /its file is missing/);
  });

  it('is reported when the index is searched, also if its folder is missing', async () => {
    const vectors = join(server.home, 'vectors');
    const ids: number[] = [];
    for (const part of ['data', '_versions', '_indices', undefined]) {
      const known = new Set(await readdir(vectors).catch(() => []));
      ids.push(await built(server, { 'valve.txt': `The valve of ${part} is opened by hand.` }));
      const [table] = (await readdir(vectors)).filter((name) => !known.has(name));
      const folder = join(vectors, table!, part ?? '');
      if (part === undefined) await rename(folder, join(server.home, 'lost'));
      else
        for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
          if (entry.isFile()) await truncate(join(entry.parentPath, entry.name), 10);
    }
    const found = await storedData(loadConfig({ flags: { home: server.home }, environment: {} }).config);
    assert.equal(found.state, 'problem');
    for (const id of [ids[0], ids[1], ids[3]]) assert.match(found.about, new RegExp(`document index ${id} is damaged`));
    // An open index may be partly in memory.
    server = await server.restart();
    for (const id of ids) {
      await refused(String(id), 'POST', `/v1/indexes/${id}/search`, { query: 'valve', mode: 'text' });
      assert.equal((await server.call('DELETE', `/v1/indexes/${id}`)).status, 200);
    }
  });
});
