// Environment variables of child processes, read from /proc while each kind of child runs.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { built } from '../documents/testing/indexes.ts';
import { createLog } from '../http/log.ts';
import { downloadsPath, settled } from '../testing/downloads.ts';
import { startWithEngine, workingProcess } from '../testing/engine.ts';
import { type Hub, startHub } from '../testing/hub.ts';
import { fileForm, type TestServer } from '../testing/server.ts';
import { exported } from '../testing/tar.ts';
import { jobOver, manyWaves, submit } from '../testing/tuning.ts';
import { environment } from './environment.ts';

const secret = 'a-secret-of-this-test-5d2c';
const secrets = {
  LOREKEEP_ADMIN_KEY: secret,
  LOREKEEP_DATABASE_URL: `postgres://somebody:${secret}@db.example/lorekeep`,
  AWS_SECRET_ACCESS_KEY: secret,
  PGPASSWORD: secret,
  // Libraries do not read it while they are imported, so processes that have it can be forked.
  TRITON_SECRETS: 'is passed on',
  HF_TOKEN: secret,
};

/** A part of the command line that identifies each kind of process. */
const kinds = {
  engine: /lorekeep\0serve/,
  worker: /lorekeep\0work\0/,
  helper: /lorekeep\0tune\0.*--worker/,
  download: /lorekeep\0download/,
  export: /lorekeep\0export/,
  import: /lorekeep\0import/,
  // ./lorekeep test starts its bundle (setup/bundles.ts).
  reader: /reader\/src\/process\/child\.ts|lorekeep-bundles\/\d+\/reader\.js/,
  setUp: /python\.sh\0engine/,
};
type Kind = keyof typeof kinds;

describe('the environment of child processes', {
  skip: !existsSync('/proc/self/environ') && 'there is no /proc',
}, () => {
  const seen = new Map<Kind, string>();
  const earlier = { ...process.env };
  let server: TestServer;
  let hub: Hub;
  let watch: NodeJS.Timeout;

  before(async () => {
    hub = await startHub();
    Object.assign(process.env, secrets);
    watch = setInterval(() => look(process.pid), 10);
    server = await startWithEngine({ hub_url: hub.url, slots: '2' });
  });
  after(async () => {
    clearInterval(watch);
    await server.end();
    await hub.end();
    for (const name of Object.keys(secrets)) {
      if (earlier[name] === undefined) delete process.env[name];
      else process.env[name] = earlier[name];
    }
  });

  /** Records the environments of all descendants of a process. A process gets its command line and its environment at the same moment. */
  function look(pid: number): void {
    for (const task of attempt(() => readdirSync(`/proc/${pid}/task`)) ?? [])
      for (const child of (attempt(() => readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8')) ?? '')
        .split(' ')
        .filter(Boolean)
        .map(Number)) {
        const line = attempt(() => readFileSync(`/proc/${child}/cmdline`, 'utf8')) ?? '';
        const kind = (Object.keys(kinds) as Kind[]).find((one) => kinds[one].test(line));
        const given = kind && attempt(() => readFileSync(`/proc/${child}/environ`, 'utf8'));
        if (kind && given) seen.set(kind, given);
        // ./lorekeep test forks processes, which are no descendants themselves.
        look(attempt(() => workingProcess(child)) ?? child);
      }
  }

  it('holds no secret of the server in any kind of process', async () => {
    // Checking a complete environment takes milliseconds and can end between two polls.
    while (!seen.has('setUp')) await environment(createLog({ log_level: 'silent', log_format: 'json' })).ready;

    await hub.addQuill('org/scribe');
    await settled((body) => server.call('POST', downloadsPath, { body }), {
      hf_model_name: 'org/scribe',
      model_type: 'transformer',
    });
    await built(server, { 'hours.txt': 'The Brimoor library opens at nine in the morning.' });

    const { job_id } = await submit(server, { data: manyWaves(16, 'Env'), gpu_config: { gpus: 2, nodes: 1 } });
    const { status, model_name } = await jobOver(server, job_id);
    assert.match(status, /COMPLETED/);
    const adapters = await server.call('GET', `/v1/models/${model_name}/export?format=peft`);
    assert.equal(adapters.status, 200);
    const tar = await exported(server, model_name!);
    const again = await server.call('POST', '/v1/models', { body: fileForm('model.tar', tar) });
    assert.equal(again.status, 200, JSON.stringify(again.body));

    for (const [kind, given] of seen) {
      assert.ok(!given.includes(secret), `${kind}: ${names(given)}`);
      if (kind !== 'reader') assert.match(given, /(^|\0)PATH=/, kind);
    }
    assert.match(seen.get('engine')!, /TRITON_SECRETS=is passed on/);
    const unseen = (Object.keys(kinds) as Kind[]).filter((kind) => !seen.has(kind));
    assert.deepEqual(unseen, [], 'every kind of process was looked at');
  });
});

const names = (given: string) => given.split('\0').map((one) => one.split('=')[0]);

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined; // It ended meanwhile.
  }
}
