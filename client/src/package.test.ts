// The published package: installed in an empty folder, imported by plain JavaScript, type-checked in strict mode, and run in Chromium.
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { request as ask, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { adminKey, startServer, type TestServer } from '../../server/src/testing/server.ts';
import { pack } from '../../setup/pack.ts';

const root = resolve(import.meta.dirname, '../..');
const found = (...names: string[]) =>
  names.find((name) => spawnSync('sh', ['-c', `command -v ${name}`], { stdio: 'ignore' }).status === 0);
const chromium = process.env.LOREKEEP_TEST_CHROMIUM ?? found('chromium', 'chromium-browser', 'google-chrome');

describe('the published client', () => {
  let folder: string;
  let server: TestServer;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lorekeep-package-'));
    const built = pack('client', join(folder, 'built'));
    await writeFile(join(folder, 'package.json'), '{"type": "module"}');
    execFileSync('npm', ['install', '--no-audit', '--no-fund', '--offline', '--install-links', built], {
      cwd: folder,
      stdio: 'pipe',
    });
    server = await startServer();
  });
  after(async () => {
    await server.end();
    await rm(folder, { recursive: true });
  });

  const environment = () => ({
    PATH: process.env.PATH,
    LOREKEEP_BASE_URL: server.url,
    LOREKEEP_API_KEY: adminKey,
    NO_COLOR: '1',
  });
  const program = `
    import { Lorekeep, KeyUnknownError, version } from '@lorekeep/client';
    const lorekeep = new Lorekeep();
    const { dataset_id } = await lorekeep.uploadFile({ file: 'facts.csv' });
    const rows = [];
    for await (const row of lorekeep.datasetRows(dataset_id)) rows.push(row.output);
    const error = await new Lorekeep({ apiKey: 'lk_no' }).showOwnAccount().catch((error) => error);
    console.log(JSON.stringify({ version, rows, refused: error instanceof KeyUnknownError }));`;
  const expected = async () => {
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    return { version, rows: ['Dana Reyes'], refused: true };
  };

  const runs = async (command: string, words: string[]) => {
    await writeFile(join(folder, 'facts.csv'), 'input,output\nWho approves travel?,Dana Reyes\n');
    await writeFile(join(folder, 'program.mjs'), program);
    const child = spawn(command, words, { cwd: folder, env: environment() });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        output += chunk;
      });
    await new Promise((closed) => child.once('close', closed));
    assert.deepEqual(JSON.parse(output.trim().split('\n').at(-1) ?? ''), await expected(), output);
  };

  it('has no dependencies, and contains its types, its README and its licence', async () => {
    const of = async (file: string) => await readFile(join(folder, 'node_modules/@lorekeep/client', file), 'utf8');
    const manifest = JSON.parse(await of('package.json'));
    assert.equal(manifest.dependencies, undefined);
    assert.equal(manifest.private, undefined);
    assert.equal(manifest.version, JSON.parse(await readFile(join(root, 'package.json'), 'utf8')).version);
    assert.match(await of('README.md'), /^# @lorekeep\/client/);
    assert.match(await of('LICENSE'), /Apache/);
    assert.match(await of('index.d.ts'), /export/);
  });

  it('runs on Node', async () => await runs(process.execPath, ['program.mjs']));
  it(
    'runs on Deno',
    { skip: found('deno') ? false : 'no deno on this machine' },
    async () => await runs('deno', ['run', '-A', 'program.mjs']),
  );
  it(
    'runs on Bun',
    { skip: found('bun') ? false : 'no bun on this machine' },
    async () => await runs('bun', ['program.mjs']),
  );

  it('passes strict type checking with only the types of the platform', async () => {
    const text = `
      import { Lorekeep, type Dataset, type NewKey } from '@lorekeep/client';
      export async function use(lorekeep: Lorekeep, file: Blob): Promise<[NewKey, Dataset]> {
        // @ts-expect-error an unknown scope
        await lorekeep.createKey({ name: 'x', scopes: ['fly'] });
        // @ts-expect-error the name is required
        await lorekeep.createKey({});
        return [await lorekeep.createKey({ name: 'x', scopes: ['read'] }), await lorekeep.uploadFile({ file })];
      }`;
    const strict = {
      strict: true,
      noEmit: true,
      module: 'nodenext',
      target: 'es2022',
      lib: ['es2022', 'dom', 'dom.iterable', 'dom.asynciterable'],
      types: [],
      exactOptionalPropertyTypes: true,
    };
    await writeFile(join(folder, 'use.ts'), text);
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: strict, files: ['use.ts'] }));
    const { stdout, status } = spawnSync(join(root, 'node_modules/.bin/tsc'), ['-p', folder], { encoding: 'utf8' });
    assert.equal(stdout, '');
    assert.equal(status, 0);
  });

  it('runs in Chromium', { skip: chromium ? false : 'no Chromium on this machine' }, async () => {
    const result = await inChromium(join(folder, 'node_modules/@lorekeep/client'), server, adminKey);
    assert.deepEqual(result, {
      role: 'operator',
      ids: 1,
      rows: 'Dana Reyes',
      refused: 'KeyUnknownError',
      code: 'key_unknown',
      aborted: 'AbortError',
    });
  });
});

