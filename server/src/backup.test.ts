// Backup and restore with the guide's own commands, on both databases, while clients write and a job trains. After a restore in
// another place, with the original gone, everything exists that existed before the backup began.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { checkout } from './config/settings.ts';
import { built } from './documents/testing/indexes.ts';
import { onEveryDatabase } from './testing/databases.ts';
import { startWithEngine } from './testing/engine.ts';
import { hostCommand, program } from './testing/pages.ts';
import { startServer, type TestServer, withEngine } from './testing/server.ts';
import { answered, facts, jobOver, jobWhen, manyWaves, submit } from './testing/tuning.ts';
import { polled, until } from './testing/until.ts';

/** The programs of the guide that contain one of these words. */
async function guide(...words: string[]): Promise<string> {
  const page = await readFile(join(checkout, 'docs/guide/operating.md'), 'utf8');
  const programs = [...page.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, text]) => text!);
  const found = programs.filter((text) => words.every((word) => text.includes(word)));
  assert.equal(found.length, 1, `one program of the guide has ${words.join(' and ')}`);
  return found[0]!;
}

async function run(text: string, cwd: string, environment: Record<string, string>) {
  const child = spawn('sh', ['-c', text], { cwd, env: { PATH: process.env.PATH ?? '', HOME: cwd, ...environment } });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk) => {
      output += chunk;
    });
  return { code: await new Promise<number | null>((done) => child.once('close', done)), output };
}

async function shell(...given: Parameters<typeof run>): Promise<void> {
  const { code, output } = await run(...given);
  assert.equal(code, 0, `${given[0]}\n${output}`);
}

describe('a failing backup', () => {
  const backup = async () => await guide('mkdir backup', 'sqlite3');
  let place: string;
  beforeEach(async () => {
    place = await mkdtemp(join(tmpdir(), 'lorekeep-backup-'));
    await mkdir(join(place, 'data/files'), { recursive: true });
    new DatabaseSync(join(place, 'data/lorekeep.db')).exec('create table one (id integer)');
    await writeFile(join(place, 'data/files/rows'), 'x'.repeat(300_000));
  });
  afterEach(async () => await rm(place, { recursive: true }));
  /** Runs with a fake cp that fails in ways that the real one meets only by chance. */
  const withCp = async (text: string) => {
    await mkdir(join(place, 'bin'));
    await program(join(place, 'bin/cp'), text);
    return await run(await backup(), place, { PATH: `${join(place, 'bin')}:${process.env.PATH}` });
  };

  it('exits with 0 only if everything was written', async () => {
    assert.deepEqual(await run(await backup(), place, {}), { code: 0, output: '' });
    assert.equal((await stat(join(place, 'backup/files/rows'))).size, 300_000);
    assert.notEqual((await run(await backup(), place, {})).code, 0, 'there is a backup already');
  });

  it('reports a full disk and exits with a failure', async () => {
    // No file may get larger than 100 kB.
    const { code, output } = await run(`trap '' XFSZ; ulimit -f 200\n${await backup()}`, place, {});
    assert.notEqual(code, 0);
    assert.match(output, /rows.*File too large/);
  });

  it('continues when a file disappears, and stops when the copy is interrupted', async () => {
    const gone = 'echo "cp: cannot stat \'data/files/draft\': No such file or directory" >&2; exit 1';
    assert.deepEqual(await withCp(gone), { code: 0, output: '' });
    await rm(join(place, 'bin'), { recursive: true });
    await rm(join(place, 'backup'), { recursive: true });
    assert.notEqual((await withCp('kill -9 $$')).code, 0);
  });

  it('works with PostgreSQL', async () => {
    const copying = (text: string) => text.slice(text.indexOf('  for folder'));
    assert.equal(copying(await guide('mkdir backup', 'pg_dump')), copying(await backup()));
  });
});

const base = 'own/base';

/** The number of a receipt: a fact of a memory is erased. */
async function receiptOf(server: TestServer): Promise<number> {
  const { call } = server;
  const data = facts(2, 'Erased');
  const { job_id } = await submit(server, { data });
  await jobOver(server, job_id);
  const over = async (path: string) => {
    const shown = await polled(
      async () => (await call('GET', `/v1/memories/house${path}`)).body,
      ({ finished_at }) => finished_at !== null,
    );
    assert.equal(shown.state, 'published', JSON.stringify(shown));
    return shown;
  };
  assert.equal((await call('POST', '/v1/memories', { body: { name: 'house', job_id } })).status, 200);
  await over('/changes/1');
  const { body } = await call('POST', '/v1/memories/house/erasures', { body: { inputs: [data[0]!.input] } });
  return (await over(`/erasures/${body.number}`)).receipt;
}

