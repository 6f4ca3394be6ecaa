// lorekeep doctor on a healthy installation, during a start, and on each kind of problem.
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { answersWith, type ScriptedServer, startScripted } from '../../client/src/testing/scripted-server.ts';
import { checkout } from '../../server/src/config/settings.ts';
import { adminKey, startServer, type TestServer } from '../../server/src/testing/server.ts';
import type { Finding } from './commands/finding.ts';
import { programOf, runProgram } from './testing/program.ts';

/** Runs each doctor as a process, since in this process it would block the server while it examines the machine. */
const run = async (words: string[], environment: Record<string, string>) =>
  await runProgram(programOf(words), environment);

async function examined(environment: Record<string, string>) {
  const { code, out, error } = await run(['doctor', '--json'], environment);
  assert.ok(out !== '', error);
  const findings = JSON.parse(out) as Finding[];
  const found = (name: string) => findings.find((one) => one.name === name)!;
  return { code, findings, found };
}

describe('doctor', () => {
  let server: TestServer;
  let home: string;
  let environment: Record<string, string>;
  before(async () => {
    // Without an interpreter the engine remains in the state of being set up.
    server = await startServer({}, new Promise(() => {}));
    home = await mkdtemp(join(tmpdir(), 'lorekeep-doctor-'));
    environment = { LOREKEEP_BASE_URL: server.url, LOREKEEP_API_KEY: adminKey, HOME: home };
  });
  after(async () => {
    await server.end();
    await rm(home, { recursive: true });
  });

  it('accepts a server whose engine is starting', async () => {
    const { code, findings, found } = await examined(environment);
    assert.equal(code, 0, JSON.stringify(findings));
    assert.deepEqual([found('engine').state, found('engine').about], ['unknown', 'being set up']);
    for (const name of ['server', 'database', 'key']) assert.equal(found(name).state, 'ok', name);
    const shown = await run(['doctor'], environment);
    assert.match(shown.out, /^· engine +being set up\n +Wait: it starts by itself\.$/m);
  });

  it('reports an engine that cannot start', async () => {
    const none = Promise.reject(new Error('no Python'));
    none.catch(() => {});
    const broken = await startServer({}, none);
    try {
      const { code, found } = await examined({ ...environment, LOREKEEP_BASE_URL: broken.url });
      assert.equal(code, 6);
      assert.deepEqual([found('engine').state, /\.\/lorekeep setup/.test(found('engine').remedy!)], ['problem', true]);
    } finally {
      await broken.end();
    }
  });

  it('reports a wrong address: no server, or another program', async () => {
    const nobody = await examined({ ...environment, LOREKEEP_BASE_URL: 'http://127.0.0.1:2' });
    assert.deepEqual([nobody.code, nobody.found('server').state], [6, 'problem']);
    assert.match(nobody.found('server').remedy!, /comes from LOREKEEP_BASE_URL/);
    const others = [answersWith(200, { status: 'ok' }), answersWith(200, '<html>'), answersWith(404, {})];
    for (const other of others) {
      const rude: ScriptedServer = await startScripted(other);
      const { code, findings } = await examined({ ...environment, LOREKEEP_BASE_URL: rude.url });
      await rude.end();
      assert.deepEqual([code, findings.map(({ name, state }) => `${name} ${state}`)], [6, ['server problem']]);
      assert.match(findings[0]!.about, /is not Lorekeep|not in Lorekeep's words/);
    }
  });

  it('reports a server of another version', async () => {
    const older = await startScripted((request, response) => {
      const answers: Record<string, unknown> = {
        '/v1/version': { server: '0.0.1', client: '1', api: [] },
        '/readyz': { status: 'ready', parts: {} },
      };
      answersWith(200, answers[request.url!] ?? [])(request, response);
    });
    const { found } = await examined({ ...environment, LOREKEEP_BASE_URL: older.url });
    await older.end();
    assert.match(found('version').remedy!, /npm install --global lorekeep@0\.0\.1/);
  });

  it('reports a refused key, and one that soon expires, with the way to a new one', async () => {
    const wrong = await examined({ ...environment, LOREKEEP_API_KEY: 'lk_wrong' });
    assert.deepEqual([wrong.code, wrong.found('key').state], [6, 'problem']);
    const expires_at = new Date(Date.now() + 86_400_000).toISOString();
    const { key, id } = (await server.call('POST', '/v1/keys', { body: { name: 'brief', expires_at } })).body;
    const { code, findings } = await examined({ ...environment, LOREKEEP_API_KEY: key });
    const brief = findings.filter(({ name }) => name === 'key').at(-1)!;
    assert.deepEqual([code, brief.remedy], [0, `lorekeep keys rotate ${id} --url ${server.url} creates a new one.`]);
  });

  it('in a checkout also checks this machine, with the settings in force', async () => {
    const main = join(checkout, 'server/src/main.ts');
    const here = { ...environment, LOREKEEP_CHECKOUT_SERVER: main, LOREKEEP_HOME: join(home, 'data') };
    const { findings, found } = await examined({ ...here, LOREKEEP_PORT: new URL(server.url).port });
    for (const name of ['node', 'engine set up', 'base model', 'home', 'port'])
      assert.equal(found(name)?.state, 'ok', JSON.stringify(findings));
    assert.equal(found('database set up').state, 'unknown');
    const wrong = await examined({ ...here, LOREKEEP_PORT: 'x' });
    assert.deepEqual([wrong.code, /LOREKEEP_PORT is "x"/.test(wrong.found('settings').about)], [6, true]);
  });

  it('checks the server at the address of the settings, unless another address is given', async () => {
    const main = join(checkout, 'server/src/main.ts');
    const { LOREKEEP_BASE_URL: _, ...bare } = environment;
    const here = { ...bare, LOREKEEP_CHECKOUT_SERVER: main, LOREKEEP_HOME: join(home, 'other') };
    const { port } = new URL(server.url);
    const byVariable = await examined({ ...here, LOREKEEP_PORT: port });
    assert.equal(byVariable.found('server').state, 'ok', JSON.stringify(byVariable.findings));
    assert.match(
      byVariable.found('server').about,
      new RegExp(`at http://127\\.0\\.0\\.1:${port} \\(from the settings\\)`),
    );
    await mkdir(here.LOREKEEP_HOME, { recursive: true });
    await writeFile(join(here.LOREKEEP_HOME, 'lorekeep.env'), `LOREKEEP_PORT=${port}\n`);
    assert.equal((await examined(here)).found('server').state, 'ok');
    const named = await examined({ ...here, LOREKEEP_BASE_URL: 'http://127.0.0.1:2' });
    assert.match(named.found('server').remedy!, /comes from LOREKEEP_BASE_URL/);
  });

  it('looks at the home that is named', async () => {
    const main = join(checkout, 'server/src/main.ts');
    const { LOREKEEP_BASE_URL: _, ...bare } = environment;
    const other = join(home, 'named');
    await mkdir(other, { recursive: true });
    await writeFile(join(other, 'lorekeep.env'), `LOREKEEP_PORT=${new URL(server.url).port}\n`);
    const { out, error } = await run(['doctor', '--json', '--home', other], {
      ...bare,
      LOREKEEP_CHECKOUT_SERVER: main,
      LOREKEEP_HOME: join(home, 'elsewhere'),
    });
    assert.ok(out !== '', error);
    const found = (name: string) => (JSON.parse(out) as Finding[]).find((one) => one.name === name)!;
    assert.equal(found('home').about, other);
    assert.equal(found('server').state, 'ok', out);
    const nowhere = await run(['doctor', '--home', other], environment);
    assert.deepEqual([nowhere.code, /--home/.test(nowhere.error)], [2, true]);
  });

  it('continues if this machine cannot be examined', async () => {
    const broken = join(home, 'broken.mjs');
    await writeFile(broken, 'process.exit(3);');
    const { code, found } = await examined({ ...environment, LOREKEEP_CHECKOUT_SERVER: broken });
    assert.deepEqual([code, found('settings').state, found('server').state], [6, 'problem', 'ok']);
    assert.match(found('settings').about, /ended with 3/);
  });
});
