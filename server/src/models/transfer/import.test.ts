// A tuned model that one installation exports and another imports gives the same answers there. Refused files leave nothing.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { onDatabase, type TestDatabase } from '../../testing/databases.ts';
import { startWithEngine } from '../../testing/engine.ts';
import { fileForm, type Reply, startServer, type TestServer } from '../../testing/server.ts';
import { type Entry, exported, packed, tarFile, unpacked } from '../../testing/tar.ts';
import { answered, facts, jobOver, submit } from '../../testing/tuning.ts';

type Bytes = Uint8Array<ArrayBuffer>;

onDatabase('imported models', 'PostgreSQL', (make) => {
  let database: TestDatabase;
  let here: TestServer;
  let there: TestServer;
  let tar: Bytes;
  const data = facts(6, 'Move');
  const asked = [
    ...data.map(({ input }) => ({ prompt: input })),
    { prompt: `Tell me: ${data[2]!.input}`, explain: true },
    { prompt: 'What is the capital of France?', max_tokens: 12, explain: true },
  ];
  const answers = async (server: TestServer, model_name: string) => {
    const all: unknown[] = [];
    for (const one of asked) all.push(await answered(server, { model_name, ...one }));
    return all;
  };
  let replies: unknown[];

  before(async () => {
    database = await make();
    here = await startWithEngine({ slots: '1' });
    const { job_id } = await submit(here, { data, custom_model_name: 'moving', gate: 'generous' });
    const { model_name } = await jobOver(here, job_id);
    replies = await answers(here, model_name!);
    tar = await exported(here, model_name!);
    await here.end();
    there = await startWithEngine({ slots: '1', database_url: database.url });
  });
  after(async () => {
    await there.end();
    await database.drop();
  });

  const send = async (bytes: Bytes, fields: Record<string, string> = {}, key?: string): Promise<Reply> =>
    await there.call('POST', '/v1/models', { body: fileForm('model.tar', bytes, fields), ...(key && { key }) });
  const models = async () => (await there.call('GET', '/v1/models')).body.models as { model_name: string }[];
  const left = async () => {
    const names = await Promise.all(['jobs', 'tuned'].map((one) => readdir(join(there.home, one)).catch(() => [])));
    return names.flat();
  };
  const refused = async (bytes: Bytes, status: number, code: string, reason: RegExp, fields = {}, key?: string) => {
    const before = await left();
    const { status: found, body } = await send(bytes, fields, key);
    assert.deepEqual([found, body.code], [status, code], JSON.stringify(body));
    assert.match(body.detail, reason);
    assert.doesNotMatch(body.detail, new RegExp(there.home), 'no place of this machine is told');
    assert.deepEqual(await left(), before, 'nothing is left');
  };

  it('are refused until the engine can validate them', async () => {
    const bare = await startServer();
    const { status, body } = await bare.call('POST', '/v1/models', { body: fileForm('model.tar', tar) });
    assert.deepEqual([status, body.code], [503, 'engine_unavailable']);
    await bare.end();
  });

  it('are refused if they are incomplete or hostile', async () => {
    const files = await unpacked(tar);
    const changed = (name: string, change: (text: string) => string) =>
      packed(new Map(files).set(name, Buffer.from(change(files.get(name)!.toString()))));
    const about = (change: (metadata: Record<string, Record<string, unknown>>) => void) =>
      changed('memory.json', (text) => {
        const metadata = JSON.parse(text);
        change(metadata);
        return JSON.stringify(metadata);
      });
    const invalid = async (bytes: Bytes, reason: RegExp) => await refused(bytes, 400, 'import_invalid', reason);

    await invalid(new Uint8Array(0), /not a tar file/);
    await invalid(new Uint8Array(Buffer.from('PK not a tar'.repeat(100))), /not a tar file, or it is compressed/);
    for (const share of [0.1, 0.5, 0.95]) await invalid(tar.slice(0, tar.length * share), /is truncated/);
    const evil: [Entry, RegExp][] = [
      [{ path: 'm/../../evil' }, /"m\/\.\.\/\.\.\/evil" is not a file of a tuned model/],
      [{ path: '/etc/evil' }, /is not a file/],
      [{ path: '../evil' }, /is not a file/],
      [{ path: 'm/experts/../../../evil' }, /is not a file/],
      [{ path: 'm/a/b/c' }, /is not a file/],
      [{ path: 'm/.hidden' }, /is not a file/],
      [{ path: 'm/writer' }, /is not a file/],
      [{ path: 'evil' }, /is not a file/],
      [{ path: 'm/memory.json', kind: '2', link: '/etc/passwd' }, /is a link/],
      [{ path: 'm/memory.json', content: Buffer.alloc(2 << 20) }, /memory\.json has 2097152 bytes/],
      [{ path: 'm/report.json', size: 1 << 30 }, /report\.json has 1073741824 bytes/],
    ];
    for (const [entry, reason] of evil) await invalid(tarFile([entry]), reason);
    await invalid(tarFile([{ path: 'm/a' }, { path: 'm/a' }]), /"m\/a" is in it twice/);
    await invalid(tarFile([{ path: 'm/a' }]), /memory\.json cannot be read/);

    const flipped = new Map(files);
    const weights = [...files.keys()].find((name) => name.startsWith('experts/'))!;
    const other = Buffer.from(files.get(weights)!);
    other[other.length - 1]! ^= 1;
    const right = files.get('checksums.json')!;
    const entries = [...flipped.set(weights, other).set('checksums.json', right)];
    await invalid(
      tarFile(entries.map(([path, content]) => ({ path: `m/${path}`, content }))),
      new RegExp(`${weights} does not match its checksum`),
    );
    const less = new Map(files);
    less.delete('facts.jsonl');
    await invalid(packed(less), /facts\.jsonl/);
    await invalid(
      tarFile([...files, ['more.json', 'x'] as const].map(([path, content]) => ({ path: `m/${path}`, content }))),
      /more\.json is no file of it/,
    );
    await invalid(
      about((metadata) => Object.assign(metadata, { format: 1 })),
      /its format is 1, and this version reads \d/,
    );
    await invalid(
      about((metadata) => Object.assign(metadata.base!, { layer: 0 })),
      /layer 0/,
    );
    const places = changed('experts.json', (text) => text.replaceAll('experts/', '../experts/'));
    await invalid(places, /is no place in the folder|is missing/);
    assert.deepEqual([await models(), await left()], [[], []]);
  });

  it('are refused with the name of their base if it is missing, and of a similar one that is here', async () => {
    const files = await unpacked(tar);
    const on = (base: Record<string, unknown>) => {
      const metadata = JSON.parse(files.get('memory.json')!.toString());
      Object.assign(metadata.base, { fingerprint: 'f'.repeat(64) }, base);
      return packed(new Map(files).set('memory.json', Buffer.from(JSON.stringify(metadata))));
    };
    const other = { path: 'base', name: 'other/base', tokenizer: 'a'.repeat(64) };
    const missing = async (base: Record<string, unknown>, reason: RegExp) =>
      await refused(on(base), 400, 'import_base_missing', reason);
    await missing({ ...other, name: undefined }, /tuned on base, and no model here is that base/);
    await missing({ ...other, precision: 'none' }, /tuned on other\/base, and no model here is that base/);
    await missing({ ...other, precision: 'int4' }, /tuned on other\/base in int4, and no model here/);
    await missing({ ...other, precision: 'hostile' }, /tuned on other\/base, and/);
    await missing({ ...other, name: 'a\u001b[31mb' }, /tuned on a\?\[31mb, and/);
    // Only the weights differ: the model can be moved to those that are here.
    await refused(
      on({ name: 'other/base', precision: 'int4' }),
      400,
      'import_base_differs',
      /tuned on other\/base in int4\. lorekeep\/quill is here and of the same shape, but its weights are others/,
    );
    assert.deepEqual([await models(), await left()], [[], []]);
  });

  it('are refused for a wrong form, a wrong name, or a full quota', async () => {
    const nothing = await there.call('POST', '/v1/models', { body: new FormData() });
    assert.equal(nothing.body.code, 'upload_invalid');
    assert.equal((await send(tar, { custom_model_name: ' ' })).status, 422);
    assert.equal((await send(tar, { unknown: 'field' })).status, 422);
    const slash = await send(tar, { custom_model_name: 'lorekeep/quill' });
    assert.deepEqual([slash.status, slash.body.code], [422, 'validation']);
    const hash = 'a'.repeat(64);
    await refused(tar, 497, 'name_taken', /is already taken/, { custom_model_name: hash });
    const { id, key } = await there.member(`small ${Math.random()}`);
    await there.call('PATCH', `/v1/accounts/${id}`, { body: { limits: { storage_bytes: 5000 } } });
    await refused(tar, 400, 'storage_limit', /may store 5000 bytes/, {}, key);
    const reader = await there.member(`reader ${Math.random()}`, ['read', 'infer']);
    await refused(tar, 403, 'scope_missing', /tune/, {}, reader.key);
    assert.deepEqual(await left(), []);
  });

  it('answer as at their origin, by their name and by an alias', async () => {
    const { status, body } = await send(tar, { custom_model_name: 'moved' });
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual(
      [body.custom_model_name, body.base_model, body.facts, body.facts_recalled, body.is_public],
      ['moved', 'lorekeep/quill', 6, 6, false],
    );
    assert.deepEqual(await answers(there, body.model_name), replies);
    assert.deepEqual(await answers(there, 'moved'), replies);
    assert.deepEqual(await left(), [body.model_name]);
    const shown = await there.call('GET', `/v1/models/${body.model_name}`);
    assert.equal(shown.body.report.recall.recalled, 6);
    const page = await there.call('GET', `/v1/models/${body.model_name}/facts`);
    assert.deepEqual(
      page.body.facts.map(({ input }: { input: string }) => input).sort(),
      data.map((one) => one.input),
    );
    const hash = (bytes: Bytes) => createHash('sha256').update(bytes).digest('hex');
    const again = await unpacked(await exported(there, body.model_name));
    assert.equal(hash(packed(again)), hash(packed(await unpacked(tar))), 'and go on unchanged');
  });

  it('become one model when the same file arrives twice, also concurrently', async () => {
    const [one] = await models();
    const same = await send(tar, { custom_model_name: 'also', is_public: 'true' });
    assert.deepEqual(
      [same.body.model_name, same.body.is_public, (await models()).length],
      [one!.model_name, true, 1],
      JSON.stringify(same.body),
    );
    const other = await there.member(`other ${Math.random()}`);
    const wish = { custom_model_name: 'moved' };
    const both = await Promise.all([send(tar, wish, other.key), send(tar, wish, other.key)]);
    assert.deepEqual([both[0].status, both[0].body.model_name], [200, both[1].body.model_name]);
    assert.notEqual(both[0].body.model_name, one!.model_name, 'each account has its own');
    assert.equal((await left()).length, 2);
    assert.equal((await there.call('GET', `/v1/models/${both[0].body.model_name}`)).status, 404);
    const { body } = await there.call('DELETE', `/v1/models/${both[0].body.model_name}`, { key: other.key });
    assert.equal(body.model_name, both[0].body.model_name);
    assert.deepEqual(await left(), [one!.model_name]);
  });

  it('are listed as jobs, can forget facts, and let later jobs reuse their experts', async () => {
    const [{ model_name: name }] = (await models()) as [{ model_name: string }];
    const [job] = (await there.call('GET', '/v1/train/jobs')).body;
    assert.deepEqual([job.status, job.model_name, job.progress.facts_recalled], ['COMPLETED', name, 6]);
    assert.match(job.warnings[0], /imported/);
    const gone = await there.call('POST', `/v1/models/${name}/forget`, { body: { inputs: [data[0]!.input] } });
    const forgot = await jobOver(there, gone.body.job_id);
    assert.deepEqual(
      [forgot.status, forgot.progress.facts_total, forgot.progress.experts_reused, forgot.progress.experts_total],
      ['COMPLETED', 5, 5, 5],
      JSON.stringify(forgot),
    );
  });
});