/** Runs a page from a separate origin that also proxies the server. The page reports its results in its last request. */
async function inChromium(client: string, server: TestServer, key: string): Promise<unknown> {
  const script = `
    import { Lorekeep } from '/client/index.js';
    const text = '{"input":"Who approves travel?","output":"Dana Reyes"}\\n';
    const report = async () => {
      const lorekeep = new Lorekeep({ apiKey: ${JSON.stringify(key)} });
      const stream = new Blob([text]).stream();
      const files = [new File([text], 'facts.jsonl'), { name: 'facts.jsonl', content: text }, { name: 'facts.jsonl', content: stream }];
      const ids = new Set();
      for (const file of files) ids.add((await lorekeep.uploadFile({ file })).dataset_id);
      async function* rows() { yield { input: 'Who approves travel?', output: 'Dana Reyes' }; }
      ids.add((await lorekeep.uploadRows({ data: [{ input: 'Who approves travel?', output: 'Dana Reyes' }] })).dataset_id);
      ids.add((await lorekeep.uploadRows({ data: rows() })).dataset_id);
      let found;
      for await (const row of lorekeep.datasetRows([...ids][0])) found = row.output;
      const error = await new Lorekeep({ apiKey: 'lk_no' }).showOwnAccount().catch((error) => error);
      const aborted = await lorekeep.version({ signal: AbortSignal.abort() }).catch((error) => error);
      const { role } = await lorekeep.showOwnAccount();
      return { role, ids: ids.size, rows: found, refused: error.name, code: error.code, aborted: aborted.name };
    };
    const found = await report().catch((error) => ({ error: String(error), stack: error.stack }));
    await fetch('/report', { method: 'POST', body: JSON.stringify(found) });`;
  const { promise, resolve: reported } = Promise.withResolvers<unknown>();
  const front = createServer(async (incoming, outgoing) => {
    const path = incoming.url ?? '/';
    if (path === '/')
      return void outgoing
        .writeHead(200, { 'content-type': 'text/html' })
        .end(`<script type="module">${script}</script>`);
    if (path.startsWith('/client/')) {
      const file = await readFile(join(client, path.slice('/client/'.length)));
      return void outgoing.writeHead(200, { 'content-type': 'text/javascript' }).end(file);
    }
    if (path === '/report') {
      reported(JSON.parse((await Array.fromAsync(incoming)).join('')));
      return void outgoing.end();
    }
    const { hostname, port } = new URL(server.url);
    const onward = ask({ hostname, port, path, method: incoming.method, headers: incoming.headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(onward);
  });
  await new Promise<void>((ready) => front.listen(0, '127.0.0.1', ready));
  const profile = await mkdtemp(join(tmpdir(), 'lorekeep-chromium-'));
  const flags = [
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
  ];
  flags.push(
    '--disable-component-update',
    '--disable-sync',
    '--disable-dev-shm-usage',
    `--user-data-dir=${profile}`,
    '--remote-debugging-port=0',
  );
  const browser = spawn(chromium!, [...flags, `http://127.0.0.1:${(front.address() as AddressInfo).port}/`], {
    stdio: 'ignore',
    detached: true,
  });
  const ended = new Promise((closed) => browser.once('close', closed));
  try {
    return await Promise.race([promise, ended.then(() => ({ error: 'Chromium ended' }))]);
  } finally {
    // Kills the process group, since a browser has many processes.
    process.kill(-browser.pid!, 'SIGKILL');
    await ended;
    front.closeAllConnections();
    front.close();
    await rm(profile, { recursive: true, force: true, maxRetries: 10 });
  }
}