async function datasetsOf({ call }: TestServer): Promise<string[]> {
  const ids: string[] = [];
  for (let next: number | null = 0; next !== null; ) {
    const { body } = await call('GET', `/v1/datasets?limit=1000${next ? `&after=${next}` : ''}`);
    ids.push(...body.datasets.map(({ dataset_id }: { dataset_id: string }) => dataset_id));
    next = body.next;
  }
  return ids;
}

onEveryDatabase('a backup that is taken while clients write', (make) => {
  it('is restored completely in another place', async () => {
    const database = await make('new');
    const second = await make('new');
    const place = await mkdtemp(join(tmpdir(), 'lorekeep-backup-'));
    const postgres = database.url.startsWith('postgres');
    let server: TestServer | undefined;
    try {
      const home = join(place, 'first');
      await mkdir(join(home, 'models/own'), { recursive: true });
      await cp(join(checkout, 'models/quill'), join(home, 'models', base), { recursive: true });
      // Without PostgreSQL the records lie in the home.
      const settings = (where: string, url: string) => ({
        home: where,
        slots: '1',
        ...(postgres && { database_url: url }),
      });
      server = await startWithEngine(settings(home, database.url));
      const { call } = server;
      const data = facts(4, 'Kept');
      const taught = await submit(server, { data, model_name: base, custom_model_name: 'kept' });
      assert.equal((await jobOver(server, taught.job_id)).status, 'COMPLETED');
      const key = (await call('POST', '/v1/keys', { body: { name: 'kept', scopes: ['read', 'infer'] } })).body.key;
      const index = await built(server, { 'parking.md': '# Parking\n\nThe parking fee at Nordhaven is 12 dollars.\n' });
      const receipt = await receiptOf(server);
      const running = await submit(server, { data: manyWaves(32, 'Still') });
      await jobWhen(server, running.job_id, 'training', ({ progress }) => progress.experts_done > 0);

      const written: string[] = [];
      let over = false;
      const writer = (async () => {
        for (let number = 0; !over; number++) {
          const rows = [{ input: `Who is number ${number}?`, output: String(number) }];
          const { status, body } = await call('POST', '/v1/local-data', { body: { data: rows } });
          assert.equal(status, 200, JSON.stringify(body));
          written.push(body.dataset_id);
        }
      })();
      await until('clients write', async () => written.length > 20);
      const before = [...written];
      await program(join(place, 'lorekeep'), hostCommand);
      const environment = {
        LOREKEEP_HOME: home,
        ...(postgres && { LOREKEEP_DATABASE_URL: database.url, RESTORED_DATABASE_URL: second.url }),
      };
      await shell(await guide('mkdir backup', postgres ? 'pg_dump' : 'sqlite3'), place, environment);
      over = true;
      await writer;
      assert.ok(written.length > before.length, 'it was written meanwhile');
      await server.end();
      await shell(await guide('mkdir restored', postgres ? 'psql' : 'restored/\n./lorekeep'), place, environment);

      server = await startServer(settings(join(place, 'restored'), second.url), withEngine);
      const again = server.call;
      const known = new Set(await datasetsOf(server));
      assert.deepEqual(
        before.filter((id) => !known.has(id)),
        [],
      );
      for (const id of known) assert.equal((await again('GET', `/v1/datasets/${id}`)).status, 200, id);
      for (const id of before.slice(0, 5))
        assert.match((await again('GET', `/v1/datasets/${id}/download`)).body, /Who is number/);
      assert.equal((await again('GET', '/v1/account', { key })).status, 200, 'keys go on working');
      const shown = await again('GET', '/v1/models/kept');
      assert.deepEqual([shown.body.facts, shown.body.base_model], [4, base]);
      for (const { input, output } of data)
        assert.equal((await answered(server, { model_name: 'kept', prompt: input })).output, output);
      const verified = await again('GET', `/v1/receipts/${receipt}/verify`);
      assert.deepEqual([verified.body.signature, verified.body.sound], [true, true]);
      assert.equal((await stat(join(place, 'restored/receipt-key.pem'))).mode & 0o777, 0o600);
      const found = await again('POST', `/v1/indexes/${index}/search`, { body: { query: 'parking fee' } });
      assert.match(JSON.stringify(found.body), /12 dollars/);
      const job = await jobOver(server, running.job_id);
      assert.equal(job.status, 'COMPLETED', `a job that ran goes on: ${JSON.stringify(job)}`);
    } finally {
      await server?.stop();
      await rm(place, { recursive: true, force: true });
      await database.drop();
      await second.drop();
    }
  });
});
