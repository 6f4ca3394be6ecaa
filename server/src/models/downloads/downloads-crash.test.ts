// Downloads of a server that is killed: it resumes them, or another server does.
import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { onPostgres } from '../../testing/databases.ts';
import { callAt, filesBelow, MB, downloadsPath as path, settled, slow, token } from '../../testing/downloads.ts';
import { startHub } from '../../testing/hub.ts';
import { endProcesses, startProcess } from '../../testing/process.ts';
import { adminKey } from '../../testing/server.ts';
import { until } from '../../testing/until.ts';

describe('a server that is killed', () => {
  it('resumes its downloads after a restart, and asks anew for a token', async () => {
    const hub = await startHub();
    const home = await mkdtemp(join(tmpdir(), 'lorekeep-test-'));
    const flags = { home, hub_url: hub.url, log_level: 'debug' };
    try {
      for (const name of ['org/open', 'org/private']) await hub.add(name, 4 * MB);
      await hub.behave('org/open', slow);
      await hub.behave('org/private', { ...slow, token });
      const first = await startProcess(flags);
      const wishes = {
        open: { hf_model_name: 'org/open' },
        private: { hf_model_name: 'org/private', private_hf_token: token },
      };
      for (const wish of Object.values(wishes)) await callAt(first.url, wish);
      const part = (name: string) => join(home, `models/.downloads/org--${name}/files/model.safetensors.part`);
      for (const name of ['open', 'private'])
        await until(
          `more than 1 MB of ${name} is here`,
          async () => (await stat(part(name)).catch(() => ({ size: 0 }))).size > MB,
        );
      await first.stop('SIGKILL');
      await hub.behave('org/open', {});
      await hub.behave('org/private', { token });

      const second = await startProcess(flags);
      const listed = async (name: string) =>
        (await callAt(second.url)).body.find((model: { model_name: string }) => model.model_name === name);
      await until('the open model is available', async () => (await listed('org/open')).status === 'available');
      await until('the private model failed', async () => (await listed('org/private')).status === 'failed');
      assert.match((await listed('org/private')).prev_download_error, /send private_hf_token again/);
      const { body } = await settled((wish) => callAt(second.url, wish), wishes.private);
      assert.equal(body.status, 'available');
      for (const name of ['org/open', 'org/private']) {
        const asked = (await hub.requests()).filter(({ path, cdn }) => cdn && path.includes(name));
        assert.equal(asked.length, 2, name);
        assert.ok(Number(/^bytes=(\d+)-/.exec(asked[1]!.range ?? '')?.[1]) > MB);
      }
      assert.equal(await second.stop(), 0);
      assert.ok(!(first.output() + second.output()).includes(token));
      for (const file of await filesBelow(home)) assert.ok(!(await readFile(file)).includes(token), file);
    } finally {
      await endProcesses();
      await rm(home, { recursive: true, force: true });
      await hub.end();
    }
  });
});

onPostgres('two servers over one home', (make) => {
  it("list each other's downloads, delete them, and take over those of a dead server", async () => {
    const hub = await startHub();
    const database = await make();
    const home = await mkdtemp(join(tmpdir(), 'lorekeep-test-'));
    const flags = { home, hub_url: hub.url, database_url: database.url };
    try {
      for (const name of ['org/one', 'org/two']) {
        await hub.add(name, 16 * MB);
        await hub.behave(name, slow);
      }
      const first = await startProcess(flags);
      const second = await startProcess(flags);
      await callAt(first.url, { hf_model_name: 'org/one' });
      await until('its download has begun', async () => (await callAt(first.url)).body.at(-1).bytes_done > 0);
      const coming = await callAt(second.url, { hf_model_name: 'org/one' });
      assert.ok(coming.body.status === 'downloading' && coming.body.bytes_done > 0);
      const gone = await fetch(`${second.url}${path}/org/one`, {
        method: 'DELETE',
        headers: { authorization: `Bearer ${adminKey}` },
      });
      assert.equal(gone.status, 200);
      await callAt(first.url, { hf_model_name: 'org/two' });
      const mine = async (url: string) =>
        (await callAt(url)).body.find((model: { model_name: string }) => model.model_name === 'org/two');
      await until('its download has begun', async () => (await mine(second.url)).bytes_done > 0);
      await first.stop('SIGKILL');
      await hub.behave('org/two', {});
      await until('it is available', async () => (await mine(second.url)).status === 'available');
      assert.deepEqual(await readdir(join(home, 'models/org')), ['two']);
    } finally {
      await endProcesses();
      await rm(home, { recursive: true, force: true });
      await database.drop();
      await hub.end();
    }
  });
});
