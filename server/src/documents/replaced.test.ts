// Versions of a file: a file replaces the earlier one of its name in the index once it is read, and never before.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { isOver, type Metadata } from '@lorekeep/contract';
import { testFolder } from '../../../reader/src/testing/reading.ts';
import { FolderBlobs } from '../blobs/folder.ts';
import { onEveryDatabase, type TestDatabase } from '../testing/databases.ts';
import { until } from '../testing/until.ts';
import { receiveDocuments } from './receive.ts';
import { documentForm } from './testing/indexes.ts';
import { type Site, sitesOfSuite } from './testing/workplace.ts';

const first = 'The north gate opens at six.';
const second = 'The north gate opens at eight.';
const third = 'The north gate stays shut.';
/** A file that cannot be read. */
const empty = '';

onEveryDatabase('a file of the name of another one', (make) => {
  let database: TestDatabase;
  let one: Site;
  let gate = Promise.resolve();
  const open = sitesOfSuite();
  beforeEach(async () => {
    database = await make();
    gate = Promise.resolve();
    one = await open({
      database: database.url,
      onEmbed: async (texts) => {
        if (texts.some((text) => text.includes(second))) await gate;
      },
    });
    one.runner.start();
  });
  afterEach(async () => await database.drop());

  const add = async (id: number, files: Record<string, string>, metadata?: Metadata) =>
    await one.files.add(one.caller, id, { files: await one.received(files), metadata });
  const atRest = async (id: number) =>
    await until('the index is at rest', async () => {
      const { status } = await one.indexes.show(one.caller, id);
      return isOver(status) && (await one.indexStore.files(id, 'deleting')).length === 0;
    });
  const built = async (files: Record<string, string>) => {
    const id = await one.create(files);
    await atRest(id);
    return id;
  };
  const shown = async (id: number) =>
    (await one.files.list(one.caller, id, 100, undefined)).files.map(({ name, state }) => `${name} ${state}`);
  const textsOf = async (id: number) =>
    (await one.store.db.selectFrom('index_passages').select('passage').where('index_id', '=', id).execute())
      .map(({ passage }) => JSON.parse(passage).text)
      .sort();
  const statusOf = async (id: number) => (await one.indexes.show(one.caller, id)).status;

  it('replaces it once it is read, and nothing of the earlier one is left', async () => {
    const id = await built({ 'gates.md': first, 'other.md': third });
    const blobs = (await one.indexStore.files(id, 'done')).map(({ blob }) => blob);
    const shut = Promise.withResolvers<void>();
    gate = shut.promise;
    const added = await add(id, { 'gates.md': second });
    assert.deepEqual([added.unchanged, added.replaces], [[], ['gates.md']]);
    await until('it is being read', async () => (await statusOf(id)) === 'LOADING DATA');
    assert.equal((await shown(id))[0], 'gates.md done');
    assert.deepEqual(await textsOf(id), [first, third]);
    shut.resolve();
    await atRest(id);
    assert.deepEqual(await shown(id), ['other.md done', 'gates.md done']);
    assert.deepEqual(await textsOf(id), [second, third]);
    assert.equal(await one.vectors.count((await one.indexStore.show(id))!.vectors), 2);
    assert.deepEqual([...(await one.indexStore.knownBlobs(blobs))], blobs.slice(1));
    assert.deepEqual(one.errors, []);
  });

  it('leaves the earlier one where it cannot be read itself, and goes when a later one is', async () => {
    const id = await built({ 'gates.md': first });
    await add(id, { 'gates.md': empty });
    await atRest(id);
    assert.deepEqual(await shown(id), ['gates.md done', 'gates.md failed']);
    assert.deepEqual([await statusOf(id), await textsOf(id)], ['PARTIALLY COMPLETED', [first]]);
    await add(id, { 'gates.md': second });
    await atRest(id);
    assert.deepEqual(await shown(id), ['gates.md done']);
    assert.deepEqual([await statusOf(id), await textsOf(id)], ['COMPLETED', [second]]);
  });

  it('replaces one that failed, and of two that failed the last is left', async () => {
    const id = await built({ 'gates.md': empty, 'other.md': third });
    await add(id, { 'gates.md': '\n' });
    await atRest(id);
    assert.deepEqual(await shown(id), ['other.md done', 'gates.md failed']);
    await add(id, { 'gates.md': first });
    await atRest(id);
    assert.deepEqual(await shown(id), ['other.md done', 'gates.md done']);
    assert.equal(await statusOf(id), 'COMPLETED');
  });

  it('with the content of the last one that was read is not read again, and a failed one between them goes', async () => {
    const id = await built({ 'gates.md': first });
    await add(id, { 'gates.md': empty });
    await atRest(id);
    const again = await add(id, { 'gates.md': first });
    assert.deepEqual([again.ids, again.unchanged, again.replaces], [[], ['gates.md'], []]);
    await until('the failure is forgotten', async () => (await statusOf(id)) === 'COMPLETED');
    assert.deepEqual(await shown(id), ['gates.md done']);
  });

  it('with the content of an earlier version replaces a later one that still waits', async () => {
    const id = await built({ 'gates.md': first });
    const shut = Promise.withResolvers<void>();
    gate = shut.promise;
    await add(id, { 'gates.md': second });
    assert.deepEqual((await add(id, { 'gates.md': first })).replaces, ['gates.md']);
    shut.resolve();
    await atRest(id);
    assert.deepEqual([await shown(id), await textsOf(id)], [['gates.md done'], [first]]);
  });

  it('keeps the metadata of the earlier one unless it has its own', async () => {
    const id = await built({ 'other.md': third });
    const metadata = async () => JSON.parse((await one.indexStore.files(id, 'done')).at(-1)!.metadata);
    await add(id, { 'gates.md': first }, { team: 'doors' });
    await atRest(id);
    await add(id, { 'gates.md': second });
    await atRest(id);
    assert.deepEqual(await metadata(), { team: 'doors' });
    await add(id, { 'gates.md': third }, { team: 'walls' });
    await atRest(id);
    assert.deepEqual(await metadata(), { team: 'walls' });
  });

  it('stays beside the other one of the same upload, and a later one replaces both', async () => {
    const id = await built({ 'other.md': third });
    const files = [...(await one.received({ 'gates.md': first })), ...(await one.received({ 'gates.md': second }))];
    await one.files.add(one.caller, id, { files, metadata: undefined });
    await atRest(id);
    assert.deepEqual(await shown(id), ['other.md done', 'gates.md done', 'gates.md done']);
    await add(id, { 'gates.md': 'The code of all gates is 4444.\n' });
    await atRest(id);
    assert.deepEqual(await shown(id), ['other.md done', 'gates.md done']);
  });
});

