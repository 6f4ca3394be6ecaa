// Sweeps with the real engine: values of an argument compared, interrupted, resumed, and refused requests.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import type { JobEvent, Sweep, Trial } from '@lorekeep/contract';
import { onDatabase, type TestDatabase } from '../testing/databases.ts';
import { startServer, type TestServer, withEngine } from '../testing/server.ts';
import { facts, jobOver, jobWhen, submit } from '../testing/tuning.ts';

const model_name = 'lorekeep/quill';
const data = facts(12);
const rates = { argument: 'learning_rate', values: [1e-7, 3e-4] };

onDatabase('sweeps', 'SQLite', (make) => {
  let database: TestDatabase;
  let server: TestServer;
  before(async () => {
    database = await make();
    server = await startServer({ database_url: database.url, slots: '1' }, withEngine);
  });
  after(async () => {
    await server.end();
    await database.drop();
  });

  const send = async (body: object, key?: string) =>
    await server.call('POST', '/v1/train/sweep', { body: { model_name, data, ...body }, ...(key && { key }) });
  const started = async (body: object): Promise<number> => {
    const answer = await send(body);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body.job_id;
  };
  const shown = async (id: number): Promise<Sweep> => (await server.call('GET', `/v1/train/sweep/${id}`)).body;

  it('compares values on the first facts and names the best', async () => {
    const id = await started({ ...rates, facts: 6, finetune_args: { max_steps: 19 } });
    const job = await jobOver(server, id);
    assert.equal(job.status, 'COMPLETED', JSON.stringify(job));
    assert.deepEqual([job.model_name, job.train_type], [null, 'sweep']);
    assert.deepEqual(job.sweep, { ...rates, facts: 6, best: 3e-4 });
    const { trials, ...same } = await shown(id);
    assert.deepEqual(same, job);
    const [slow, fast] = trials as [Trial, Trial];
    assert.deepEqual([slow.value, fast.value], rates.values);
    assert.deepEqual([fast.facts, fast.facts_recalled, fast.recall], [6, 6, 1]);
    assert.ok(slow.recall < 1);
    assert.ok(fast.curve.at(-1)!.loss! < fast.curve[0]!.loss!);
    assert.deepEqual(slow.curve[0], fast.curve[0], 'before the first step both are the base');
    assert.deepEqual([job.progress.facts_done, job.progress.facts_total], [12, 12]);
    assert.equal(JSON.parse(job.history).length, 2);
    assert.deepEqual((await server.call('GET', '/v1/models')).body.models, []);
  });

  it('is listed among the jobs and marked as a sweep', async () => {
    const { job_id } = await submit(server, { data: facts(1, 'Apart') });
    const sweeps = (await server.call('GET', '/v1/train/sweep')).body as Sweep[];
    const jobs = (await server.call('GET', '/v1/train/jobs')).body as Sweep[];
    assert.deepEqual(
      jobs.map(({ sweep, train_type }) => [sweep !== null, train_type]),
      [
        [false, 'memory_tuning'],
        [true, 'sweep'],
      ],
    );
    assert.deepEqual(sweeps, [jobs[1]]);
    const other = await server.call('GET', `/v1/train/sweep/${job_id}`);
    assert.deepEqual([other.status, other.body.code], [404, 'sweep_not_found']);
    await jobOver(server, job_id);
  });

  it('resumes after a kill and after a cancel, and tries no value twice', async () => {
    // With 20 steps or more, facts that are not learned are retried with hundreds.
    const values = [null, ...Array.from({ length: 7 }, (_, at) => at + 12)];
    const id = await started({ data: facts(24, 'Kill'), argument: 'max_steps', values, facts: 24 });
    const partly = async (count: number) => {
      await jobWhen(server, id, 'partly done', ({ history }) => JSON.parse(history).length >= count);
      return (await shown(id)).trials;
    };
    const first = await partly(1);
    for (const worker of workers()) process.kill(worker, 'SIGKILL');
    await jobWhen(server, id, 'noticed', ({ status }) => status !== 'TRAINING MODEL');
    const second = await partly(first.length + 1);
    assert.deepEqual(second.slice(0, first.length), first);
    assert.equal((await server.call('POST', `/v1/train/jobs/${id}/cancel`)).status, 200);
    const before = (await shown(id)).trials;
    assert.equal((await server.call('POST', `/v1/train/jobs/${id}/resume`)).status, 200);
    const job = await jobOver(server, id);
    assert.equal(job.status, 'COMPLETED', JSON.stringify(job));
    const { trials } = await shown(id);
    assert.deepEqual(trials.slice(0, before.length), before);
    assert.deepEqual(
      trials.map(({ value }) => value),
      values,
    );
    const events = (await server.call('GET', `/v1/train/jobs/${id}/events`)).body.events as JobEvent[];
    assert.ok(events.some(({ reason }) => /SIGKILL/.test(reason ?? '')));
  });

  it('uses all facts if there are fewer than its limit, and warns about arguments without effect', async () => {
    const answer = await send({ argument: 'index_k', values: [1, 2], finetune_args: { warmup: 1 } });
    assert.equal(answer.status, 200);
    assert.match(answer.headers.get('x-warning') ?? '', /index_k belongs to the router.*warmup/);
    const job = await jobOver(server, answer.body.job_id);
    assert.deepEqual([job.status, job.sweep?.facts, job.sweep?.best], ['COMPLETED', 12, 1]);
  });

  it('refuses values that cannot be tried, and leaves nothing behind', async () => {
    const left = async () => [
      (await server.call('GET', '/v1/train/jobs')).body.length,
      (await server.call('GET', '/v1/datasets')).body.datasets.length,
      (await readdir(join(server.home, 'jobs'))).length,
    ];
    const before = await left();
    const fresh = facts(3, 'Fresh');
    const cases: [object, number, string, RegExp][] = [
      [{ argument: undefined, values: [1] }, 422, 'validation', /"argument"/],
      [{ argument: 'warmup', values: [1] }, 422, 'validation', /"argument".*learning_rate/],
      [{ argument: 'max_finetuning_examples', values: [1] }, 422, 'validation', /"argument"/],
      [{ ...rates, values: undefined }, 422, 'validation', /"values"/],
      [{ ...rates, values: [] }, 422, 'validation', /"values"/],
      [{ ...rates, values: 3e-4 }, 422, 'validation', /"values"/],
      [{ ...rates, values: Array(101).fill(1e-3) }, 422, 'validation', /"values"/],
      [{ ...rates, values: [1e-4, 7] }, 422, 'validation', /"values",1\].*learning_rate is 7; it has to be a number/],
      [{ ...rates, values: ['fast'] }, 422, 'validation', /learning_rate is \\"fast\\"/],
      [{ ...rates, values: [1e-4, 2e-4, 1e-4] }, 422, 'validation', /"values",2\].*same as value 1/],
      [{ ...rates, facts: 0 }, 422, 'validation', /"facts"/],
      [{ ...rates, facts: 1.5 }, 422, 'validation', /"facts"/],
      [{ ...rates, finetune_args: { max_steps: 0 } }, 422, 'validation', /max_steps is 0/],
      [{ ...rates, data: null }, 400, 'train_data_missing', /data/],
      [{ ...rates, data: [...fresh, { ...fresh[0], output: 'no' }] }, 422, 'facts_conflict', /rows 1 and 4/],
      [{ ...rates, model_name: 'no/such' }, 594, 'model_not_found', /no\/such/],
      [
        { argument: 'max_length', values: [16, 32], data: [{ input: 'Who?', output: 'word '.repeat(40) }] },
        422,
        'facts_too_long',
        /max_length is 32/,
      ],
    ];
    for (const [body, status, code, message] of cases) {
      const answer = await send({ data: fresh, ...body });
      assert.deepEqual([answer.status, answer.body.code], [status, code], JSON.stringify([body, answer.body]));
      assert.match(JSON.stringify(answer.body.detail), message);
    }
    assert.deepEqual(await left(), before);
  });

  it("counts its facts against the account's limit, and is hidden from other accounts", async () => {
    const { key, id } = await server.member(`sweeper ${Math.random()}`);
    await server.call('PATCH', `/v1/accounts/${id}`, { body: { limits: { data_points: 5 } } });
    assert.equal((await send({ ...rates, facts: 6 }, key)).body.code, 'data_points_limit');
    const { body } = await send({ ...rates, facts: 5 }, key);
    const foreign = await server.call('GET', `/v1/train/sweep/${body.job_id}`);
    assert.deepEqual([foreign.status, foreign.body.code], [404, 'job_not_found']);
    await server.call('POST', '/v1/train/jobs/cancel', { key });
  });
});

/** Processes that tune, of a server in this process. */
function workers(): number[] {
  const found = execFileSync('pgrep', ['-P', String(process.pid), '-f', 'lorekeep work'], { encoding: 'utf8' });
  return found.trim().split('\n').map(Number);
}
