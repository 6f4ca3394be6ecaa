// Refused tuning requests: each gets its reason before a job exists, and leaves nothing behind.
import assert from 'node:assert/strict';
import { cp, readdir, rm, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { finetuneArgs } from '@lorekeep/contract';
import { openStore } from '../store/open.ts';
import { onDatabase, type TestDatabase } from '../testing/databases.ts';
import { startServer, type TestServer } from '../testing/server.ts';
import { facts, submit } from '../testing/tuning.ts';

const model_name = 'lorekeep/quill';
const data = facts(2);

onDatabase('refusals of tuning', 'PostgreSQL', (make) => {
  let database: TestDatabase;
  let server: TestServer;
  before(async () => {
    database = await make();
    // Without an engine: jobs wait, and nothing below needs one.
    server = await startServer({ database_url: database.url, slots: '4', contact: 'ops@example.org' });
  });
  after(async () => {
    await server.end();
    await database.drop();
  });

  const train = async (body: unknown, key?: string) =>
    await server.call('POST', '/v1/train', { body, ...(key && { key }) });
  const left = async () => ({
    jobs: (await server.call('GET', '/v1/train/jobs')).body.length,
    datasets: (await server.call('GET', '/v1/datasets')).body.datasets.length,
    folders: (await readdir(join(server.home, 'jobs')).catch(() => [])).length,
  });
  async function assertRefused(body: unknown, status: number, code: string, message: RegExp, key?: string) {
    const before = await left();
    const answer = await train(body, key);
    assert.deepEqual([answer.status, answer.body.code], [status, code], JSON.stringify(answer.body));
    assert.match(JSON.stringify(answer.body.detail), message);
    assert.deepEqual(await left(), before, `something of ${code} was left behind`);
  }

  it('refuses a base that is larger than the memory, with both sizes', async () => {
    const folder = join(server.home, 'models/large/base');
    await cp(join(import.meta.dirname, '../../../models/quill'), folder, { recursive: true });
    await rm(join(folder, 'lorekeep.json'));
    // A sparse file takes no disk space.
    await truncate(join(folder, 'model.safetensors'), 8e12);
    const numbers = /large\/base needs \d{13} bytes of memory, and this machine has \d+/;
    await assertRefused({ model_name: 'large/base', data }, 503, 'out_of_memory', numbers);
    const plan = await server.call('POST', '/v1/train/plan', { body: { model_name: 'large/base', data } });
    assert.deepEqual([plan.status, plan.body.code], [503, 'out_of_memory']);
    await rm(join(server.home, 'models/large'), { recursive: true });
  });

  it('names the invalid field of a body', async () => {
    const cases: [object, number, string, RegExp][] = [
      [{}, 422, 'validation', /model_name/],
      [{ model_name: 7 }, 422, 'validation', /"model_name"\].*expected string/],
      [{ model_name: 'no/such' }, 594, 'model_not_found', /no\/such/],
      [
        { model_name: 'sentence-transformers/all-MiniLM-L6-v2' },
        594,
        'model_not_found',
        /all-MiniLM/, // with an engine, it is a model of another kind
      ],
      [{ finetune_args: [] }, 422, 'validation', /finetune_args/],
      [{ finetune_args: 'fast' }, 422, 'validation', /finetune_args/],
      [{ gpu_config: { gpus: 0 } }, 422, 'validation', /"gpu_config","gpus"/],
      [{ gpu_config: { gpus: 1.5 } }, 422, 'validation', /"gpu_config","gpus"/],
      [{ gpu_config: { gpus: 5 } }, 400, 'gpus_unavailable', /no more than 4 on one node/],
      [{ gpu_config: { gpus: 1, nodes: 2 } }, 400, 'gpus_unavailable', /1 GPUs on 2 nodes/],
      [{ train_type: 'memory_rag' }, 400, 'train_type_unsupported', /memory_rag/],
      [{ custom_model_name: '' }, 422, 'validation', /custom_model_name/],
      [{ custom_model_name: 'a\u0000b' }, 422, 'validation', /custom_model_name/],
      [{ custom_model_name: 'x'.repeat(201) }, 422, 'validation', /custom_model_name/],
      [
        { custom_model_name: model_name },
        422,
        'validation',
        /must not hold a slash: organisation\/name is how models of a hub/,
      ],
      [{ custom_model_name: 'bot@2' }, 422, 'validation', /custom_model_name/],
      [{ custom_model_name: 'a'.repeat(64) }, 497, 'name_taken', /aaaa/],
      [{ is_public: 'yes' }, 422, 'validation', /is_public/],
      [{ use_cached_model: 1 }, 422, 'validation', /use_cached_model/],
      [{ gate: 'open' }, 422, 'validation', /gate/],
      [{ priority: 101 }, 422, 'validation', /priority/],
      [{ dataset_id: '0'.repeat(64) }, 400, 'train_data_ambiguous', /a dataset is named/],
    ];
    for (const [more, status, code, message] of cases) {
      const body = 'model_name' in more || code === 'validation' ? { data, ...more } : { model_name, data, ...more };
      await assertRefused(Object.keys(more).length === 0 ? { data } : { model_name, ...body }, status, code, message);
    }
  });

  it('names the problems of the data', async () => {
    const cases: [object, number, string, RegExp][] = [
      [{}, 400, 'train_data_missing', /data/],
      [{ data: null }, 400, 'train_data_missing', /data/],
      [{ data: [] }, 400, 'dataset_empty', /no rows/],
      [{ data: {} }, 400, 'json_invalid', /not a list/],
      [
        { data: [{ input: 'a' }, { output: 'b' }, null, 7] },
        422,
        'rows_invalid',
        /row 1: output is missing.*row 2.*row 3.*row 4/,
      ],
      [{ data: [{ input: '', output: null }] }, 422, 'rows_invalid', /input is empty.*output is null/],
      [
        { data: [{ input: 'Who?', output: 'a' }, ...data, { input: ' Who? ', output: 'b' }] },
        422,
        'facts_conflict',
        /rows 1 and 4 ask the same/,
      ],
      [{ dataset_id: 'x' }, 422, 'validation', /dataset_id/],
      [{ dataset_id: 'f'.repeat(64) }, 404, 'dataset_not_found', /ffff/],
      [{ upload_file_path: 'local/../../etc' }, 400, 'upload_file_path_unknown', /etc/],
      [{ upload_file_path: `local/${'f'.repeat(64)}` }, 404, 'dataset_not_found', /ffff/],
      [
        { upload_file_path: `local/${'f'.repeat(64)}`, dataset_id: 'e'.repeat(64) },
        400,
        'train_data_ambiguous',
        /different datasets/,
      ],
    ];
    for (const [more, status, code, message] of cases) {
      const answer = await train({ model_name, ...more });
      if (code === 'validation') assert.ok([400, 422].includes(answer.status));
      else await assertRefused({ model_name, ...more }, status, code, message);
    }
  });

  it('checks type and range of every argument, and warns about arguments of other trainers', async () => {
    for (const [name, { takes }] of Object.entries(finetuneArgs)) {
      const wrong: unknown[] = ['{}', {}, [], Number.MAX_VALUE];
      if (takes.kind === 'number' || takes.kind === 'whole') wrong.push(takes.from - 1, '8', true, -1);
      if (takes.kind === 'whole') wrong.push(takes.from + 0.5);
      if (takes.kind === 'choice') wrong.push('IndexFlat');
      if (takes.kind === 'flag') wrong.push('true', 1);
      for (const value of wrong) {
        const answer = await train({ model_name, data, finetune_args: { [name]: value } });
        assert.equal(answer.status, 422, `${name}: ${JSON.stringify(value)}`);
        assert.match(answer.body.detail[0].msg, new RegExp(`^${name} is .*; it has to be `));
      }
    }
    await assertRefused(
      { model_name, data, finetune_args: { max_length: 100 } },
      422,
      'validation',
      /max_length is 100; it has to be a power of two from 16 to 8192/,
    );
    const { status, headers, body } = await train({
      model_name,
      data,
      finetune_args: { max_steps: 50, r_value: null, warmup: 3, weight_decay: 0.1, made_up: null },
    });
    assert.equal(status, 200);
    assert.match(headers.get('x-warning') ?? '', /without effect here: warmup, weight_decay\./);
    const { body: job } = await server.call('GET', `/v1/train/jobs/${body.job_id}`);
    assert.deepEqual(job.finetune_args, { max_steps: 50, warmup: 3, weight_decay: 0.1 });
  });

  it('refuses unknown arguments and suggests the nearest known one', async () => {
    const cases: [args: object, told: RegExp][] = [
      [{ max_stepz: 3 }, /no argument max_stepz \(3\); the nearest is max_steps, a whole number from 1 to 10000000/],
      [{ maxSteps: 3 }, /the nearest is max_steps/],
      [{ lerning_rate: 0.1 }, /the nearest is learning_rate, a number from/],
      [{ epochs: 2 }, /the nearest is num_train_epochs/],
      [{ größe: 1 }, /no argument größe \(1\); the nearest is \w+/],
      [{ '': 1 }, /no argument .*the nearest is \w+/],
      [{ constructor: 1 }, /no argument constructor/],
      [{ optim: 'nonsense' }, /optim is "nonsense"; it has to be one of adam, adamw/],
    ];
    for (const [args, message] of cases)
      for (const path of ['/v1/train', '/v1/train/plan'])
        for (const finetune_args of [args, { max_steps: 50, ...args }]) {
          const { status, body } = await server.call('POST', path, { body: { model_name, data, finetune_args } });
          assert.equal(status, 422, JSON.stringify(args));
          assert.deepEqual(body.detail[0].loc, ['body', 'finetune_args', Object.keys(args)[0]]);
          assert.match(body.detail[0].msg, message);
        }
    for (const optim of ['adam', 'adamw_torch', 'paged_adamw_32bit'])
      assert.equal((await train({ model_name, data, finetune_args: { optim } })).status, 200, optim);
  });

  it('accepts the published recipes unchanged', async () => {
    for (const finetune_args of [
      { max_steps: 50, r_value: 32, learning_rate: 3e-4 },
      {
        ...{ gradient_accumulation_steps: 4, index_k: 2, index_max_size: 65536, max_length: 512, max_steps: 10000 },
        ...{ index_ivf_nlist: 2048, max_finetuning_examples: 10000, r_value: 64, learning_rate: 3e-4 },
      },
      { batch_size: 1, index_ivf_nlist: 1, index_method: 'IndexFlatL2', index_max_size: 1 },
    ]) {
      const { status, headers } = await train({ model_name, data, finetune_args, gpu_config: { gpus: 1, nodes: 1 } });
      assert.equal(status, 200);
      assert.equal(headers.get('x-warning'), null);
    }
  });

  it('counts duplicate rows once, treats numbers as text, and reports both', async () => {
    const rows = [
      { input: 'What is 1?', output: 1.5 },
      { input: 'What is  1?', output: '1.5' },
      { input: true, output: 0 },
    ];
    const { status, headers, body } = await train({ model_name, data: rows });
    assert.equal(status, 200);
    assert.match(headers.get('x-warning') ?? '', /\b1 row repeats another row and counts once: 2\./);
    const { body: job } = await server.call('GET', `/v1/train/jobs/${body.job_id}`);
    assert.equal(job.progress.facts_total, 2);
  });

  it("enforces an account's limits of data points and jobs, and names the contact", async () => {
    const { key, id } = await server.member(`small ${Math.random()}`);
    await server.call('PATCH', `/v1/accounts/${id}`, { body: { limits: { data_points: 3, jobs: 2 } } });
    const many = { model_name, data: facts(4) };
    await assertRefused(many, 400, 'data_points_limit', /4 data points.*on 3 at once.*Contact ops@example.org/, key);
    await assertRefused(
      { ...many, data: [...facts(3), ...facts(3)], priority: 1 },
      403,
      'operator_only',
      /operator/,
      key,
    );
    await submit(server, { data: [...facts(3), ...facts(3)] }, key);
    await submit(server, { data: facts(9), finetune_args: { max_finetuning_examples: 3 } }, key);
    await assertRefused({ model_name, data }, 429, 'jobs_limit', /2 jobs.*ops@example.org/, key);
    assert.equal((await server.call('POST', '/v1/train/jobs/cancel', { key })).body.cancelled.length, 2);
    await submit(server, { data }, key);
  });

  it('leaves an existing dataset unchanged when a job on its rows is refused', async () => {
    const { key, id } = await server.member(`full ${Math.random()}`);
    await server.call('PATCH', `/v1/accounts/${id}`, { body: { limits: { jobs: 0 } } });
    const rows = facts(3, 'Private');
    const upload = await server.call('POST', '/v1/local-data', {
      body: { upload_base_path: 'local', data: rows },
      key,
    });
    const refused = await server.call('POST', '/v1/train', { body: { model_name, data: rows, is_public: true }, key });
    assert.equal(refused.body.code, 'jobs_limit');
    const { body } = await server.call('GET', `/v1/datasets/${upload.body.dataset_id}`, { key });
    assert.equal(body.is_public, false);
  });

  it('keeps every acknowledged dataset when concurrent requests on the same rows are refused', async () => {
    const { key, id } = await server.member(`many ${Math.random()}`);
    await server.call('PATCH', `/v1/accounts/${id}`, { body: { limits: { jobs: 1 } } });
    for (let round = 0; round < 4; round++) {
      const rows = facts(2, `Same${round}`);
      const upload = { upload_base_path: 'local', data: rows };
      const answers = await Promise.all([
        train({ model_name, data: rows, is_public: true }, key),
        train({ model_name, data: rows, is_public: true }, key),
        server.call('POST', '/v1/local-data', { body: upload, key }),
        train({ model_name, data: rows, is_public: true }, key),
      ]);
      assert.deepEqual(
        answers.map(({ status }) => status).filter((status) => status !== 429).length,
        round === 0 ? 2 : 1,
      );
      const acknowledged = answers.find(({ status, body }) => status === 200 && body.dataset_location)!;
      const dataset = await server.call('GET', `/v1/datasets/${acknowledged.body.dataset_id}`, { key });
      assert.deepEqual([dataset.status, dataset.body.is_public], [200, round === 0], JSON.stringify(answers));
    }
  });

  it('hides jobs and names of an account from others', async () => {
    const one = await server.member(`one ${Math.random()}`);
    const other = await server.member(`other ${Math.random()}`);
    const alias = `bot ${Math.random()}`;
    const { job_id } = await submit(server, { data, custom_model_name: alias }, one.key);
    for (const [method, path] of [
      ['GET', ''],
      ['GET', '/events'],
      ['GET', '/events/live'],
      ['GET', '/logs'],
      ['POST', '/cancel'],
      ['POST', '/resume'],
    ] as const) {
      const answer = await server.call(method, `/v1/train/jobs/${job_id}${path}`, { key: other.key });
      assert.deepEqual([answer.status, answer.body.code], [404, 'job_not_found'], path);
    }
    assert.deepEqual((await server.call('GET', '/v1/train/jobs', { key: other.key })).body, []);
    // A name reveals nothing about names of other accounts and does not conflict with them.
    await submit(server, { data, custom_model_name: alias }, other.key);
    await server.call('POST', `/v1/train/jobs/${job_id}/cancel`, { key: one.key });
    const again = await server.call('POST', `/v1/train/jobs/${job_id}/resume`, { key: one.key });
    assert.equal(again.status, 200, JSON.stringify(again.body));
  });

  it('lets several accounts take the same name at once', async () => {
    const keys = await Promise.all(
      Array.from({ length: 6 }, async (_, at) => (await server.member(`racer ${at} ${Math.random()}`)).key),
    );
    const alias = `raced ${Math.random()}`;
    const answers = await Promise.all(keys.map((key) => train({ model_name, data, custom_model_name: alias }, key)));
    assert.deepEqual(
      answers.map(({ status }) => status),
      keys.map(() => 200),
    );
  });

  it('cancels and resumes a waiting job once, and refuses the second time with a reason', async () => {
    const { job_id } = await submit(server, { data });
    const post = async (what: string, body?: unknown) =>
      await server.call('POST', `/v1/train/jobs/${job_id}/${what}`, { body });
    const running = await post('resume');
    assert.deepEqual([running.status, running.body.code], [400, 'job_not_resumable']);
    assert.deepEqual((await post('cancel', {})).body, { status: 'CANCELLED', message: `cancelled ${job_id}` });
    const twice = await post('cancel');
    assert.equal(twice.status, 400);
    assert.match(twice.body.detail, new RegExp(`The job ${job_id} is CANCELLED already`));
    assert.equal((await post('resume')).body.status, 'QUEUED');
    assert.equal((await post('resume')).body.code, 'job_not_resumable');
    const { body: job } = await server.call('GET', `/v1/train/jobs/${job_id}`);
    assert.deepEqual([job.status, job.resume_count, job.resume_limit], ['QUEUED', 1, 1000]);
    assert.ok(job.queue_position > 0);
    const { body } = await server.call('GET', `/v1/train/jobs/${job_id}/events`);
    assert.deepEqual(
      body.events
        .map(({ status }: { status: string }) => status)
        .filter((status: string, at: number) => at === 0 || status !== 'QUEUED' || at === body.events.length - 1),
      ['CREATED', 'CANCELLED', 'QUEUED'],
    );
    for (const wrong of ['0', 'x', '99999999'])
      assert.ok([404, 422].includes((await server.call('POST', `/v1/train/jobs/${wrong}/cancel`)).status));
  });

  it('lets a job be resumed up to a limit', async () => {
    const { job_id } = await submit(server, { data });
    await server.call('POST', `/v1/train/jobs/${job_id}/cancel`);
    const store = await openStore(database.url);
    await store.db.updateTable('tuning_jobs').set({ resume_count: 999 }).where('id', '=', job_id).execute();
    await store.close();
    const resume = async () => await server.call('POST', `/v1/train/jobs/${job_id}/resume`);
    assert.equal((await resume()).status, 200);
    await server.call('POST', `/v1/train/jobs/${job_id}/cancel`);
    const { status, body } = await resume();
    assert.deepEqual([status, body.code], [400, 'resume_limit']);
    assert.match(body.detail, /1000/);
  });

  it('lets accounts take turns, and newcomers never starve a waiting job', async () => {
    await server.call('POST', '/v1/train/jobs/cancel');
    const [one, other] = [await server.member(`many ${Math.random()}`), await server.member(`few ${Math.random()}`)];
    const many = [];
    for (let count = 0; count < 4; count++) many.push((await submit(server, { data }, one.key)).job_id);
    const few = [
      (await submit(server, { data }, other.key)).job_id,
      (await submit(server, { data }, other.key)).job_id,
    ];
    const urgent = (await submit(server, { data, priority: 1 })).job_id;
    const at = async (id: number, key?: string) =>
      (await server.call('GET', `/v1/train/jobs/${id}`, key ? { key } : {})).body.queue_position;
    const places: [number, number][] = [];
    for (const id of many) places.push([await at(id, one.key), id]);
    for (const id of few) places.push([await at(id, other.key), id]);
    places.push([await at(urgent), urgent]);
    const order = places.sort(([a], [b]) => a - b).map(([, id]) => id);
    assert.equal(order[0], urgent);
    assert.ok(
      order.indexOf(few[0]!) < order.indexOf(many[1]!),
      'the other account comes after one job, not after four',
    );
    assert.ok(order.indexOf(few[1]!) < order.indexOf(many[2]!));
    const listed = (await server.call('GET', '/v1/train/jobs', { key: one.key })).body;
    assert.deepEqual(
      listed.map(({ job_id }: { job_id: number }) => job_id),
      [...many].reverse(),
    );
  });

  it('accepts many facts in one body with little memory, and finds the invalid one', async () => {
    const many = facts(20_000, 'Many');
    const wrong = [...many, { input: many[7]!.input, output: 'somebody else' }];
    await assertRefused({ data: wrong, model_name }, 422, 'facts_conflict', /rows 8 and 20001/);
    const { job_id } = await submit(server, { data: many });
    assert.equal((await server.call('GET', `/v1/train/jobs/${job_id}`)).body.progress.facts_total, 20_000);
  });
});
