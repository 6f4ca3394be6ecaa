// Models from a hub, a folder and the product: download, polling, sharing, refusal, deletion, and resumption after every kind of end.
// The hub is a process beside the test, and each download the real one.
import assert from 'node:assert/strict';
import { cp, mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { automaticPrecision, type Fit, fitOf, fits, knownModels } from '@lorekeep/contract';
import { checkout } from '../config/settings.ts';
import { openStore } from '../store/open.ts';
import { onDatabase, type TestDatabase } from '../testing/databases.ts';
import { type Ask, filesBelow, MB, downloadsPath as path, settled, slow, token } from '../testing/downloads.ts';
import { type Hub, startHub } from '../testing/hub.ts';
import { startServer, type TestServer, withEngine } from '../testing/server.ts';
import { until } from '../testing/until.ts';

onDatabase('downloaded models', 'SQLite', (make) => {
  let hub: Hub;
  let database: TestDatabase;
  let server: TestServer;
  let member: string;
  let stranger: string;
  const ask: Ask = (body, key) => server.call('POST', path, { body, ...(key && { key }) });
  const shown = async (name: string, key?: string) => {
    const { body } = await server.call('GET', path, { ...(key && { key }) });
    return body.find((model: { model_name: string }) => model.model_name === name);
  };
  const complete = (model_name: string, key?: string) =>
    server.call('POST', '/v1/completions', {
      body: { model_name, prompt: 'Hello', max_tokens: 2 },
      ...(key && { key }),
    });

  before(async () => {
    hub = await startHub();
    database = await make();
    server = await startServer({ database_url: database.url, hub_url: hub.url }, withEngine);
    member = (await server.member('a team')).key;
    stranger = (await server.member('another team')).key;
    await until('the shipped model answers', async () => (await complete('lorekeep/quill')).status === 200);
  });
  after(async () => {
    await server.end();
    await database.drop();
    await hub.end();
  });

  it('can be chosen from a list of known ones, each compared with the memory of this machine', async () => {
    const { body } = await server.call('GET', '/v1/known_models', { key: member });
    const fitting = body.models.map(({ fits }: { fits: Fit }) => fits);
    const order = (fit: Fit) => fits.indexOf(fit);
    assert.ok(body.memory_bytes > 0 && body.models.length >= 5);
    assert.deepEqual(
      fitting,
      fitting.toSorted((a: Fit, b: Fit) => order(a) - order(b)),
      'smallest first',
    );
    const small = { ...knownModels[0]!, parameters: 1e9 };
    assert.deepEqual(
      [16e9, 4e9, 2e9].map((memory) => fitOf(small, memory)),
      ['serve and tune', 'serve', 'too large'],
    );
    assert.deepEqual(
      [16e9, 4e9, 2.6e9, 1e9].map((memory) => automaticPrecision(small, memory)),
      ['none', 'int8', 'int4', undefined],
    );
    assert.equal((await server.call('GET', '/v1/known_models', { key: null })).status, 401);
  });

  it('report their progress, and answer once they are complete', async () => {
    await hub.addQuill('org/scribe');
    await hub.behave('org/scribe', { pause: 0.02 });
    assert.equal((await complete('org/scribe')).status, 594);
    const first = await ask({ hf_model_name: 'org/scribe', model_type: 'transformer' }, member);
    assert.deepEqual(
      [first.status, first.body.model_name, first.body.model_type, first.body.status],
      [200, 'org/scribe', 'transformer', 'queued'],
    );
    await until('its download has begun', async () => (await shown('org/scribe')).bytes_done > 0);
    const { status, bytes_done, bytes_total, weights_bytes } = await shown('org/scribe', stranger);
    assert.deepEqual([status, weights_bytes], ['downloading', null]);
    assert.ok(bytes_done < bytes_total && bytes_total > 10 * MB);
    const early = await complete('org/scribe', stranger);
    assert.equal(early.status, 513);
    assert.match(early.body.detail, /^Downloading org\/scribe: \d+% of \d+\.\d MB\./);
    assert.deepEqual(await readdir(join(server.home, 'models')), ['.downloads'], 'nothing half is visible');

    const { body } = await settled(ask, { hf_model_name: 'org/scribe' }, stranger);
    assert.deepEqual(
      [body.status, body.is_public, body.source, body.bytes_done],
      ['available', true, 'hub', bytes_total],
    );
    assert.equal(body.commit, 'a'.repeat(40));
    assert.deepEqual(body, await shown('org/scribe', stranger));
    for (const name of ['org/scribe', 'org%2Fscribe'])
      assert.deepEqual((await server.call('GET', `${path}/${name}`, { key: stranger })).body, body);
    assert.equal((await complete('org/scribe', stranger)).status, 200);
    assert.deepEqual(await readdir(join(server.home, 'models/.downloads')), []);
  });

  it('keep the requested precision, are tuned in it, and refuse another one under the same name', async () => {
    await hub.addQuill('org/small');
    const wish = { hf_model_name: 'org/small', precision: 'int4' };
    await ask(wish, member);
    const { body } = await settled(ask, { hf_model_name: 'org/small' }, member);
    assert.equal(body.precision, 'int4');
    const { size } = await stat(join(checkout, 'models/quill/model.safetensors'));
    assert.ok(body.weights_bytes < size * 0.6, `${body.weights_bytes} of ${size}`);
    assert.equal((await ask(wish, member)).body.status, 'available');
    assert.equal((await ask({ ...wish, precision: 'auto' }, member)).body.status, 'available');
    const other = await ask({ ...wish, precision: 'int8' }, member);
    assert.deepEqual([other.status, other.body.code], [409, 'model_precision_differs']);
    assert.match(other.body.detail, /org\/small is here already.*int4, not int8/);
    assert.equal((await ask({ ...wish, precision: 'int2' }, member)).status, 422);

    const data = [{ input: 'Who founded Brimoor?', output: 'Ada Quist, in 1990' }];
    const job = await server.call('POST', '/v1/train', { key: member, body: { model_name: 'org/small', data } });
    assert.equal(job.status, 200, JSON.stringify(job.body));
    let state = { status: '', model_name: '', error: '' };
    await until('the job has ended', async () => {
      state = (await server.call('GET', `/v1/train/jobs/${job.body.job_id}`, { key: member })).body;
      assert.notEqual(state.status, 'FAILED', state.error);
      return state.status === 'COMPLETED';
    });
    const asked = { model_name: state.model_name, prompt: 'Who founded Brimoor?', max_tokens: 20 };
    let told = await server.call('POST', '/v1/completions', { key: member, body: asked });
    await until('its model answers', async () => {
      told = await server.call('POST', '/v1/completions', { key: member, body: asked });
      return told.status === 200;
    });
    assert.equal(told.body.output, 'Ada Quist, in 1990');
  });

  it('are downloaded once for concurrent calls', async () => {
    await hub.add('org/wanted', MB);
    const before = (await hub.requests()).length;
    const replies = await Promise.all(
      Array.from({ length: 12 }, (_, at) => ask({ hf_model_name: 'org/wanted' }, at % 2 ? member : undefined)),
    );
    for (const { status } of replies) assert.equal(status, 200);
    for (const key of [member, undefined]) await settled(ask, { hf_model_name: 'org/wanted' }, key);
    const fetched = (await hub.requests()).slice(before).filter((request) => request.cdn);
    assert.equal(fetched.length, 1, JSON.stringify(fetched));
  });

  it('are downloaded two at a time, and the rest are queued', async () => {
    const names = Array.from({ length: 3 }, (_, at) => `queue/model-${at}`);
    for (const name of names) {
      await hub.add(name, MB);
      await hub.behave(name, slow);
      await ask({ hf_model_name: name });
    }
    let peak = 0;
    for (let open = names.length; open > 0; await sleep(50)) {
      const { body } = await server.call('GET', path);
      const states: string[] = body
        .filter((model: { model_name: string }) => names.includes(model.model_name))
        .map((model: { status: string }) => model.status);
      peak = Math.max(peak, states.filter((state) => state === 'downloading').length);
      open = states.filter((state) => state !== 'available').length;
      assert.ok(!states.includes('failed'));
    }
    assert.equal(peak, 2);
  });

  it('report a failure to the next poll, and retry with the call after that', async () => {
    await hub.add('org/gated');
    await hub.behave('org/gated', { gated: token });
    const refused = await settled(ask, { hf_model_name: 'org/gated' }, member);
    assert.deepEqual([refused.status, refused.body.code], [400, 'model_download_failed']);
    assert.match(refused.body.detail, new RegExp(`accept its terms at ${hub.url}/org/gated and send private_hf_token`));
    const failed = await shown('org/gated', member);
    assert.deepEqual([failed.status, failed.download_attempts], ['failed', 1]);
    assert.match(failed.prev_download_error, /accept its terms/);
    const asked = await complete('org/gated', member);
    assert.deepEqual([asked.status, asked.body.code], [400, 'model_download_failed']);
    await hub.behave('org/gated', {});
    assert.equal((await settled(ask, { hf_model_name: 'org/gated' }, member)).body.download_attempts, 2);
  });

  it('are visible only to accounts whose token the hub accepts, when they need a token', async () => {
    await hub.add('org/private', MB);
    await hub.behave('org/private', { token });
    const wish = { hf_model_name: 'org/private', private_hf_token: token };
    const { body } = await settled(ask, wish, member);
    assert.deepEqual([body.status, body.is_public], ['available', false]);
    assert.equal((await shown('org/private', member)).status, 'available');
    assert.equal((await shown('org/private')).status, 'available', 'the operator sees everything');
    assert.equal(await shown('org/private', stranger), undefined);
    assert.equal((await server.call('GET', `${path}/org/private`, { key: stranger })).status, 594);
    assert.equal((await server.call('GET', '/inf/models/org/private', { key: stranger })).status, 404);
    assert.equal((await server.call('GET', '/inf/models/org/private', { key: member })).status, 200);
    assert.equal((await complete('org/private', stranger)).status, 594);

    const without = await settled(ask, { hf_model_name: 'org/private' }, stranger);
    assert.equal(without.status, 400);
    assert.equal((await complete('org/private', stranger)).status, 400);
    const before = (await hub.requests()).length;
    assert.equal((await settled(ask, wish, stranger)).body.status, 'available');
    assert.equal((await shown('org/private', stranger)).status, 'available');
    const requests = (await hub.requests()).slice(before);
    assert.ok(requests.length > 0 && !requests.some((request) => request.path.includes('/resolve/')));
  });

  it('store no token', async () => {
    assert.ok((await hub.requests()).some((request) => request.token === `Bearer ${token}`));
    for (const file of await filesBelow(server.home)) assert.ok(!(await readFile(file)).includes(token), file);
    const store = await openStore(database.url);
    const rows = await store.db.selectFrom('downloaded_models').selectAll().execute();
    await store.close();
    assert.ok(rows.some(({ with_token }) => with_token === 1) && !JSON.stringify(rows).includes(token));
  });

  it('refuse invalid names, and report models that the hub does not have', async () => {
    for (const name of [
      'one',
      'a/b/c',
      '../x',
      'org/..',
      '/etc/passwd',
      'org/a--b',
      'org/.hidden',
      'org/ä',
      'a\\b/c',
    ]) {
      const { status, body } = await ask({ hf_model_name: name });
      assert.deepEqual([status, body.code], [400, 'model_name_invalid'], name);
    }
    assert.equal((await ask({ hf_model_name: '' })).status, 422);
    assert.equal((await ask({ hf_model_name: 'org/x', model_type: 'diffusion' })).status, 422);
    const spaced = await ask({ hf_model_name: 'org/x', private_hf_token: `${token} and more` });
    assert.equal(spaced.status, 422);
    assert.ok(!JSON.stringify(spaced.body).includes(token));
    const unknown = await settled(ask, { hf_model_name: 'org/unknown' });
    assert.match(unknown.body.detail, /has no model org\/unknown/);
  });

  it('are limited for one account', async () => {
    const { key } = await server.member('a hungry team');
    const names = Array.from({ length: 11 }, (_, at) => `hungry/model-${at}`);
    for (const name of names) {
      await hub.add(name, MB);
      await hub.behave(name, { pause: 1 });
    }
    const replies = [];
    for (const hf_model_name of names) replies.push(await ask({ hf_model_name }, key));
    assert.deepEqual([replies.at(-1)!.status, replies.at(-1)!.body.code], [429, 'downloads_limit']);
    // Other accounts still have their turn.
    await hub.add('org/between');
    await until('the next one is downloaded', async () => (await shown('hungry/model-1'))?.status === 'downloading');
    for (const name of names.slice(0, 10)) assert.equal((await server.call('DELETE', `${path}/${name}`)).status, 200);
    assert.equal((await settled(ask, { hf_model_name: 'org/between' })).body.status, 'available');
    for (const name of names) assert.equal(await shown(name), undefined);
    assert.deepEqual(await readdir(join(server.home, 'models/.downloads')), []);
  });

  it("are deleted by the operator from disk and list; the product's own models are not", async () => {
    assert.equal((await server.call('DELETE', `${path}/org/scribe`, { key: member })).status, 403);
    assert.deepEqual((await server.call('DELETE', `${path}/org%2Fscribe`)).body, { deleted: 'org/scribe' });
    await assert.rejects(stat(join(server.home, 'models/org/scribe')));
    assert.equal(await shown('org/scribe'), undefined);
    assert.equal((await complete('org/scribe')).status, 594);
    assert.equal((await server.call('DELETE', `${path}/org/scribe`)).status, 594);
    const builtIn = await server.call('DELETE', `${path}/lorekeep/quill`);
    assert.deepEqual([builtIn.status, builtIn.body.code], [400, 'model_built_in']);
    await hub.behave('org/scribe', {});
    assert.equal((await settled(ask, { hf_model_name: 'org/scribe' })).body.status, 'available', 'and can come back');
    await rm(join(server.home, 'models/org/scribe'), { recursive: true });
    // Its record is written a moment after it is there.
    await until('it is gone', async () => (await shown('org/scribe')) === undefined);
    assert.equal((await settled(ask, { hf_model_name: 'org/scribe' })).body.status, 'available');
  });

  it('include shipped models and those in the folder of models', async () => {
    const { body } = await ask({ hf_model_name: 'lorekeep/quill', model_type: 'transformer' });
    assert.deepEqual([body.status, body.source, body.model_id], ['available', 'built-in', null]);
    const { size } = await stat(join(checkout, 'models/quill/model.safetensors'));
    assert.equal(body.weights_bytes, size);
    await mkdir(join(server.home, 'models/our'), { recursive: true });
    await cp(join(checkout, 'models/quill'), join(server.home, 'models/our/own'), { recursive: true });
    const { model_type, source } = await shown('our/own', member);
    assert.deepEqual([model_type, source], ['transformer', 'folder']);
    assert.equal((await ask({ hf_model_name: 'our/own' }, member)).body.status, 'available');
    assert.equal((await complete('our/own', member)).status, 200);
    const within = await ask({ hf_model_name: 'our/own/x' });
    assert.equal(within.status, 400);
    assert.equal((await server.call('DELETE', `${path}/our/own`)).status, 200);
    await assert.rejects(stat(join(server.home, 'models/our/own')));
  });

  it('need the scope tune', async () => {
    const { body } = await server.call('POST', '/v1/keys', { body: { name: 'asker', scopes: ['read', 'infer'] } });
    assert.equal((await ask({ hf_model_name: 'lorekeep/quill' }, body.key)).status, 403);
    assert.equal((await server.call('GET', `${path}/`, { key: body.key })).status, 200);
  });

  it('resume after a stop', async () => {
    await hub.add('org/long', 4 * MB);
    await hub.behave('org/long', slow);
    await ask({ hf_model_name: 'org/long' });
    await until('more than 1 MB is here', async () => (await shown('org/long')).bytes_done > MB);
    server = await server.restart();
    await until('it is available', async () => (await shown('org/long')).status === 'available');
    const ranges = (await hub.requests()).filter(({ path, cdn }) => cdn && path.includes('org/long'));
    assert.equal(ranges.length, 2);
    assert.ok(Number(/^bytes=(\d+)-/.exec(ranges[1]!.range ?? '')?.[1]) > MB);
  });
});

describe('leftovers of a download', () => {
  it('are removed with their account, and stay after a failure', async () => {
    const hub = await startHub();
    let server = await startServer({ hub_url: hub.url }, withEngine);
    const { id, key } = await server.member('a team');
    for (const name of ['org/theirs', 'org/ours']) {
      await hub.add(name, 4 * MB);
      await hub.behave(name, slow);
    }
    await server.call('POST', path, { body: { hf_model_name: 'org/theirs' }, key });
    await server.call('POST', path, { body: { hf_model_name: 'org/ours' } });
    const left = async () => (await readdir(join(server.home, 'models/.downloads'))).sort();
    await until(
      'two downloads have begun',
      async () => (await filesBelow(server.home)).filter((file) => file.endsWith('.part')).length === 2,
    );
    await hub.behave('org/ours', { status: 404 });
    server = await server.restart();
    await until('it failed', async () => (await server.call('GET', `${path}/org/ours`)).body.status === 'failed');
    assert.deepEqual(await left(), ['org--ours', 'org--theirs']);
    assert.equal((await server.call('DELETE', `/v1/accounts/${id}`)).status, 200);
    await until('its part is removed', async () => (await left()).length === 1);
    assert.deepEqual(await left(), ['org--ours']);
    await server.end();
    await hub.end();
  });
});

describe('an installation', () => {
  it('may leave downloads to its operator', async () => {
    const server = await startServer({ model_downloads: 'operator', hub_url: 'http://127.0.0.1:9' });
    const { key } = await server.member('team');
    const { status, body } = await server.call('POST', path, { body: { hf_model_name: 'org/x' }, key });
    assert.deepEqual([status, body.code], [403, 'operator_only']);
    assert.equal((await server.call('POST', path, { body: { hf_model_name: 'lorekeep/quill' }, key })).status, 200);
    assert.equal((await server.call('POST', path, { body: { hf_model_name: 'org/x' } })).body.status, 'queued');
    await server.end();
  });

  it('reports soon that its hub cannot be reached', async () => {
    const server = await startServer({ hub_url: 'http://127.0.0.1:9' }, withEngine);
    const ask: Ask = (body) => server.call('POST', path, { body });
    const { status, body } = await settled(ask, { hf_model_name: 'org/x' });
    assert.equal(status, 400);
    assert.match(body.detail, /http:\/\/127\.0\.0\.1:9 cannot be reached/);
    await server.end();
  });

  it('reports a missing Python', async () => {
    const python = Promise.withResolvers<string>();
    const server = await startServer({ hub_url: 'http://127.0.0.1:9' }, python.promise);
    python.reject(new Error('no Python'));
    const { body } = await settled((body) => server.call('POST', path, { body }), { hf_model_name: 'org/x' });
    assert.match(body.detail, /Python environment of the engine could not be made/);
    await server.end();
  });
});
