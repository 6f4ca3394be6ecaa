// The client against the real server: every kind of route, uploads from every source, pages, errors, settings.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { routes as contractRoutes, errors } from '@lorekeep/contract';
import { adminKey, startServer, type TestServer } from '../../server/src/testing/server.ts';
import {
  AuthenticationError,
  DatasetNotFoundError,
  errorClasses,
  InvalidRequestError,
  KeyUnknownError,
  Lorekeep,
  LorekeepError,
  NameTakenError,
  NotFoundError,
  PermissionError,
  RowsInvalidError,
  routes,
  ScopeMissingError,
  ValidationError,
} from './index.ts';

describe('the client and the real server', () => {
  let server: TestServer;
  let lorekeep: Lorekeep;
  let folder: string;
  before(async () => {
    server = await startServer();
    lorekeep = new Lorekeep({ baseUrl: `${server.url}/`, apiKey: adminKey });
    folder = await mkdtemp(join(tmpdir(), 'lorekeep-client-'));
  });
  after(async () => {
    await server.end();
    await rm(folder, { recursive: true });
  });

  it('has a method for each route of the contract, and a class for each error', () => {
    // A route that answers at a second path is one method.
    for (const { name } of contractRoutes.filter((route) => !route.name.endsWith('InV1'))) {
      assert.ok(name in routes, name);
      assert.equal(typeof (lorekeep as unknown as Record<string, unknown>)[name], 'function', name);
    }
    assert.deepEqual(Object.keys(errorClasses), Object.keys(errors));
  });

  it('calls routes with arguments in the path, the query and the body, and without arguments', async () => {
    assert.equal((await lorekeep.health()).status, 'ok');
    assert.equal((await lorekeep.showOwnAccount()).role, 'operator');
    const account = await lorekeep.createAccount({ name: 'Support' });
    const changed = await lorekeep.changeAccount({ id: account.id, limits: { jobs: 3 } });
    assert.equal(changed.limits.jobs, 3);
    const created = await lorekeep.createKey({ name: 'theirs', account_id: account.id, scopes: ['read'] });
    const { keys } = await lorekeep.listKeys({ account_id: account.id });
    assert.deepEqual(
      keys.map(({ id }) => id),
      [created.id],
    );
    assert.equal((await lorekeep.rotateKey({ id: created.id })).name, 'theirs');
    assert.equal((await lorekeep.revokeKey({ id: created.id })).status, 'revoked');
    assert.deepEqual(await lorekeep.deleteAccount({ id: account.id }), { deleted: account.id });
    assert.match(await (await lorekeep.metrics()).text(), /^# HELP/);
    assert.equal((await lorekeep.openapi()).openapi, '3.1.0');
    assert.equal((await lorekeep.readiness()).parts.database, 'ok');
  });

  it('accepts a model name with a slash', async () => {
    const name = 'lorekeep/quill';
    const model = await lorekeep.showDownloadedModel({ model: name });
    assert.equal(model.model_name, name);
  });

  it('uploads files from paths, blobs, bytes, streams and generators', async () => {
    const path = join(folder, 'facts "of" Köln.csv');
    await writeFile(path, 'input,output\nWho approves travel?,Dana Reyes\n');
    const text = '{"input":"Who approves travel?","output":"Dana Reyes"}\n';
    const bytes = new TextEncoder().encode(text);
    async function* pieces() {
      yield text.slice(0, 10);
      yield bytes.subarray(10);
    }
    const uploads = [
      path,
      pathToFileURL(path),
      new File([text], 'facts.jsonl'),
      { name: 'facts.jsonl', content: new Blob([text]) },
      { name: 'facts.jsonl', content: bytes },
      { name: 'facts.jsonl', content: text },
      { name: 'facts.csv', content: createReadStream(path) },
      { name: 'facts.jsonl', content: new Blob([text]).stream() },
      { name: 'facts.jsonl', content: pieces() },
    ];
    const ids = new Set<string>();
    for (const file of uploads)
      ids.add((await lorekeep.uploadFile({ file, name: 'travel', is_public: false })).dataset_id);
    assert.equal(ids.size, 1, 'all of them are the same rows');
    const [id] = ids as Set<string>;
    const rows = await Array.fromAsync(lorekeep.datasetRows(id!));
    assert.deepEqual(rows, [{ input: 'Who approves travel?', output: 'Dana Reyes' }]);
    assert.equal((await lorekeep.showDataset({ id: id! })).name, 'travel');
  });

  it('uploads rows from lists and generators, and downloads them', async () => {
    async function* rows() {
      for (let row = 0; row < 3000; row++) yield { input: `What is number ${row}?`, output: row };
    }
    const { dataset_id } = await lorekeep.uploadRows({ data: rows(), name: 'numbers' });
    assert.equal((await lorekeep.showDataset({ id: dataset_id })).rows, 3000);
    const listed = await lorekeep.uploadRows({ data: await Array.fromAsync(rows()) });
    assert.equal(listed.dataset_id, dataset_id);
    let sum = 0;
    for await (const { output } of lorekeep.datasetRows(dataset_id)) sum += Number(output);
    assert.equal(sum, (3000 * 2999) / 2);
  });

  it('iterates over pages', async () => {
    for (const word of ['one', 'two', 'three', 'four', 'five'])
      await lorekeep.uploadRows({ data: [{ input: word, output: word }] });
    const all = await Array.fromAsync(lorekeep.allDatasets({ limit: 2 }));
    const { datasets } = await lorekeep.listDatasets({ limit: 1000 });
    assert.ok(all.length >= 5);
    assert.deepEqual(all, datasets);
  });

  it('throws an error class for each refusal, with message and code', async () => {
    const missing = lorekeep.showDataset({ id: '0'.repeat(64) });
    await assert.rejects(missing, (error) => {
      assert.ok(
        error instanceof DatasetNotFoundError && error instanceof NotFoundError && error instanceof LorekeepError,
      );
      assert.equal(error.code, 'dataset_not_found');
      assert.equal(error.status, 404);
      assert.match(error.detail, /GET \/v1\/datasets lists them/);
      assert.equal(error.message, error.detail);
      assert.equal(error.name, 'DatasetNotFoundError');
      assert.ok(error.requestId);
      return true;
    });
    await assert.rejects(lorekeep.createAccount({ name: '' }), (error) => {
      assert.ok(error instanceof ValidationError && error instanceof InvalidRequestError);
      assert.deepEqual(error.mistakes[0]?.loc, ['body', 'name']);
      assert.match(error.detail, /body\.name: must not be empty/);
      return true;
    });
    await assert.rejects(lorekeep.uploadRows({ data: [{ input: 'a', output: '' }] }), RowsInvalidError);
    await lorekeep.createAccount({ name: 'Twice' });
    await assert.rejects(lorekeep.createAccount({ name: 'Twice' }), NameTakenError);
    const stranger = new Lorekeep({ baseUrl: server.url, apiKey: 'lk_wrong' });
    await assert.rejects(
      stranger.showOwnAccount(),
      (error) => error instanceof KeyUnknownError && error instanceof AuthenticationError,
    );
    await assert.rejects(stranger.openaiListModels(), KeyUnknownError, 'in the words of OpenAI as well');
    const { key } = await server.member('Reader', ['read']);
    const reader = new Lorekeep({ baseUrl: server.url, apiKey: key });
    await assert.rejects(
      reader.createKey({ name: 'x' }),
      (error) => error instanceof ScopeMissingError && error instanceof PermissionError,
    );
    await assert.rejects(new Lorekeep({ baseUrl: server.url, apiKey: null }).showOwnAccount(), { code: 'key_missing' });
    await assert.rejects(lorekeep.showKey({ id: '' }), /showKey needs "id"/);
  });

  it('reads address and key from the environment', async () => {
    const { output, code } = await script('process.stdout.write((await new Lorekeep().showOwnAccount()).role);', {
      LOREKEEP_BASE_URL: server.url,
      LOREKEEP_API_KEY: adminKey,
    });
    assert.equal(output, 'operator');
    assert.equal(code, 0, 'and the process ends by itself');
  });

  it('streams uploads and downloads with bounded memory', async () => {
    // 96 MB each way, in a separate process. A client that buffered them would hold them at least once.
    const { output } = await script(
      `import { readFileSync } from 'node:fs';
      const peak = () => Number(/VmHWM:\\s*(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]) / 1024;
      const lorekeep = new Lorekeep();
      await lorekeep.uploadRows({ data: [{ input: 'warm', output: 'up' }] });
      const filler = 'x'.repeat(64 * 1024);
      // On a busy machine the garbage collector is late, and garbage would count as used memory.
      const collected = (row) => { if (row % 50 === 0) gc(); };
      async function* rows() { for (let row = 0; row < 1500; row++) { collected(row); yield { input: String(row), output: filler }; } }
      async function* file() { for await (const row of rows()) yield JSON.stringify(row) + '\\n'; }
      const before = peak();
      const { dataset_id } = await lorekeep.uploadRows({ data: rows() });
      const same = await lorekeep.uploadFile({ file: { name: 'rows.jsonl', content: file() } });
      let bytes = 0;
      let row = 0;
      for await (const { output } of lorekeep.datasetRows(dataset_id)) { collected(row++); bytes += output.length; }
      console.log(JSON.stringify({ same: same.dataset_id === dataset_id, bytes, grown: peak() - before }));`,
      { LOREKEEP_BASE_URL: server.url, LOREKEEP_API_KEY: adminKey },
    );
    const { same, bytes, grown } = JSON.parse(output);
    assert.equal(same, true);
    assert.equal(bytes, 1500 * 64 * 1024);
    assert.ok(grown < 64, `its memory grew by ${grown} MB`);
  });
});

/** Runs a user program in a separate process, since the server runs in this one. */
async function script(
  text: string,
  environment: Record<string, string>,
): Promise<{ output: string; code: number | null }> {
  const program = `import { Lorekeep } from ${JSON.stringify(pathToFileURL(join(import.meta.dirname, 'index.ts')).href)};\n${text}`;
  const child = spawn(process.execPath, ['--expose-gc', '--input-type=module', '-e', program], {
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { output, code };
}