describe('the name of an uploaded file', () => {
  it('is its path relative to the folder that was sent, never one on the disk of the sender', async () => {
    const blobs = new FolderBlobs(join(await testFolder(), 'files'));
    const names: string[] = [];
    const server = createServer(async (request, response) => {
      const quota = { bytes: 1e6, full: () => assert.fail() };
      await receiveDocuments(
        request,
        blobs,
        { bytes: 1e6, pauseSeconds: 60, wholeSeconds: 60 },
        quota,
        async ({ files }) => {
          names.push(...files.map(({ name }) => name));
        },
      ).catch((error) => names.push(String(error)));
      response.end();
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const { port } = server.address() as AddressInfo;
    const sent = [
      ['gates.md', 'gates.md'],
      ['sub/dir/gates.md', 'sub/dir/gates.md'],
      ['./other//gates.md', 'other/gates.md'],
      ['third\\gates.md', 'third/gates.md'],
      ['/home/ada/gates2.md', 'gates2.md'],
      ['C:\\Users\\Ada\\gates3.md', 'gates3.md'],
      ['../../etc/passwd', 'passwd'],
      ['a/../../b/gates4.md', 'gates4.md'],
      ['e\u0301tage/plan.md', 'étage/plan.md'],
      ['..', 'unnamed 19581e27de7ced00'],
    ];
    const body = documentForm(sent.map(([path], at) => [path!, String(at)]));
    await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body });
    server.close();
    assert.deepEqual(
      names,
      sent.map(([, name]) => name),
    );
  });
});
