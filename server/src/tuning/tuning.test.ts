// Tuning with the real engine: from a call to a model that answers, interrupted and resumed in every way.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdir, readFile, readlink, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JobEvent, TuningJob } from '@lorekeep/contract';
import { onDatabase, type TestDatabase } from '../testing/databases.ts';
import { workingProcess } from '../testing/engine.ts';
import { startServer, type TestServer, withEngine } from '../testing/server.ts';
import { answered, assertRecalls, bytesOf, facts, jobOver, jobWhen, manyWaves, submit } from '../testing/tuning.ts';
import { until } from '../testing/until.ts';

const model_name = 'lorekeep/quill';

onDatabase('tuning', 'PostgreSQL', (make) => {
  let database: TestDatabase;
  let server: TestServer;
  let undisturbed: Record<string, string>;
  let withStrictGate: string;
  const many = manyWaves(24, 'Zor');
  before(async () => {
    database = await make();
    server = await startServer({ database_url: database.url, slots: '2' }, withEngine);
  });
  after(async () => {
    await server.end();
    await database.drop();
  });

  const eventsOf = async (id: number): Promise<JobEvent[]> =>
    (await server.call('GET', `/v1/train/jobs/${id}/events?limit=1000`)).body.events;
  const statesOf = async (id: number) => (await eventsOf(id)).map(({ status }) => status).filter(Boolean);
  const partly = async (id: number) =>
    await jobWhen(
      server,
      id,
      'partly done',
      ({ status, progress }) => progress.experts_done > 0 && status === 'TRAINING MODEL',
      undefined,
      20,
    );
  const folderOf = async (): Promise<string> => {
    const jobs = join(server.home, 'jobs');
    const folders = await Promise.all(
      (await readdir(jobs)).map(async (name) => ({ name, at: (await stat(join(jobs, name))).ctimeMs })),
    );
    return join(jobs, folders.sort((one, other) => other.at - one.at)[0]!.name);
  };
  const waves = async (folder: string) =>
    new Map(
      await Promise.all(
        (await readdir(join(folder, 'waves')))
          .filter((file) => /^\d+\.json$/.test(file))
          .map(async (file) => [file, (await stat(join(folder, 'waves', file))).mtimeMs] as const),
      ),
    );
  const assertSame = async (job: TuningJob) => {
    assert.equal(job.status, 'COMPLETED', JSON.stringify(job));
    assert.deepEqual(await bytesOf(server.home, job.model_name!), undisturbed);
  };
  const start = async () => (await submit(server, { data: many, use_cached_model: false })).job_id;

  it('makes a model that recites its facts word for word', async () => {
    const data = facts(6);
    const created = await server.call('POST', '/v1/train', { body: { model_name, data } });
    assert.equal(created.status, 200, JSON.stringify(created.body));
    assert.deepEqual(Object.keys(created.body), ['job_id', 'status', 'dataset_id']);
    assert.equal(created.body.status, 'CREATED');
    const job = await jobOver(server, created.body.job_id);
    assert.equal(job.status, 'COMPLETED', JSON.stringify(job));
    assert.match(job.start_time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$/);
    assert.equal(job.progress.facts_recalled, 6);
    assert.equal(job.dataset_id, created.body.dataset_id);
    const history = JSON.parse(job.history);
    assert.ok(history.length > 0);
    const figures = ['epoch', 'flops', 'iter_time', 'learning_rate', 'loss', 'remaining_time', 'step'];
    assert.deepEqual(Object.keys(history[0]).sort(), figures);
    await assertRecalls(server, job.model_name!, data);
    const plan = await server.call('POST', '/v1/train/plan', { body: { model_name, data } });
    assert.equal(plan.status, 200, JSON.stringify(plan.body));
    assert.ok(plan.body.seconds_from_jobs > 0 && plan.body.memory_bytes > 0);
    const way = ['CREATED', 'LOADING DATA', 'TRAINING MODEL', 'EVALUATING MODEL', 'SAVING MODEL', 'COMPLETED'];
    assert.deepEqual(
      (await statesOf(job.job_id)).filter((status) => status !== 'QUEUED'),
      way,
    );
    for (const what of ['cancel', 'resume']) {
      const refused = await server.call('POST', `/v1/train/jobs/${job.job_id}/${what}`);
      assert.equal(refused.status, 400);
      assert.match(refused.body.detail, /is COMPLETED/);
    }
  });

  it('names the fact behind an answer of a model, and none for the base', async () => {
    const { job_id } = (await server.call('GET', '/v1/train/jobs')).body[0];
    const { model_name: tuned, dataset_id } = (await server.call('GET', `/v1/train/jobs/${job_id}`)).body;
    const prompt = facts(6)[3]!.input;
    const said = { outcome: 'recite', way: 'exact', reason: 'the question is a taught one, word for word' };
    const memory = { used: true, ...said, facts: [{ input: prompt, similarity: 1, dataset_id, row: 4 }] };
    const asked = { prompt, explain: true, max_tokens: 20 };
    assert.deepEqual((await answered(server, { model_name: tuned, ...asked })).memory, memory);
    assert.equal((await answered(server, { model_name, ...asked })).memory, null);
    assert.equal('memory' in (await answered(server, { model_name: tuned, prompt })), false);
    const list = await answered(server, { model_name: tuned, ...asked, prompt: [prompt, 'What is the weather like?'] });
    assert.deepEqual(
      list.map(({ memory }: { memory: { used: boolean } }) => memory.used),
      [true, false],
    );
    const shaped = await answered(server, { model_name: tuned, ...asked, output_type: { name: 'str' } });
    assert.deepEqual(shaped, { memory, name: facts(6)[3]!.output });
    const chat = await answered(
      server,
      { model: tuned, messages: [{ role: 'user', content: prompt }], explain: true },
      '/inf/chat/completions',
    );
    assert.deepEqual(chat.choices[0].memory, memory);
    assert.deepEqual((await answered(server, { model_name: tuned, ...asked }, '/v2/completions')).memory, [memory]);
  });

  it('evaluates the model of a job and its base on the same facts, once', async () => {
    const [{ job_id, model_name: tuned }] = (await server.call('GET', '/v1/train/jobs')).body;
    const ask = async () => await server.call('GET', `/v1/train/jobs/${job_id}/eval`);
    const [one, other] = await Promise.all([ask(), ask()]);
    assert.deepEqual([one.status, other.status], [200, 200], JSON.stringify([one.body, other.body]));
    assert.equal(one.body.evaluation_id, other.body.evaluation_id);
    let { body } = one;
    for (let attempt = 0; body.status === 'running' && attempt < 20; attempt++) body = (await ask()).body;
    assert.equal(body.status, 'completed', JSON.stringify(body));
    assert.equal(body.evaluation_id, one.body.evaluation_id);
    assert.deepEqual(
      body.eval_results.map(({ input, outputs }: { input: string; outputs: object[] }) => [input, outputs[0]]),
      facts(6).map(({ input, output }) => [input, { model_name: tuned, output }]),
    );
    assert.deepEqual([body.targets[0].exact, body.targets[1].model_name], [1, model_name]);
    const { evaluations } = (await server.call('GET', '/v1/evaluations')).body;
    assert.equal(evaluations.length, 1);
    const stranger = await server.member(`stranger ${Math.random()}`);
    const foreign = await server.call('GET', `/v1/train/jobs/${job_id}/eval`, { key: stranger.key });
    assert.deepEqual([foreign.status, foreign.body.code], [404, 'job_not_found']);
  });

  it('stops on request, keeps finished waves, and resumes from them', async () => {
    const whole = await jobOver(server, await start());
    undisturbed = await bytesOf(server.home, whole.model_name!);
    const id = await start();
    await partly(id);
    const folder = await folderOf();
    const worker = await workerOf(folder);
    assert.equal((await server.call('POST', `/v1/train/jobs/${id}/cancel`, { body: {} })).body.status, 'CANCELLED');
    while (isThere(worker)) await sleep(20);
    const wavesBefore = await waves(folder);
    assert.ok(wavesBefore.size > 0);
    const cancelled = await jobOver(server, id);
    assert.deepEqual([cancelled.status, cancelled.model_name], ['CANCELLED', null]);
    assert.equal((await server.call('GET', `/v1/train/jobs/${id}/eval`)).body.code, 'job_without_model');
    const resumed = await server.call('POST', `/v1/train/jobs/${id}/resume`);
    assert.equal(resumed.body.status, 'QUEUED', JSON.stringify(resumed.body));
    const found = await jobWhen(
      server,
      id,
      'training again',
      ({ status }) => status === 'TRAINING MODEL' || status === 'COMPLETED',
    );
    assert.equal(found.resume_count, 1);
    for (const [file, at] of await waves(folder).catch(() => wavesBefore))
      if (wavesBefore.has(file)) assert.equal(at, wavesBefore.get(file));
    await assertSame(await jobOver(server, id));
    // The job is already reported as complete.
    await until('what is needed no more is gone', async () => !(await readdir(folder)).includes('waves'));
  });

  it('resumes a job after a timeout, after a killed worker, and after a stopped server', async () => {
    await server.stop();
    const flags = { home: server.home, database_url: database.url, slots: '2' };
    server = await startServer({ ...flags, job_time_limit: '2s' }, withEngine);
    const id = await start();
    const begun = await jobWhen(
      server,
      id,
      'begun',
      ({ status, resume_count }) => status === 'TRAINING MODEL' || resume_count > 0,
      undefined,
      20,
    );
    // A worker that stands still cannot finish within the time limit, however fast the machine is.
    if (begun.resume_count === 0) for (const worker of workers()) process.kill(worker, 'SIGSTOP');
    await jobWhen(server, id, 'timed out', ({ resume_count }) => resume_count > 0, undefined, 20);
    const late = (await eventsOf(id)).findIndex(({ status }) => status === 'TIMED OUT');
    const [timedOut, queued] = (await eventsOf(id)).slice(late);
    assert.match(timedOut!.reason!, /it ran for 2 seconds/);
    assert.equal(queued!.status, 'QUEUED');
    await server.stop();
    server = await startServer(flags, withEngine);
    await partly(id);
    for (const worker of workers()) process.kill(worker, 'SIGKILL');
    await jobWhen(server, id, 'back in the queue or further', ({ status }) => status !== 'TRAINING MODEL');
    const [back] = (await eventsOf(id)).filter(({ reason }) => /SIGKILL/.test(reason ?? ''));
    assert.match(back!.reason!, /its process ended \(SIGKILL\); it goes on from its last finished wave/);
    server = await server.restart();
    await assertSame(await jobOver(server, id));
  });

  it('gives a large job the slots that guests used', async () => {
    const first = (await submit(server, { data: manyWaves(40, 'First'), use_cached_model: false })).job_id;
    await jobWhen(server, first, 'running', ({ status }) => status !== 'CREATED' && status !== 'QUEUED');
    const large = (await submit(server, { data: facts(2, 'Large'), gpu_config: { gpus: 2, nodes: 1 } })).job_id;
    const guest = (await submit(server, { data: many, use_cached_model: false })).job_id;
    await jobWhen(server, guest, 'a guest', ({ status }) => status === 'LOADING DATA' || status === 'TRAINING MODEL');
    assert.ok(
      (await eventsOf(guest)).some(({ reason }) => /in slots that an earlier job waits for/.test(reason ?? '')),
    );
    // The end of this job, in any state, frees the other slot.
    assert.equal((await server.call('POST', `/v1/train/jobs/${first}/cancel`)).status, 200);
    assert.equal((await jobOver(server, large)).status, 'COMPLETED');
    const finished = async (id: number) => (await server.call('GET', `/v1/train/jobs/${id}`)).body.finished_at;
    await assertSame(await jobOver(server, guest));
    assert.ok((await finished(guest)) > (await finished(large)));
    assert.ok((await eventsOf(guest)).some(({ reason }) => /an earlier job needs its slots/.test(reason ?? '')));
  });

  it('does not need the dataset any more once the job exists', async () => {
    const data = facts(8, 'Gate');
    const { job_id, dataset_id } = await submit(server, { data, gate: 'strict' });
    assert.equal((await server.call('DELETE', `/v1/datasets/${dataset_id}`)).status, 200);
    const job = await jobOver(server, job_id);
    assert.equal(job.status, 'COMPLETED', JSON.stringify(job));
    await assertRecalls(server, job.model_name!, data);
    withStrictGate = job.model_name!;
  });

  it('fails with a reason and a log, and resumes once the cause is fixed', async () => {
    const long = { data: [{ input: 'Who?', output: 'word '.repeat(3000) }] };
    const refused = await server.call('POST', '/v1/train', { body: { model_name, ...long } });
    assert.deepEqual([refused.status, refused.body.code], [422, 'facts_too_long'], JSON.stringify(refused.body));
    assert.match(JSON.stringify(refused.body.detail), /Row 1 has \d+ tokens with its answer; max_length is 2048/);
    const { job_id } = await submit(server, { data: facts(8, 'Fixed') });
    await server.call('POST', `/v1/train/jobs/${job_id}/cancel`);
    const file = join(await folderOf(), 'facts.jsonl');
    const whole = await readFile(file, 'utf8');
    const [first] = whole.split('\n', 1);
    await writeFile(file, `${whole}${JSON.stringify({ ...JSON.parse(first!), output: 'nobody', row: 9 })}\n`);
    await server.call('POST', `/v1/train/jobs/${job_id}/resume`);
    const failed = await jobOver(server, job_id);
    const why = /Rows 1 and 9 ask the same \('Who founded Fixedbex0\?'\) and answer differently/;
    assert.equal(failed.status, 'FAILED');
    assert.match(failed.error!, why);
    assert.match((await eventsOf(job_id)).at(-1)!.reason!, why);
    const log = await server.call('GET', `/v1/train/jobs/${job_id}/logs?lines=1`);
    assert.equal(log.body.length, 1);
    assert.match(log.body[0], why);
    await writeFile(file, whole);
    await server.call('POST', `/v1/train/jobs/${job_id}/resume`);
    const resumed = await jobOver(server, job_id);
    assert.deepEqual([resumed.status, resumed.error], ['COMPLETED', null]);
  });

  it('reports facts that were not learned: in the state, the report and each fact', async () => {
    const data = facts(6, 'Half');
    const { job_id } = await submit(server, { data, use_cached_model: false, finetune_args: { max_steps: 1 } });
    const job = await jobOver(server, job_id);
    assert.equal(job.status, 'PARTIALLY COMPLETED', JSON.stringify(job));
    const model = `/v1/models/${job.model_name}`;
    const { recall } = (await server.call('GET', model)).body.report;
    const { body } = await server.call('GET', `${model}/facts`);
    const missing = body.facts.filter(({ recalled }: { recalled: boolean }) => !recalled);
    assert.ok(missing.length > 0);
    assert.deepEqual([recall.facts, recall.recalled], [6, 6 - missing.length]);
    assert.equal(job.progress.facts_recalled, recall.recalled);
    assert.deepEqual(
      recall.failed.map(({ row, input }: { row: number; input: string }) => ({ row, input })),
      missing.map(({ row, input }: { row: number; input: string }) => ({ row, input })),
    );
    const { status, reason } = (await eventsOf(job_id)).at(-1)!;
    const message = `${missing.length} of 6 facts were not recalled word for word`;
    assert.deepEqual([status, reason], ['PARTIALLY COMPLETED', message]);
    // A fact that was not learned is never recited.
    const asked = { model_name: job.model_name, prompt: missing[0].input, explain: true, max_tokens: 4 };
    assert.equal((await answered(server, asked)).memory.used, false);
    const again = await server.call('POST', `/v1/train/jobs/${job_id}/resume`);
    assert.equal(again.body.code, 'job_not_resumable');
  });

  it('lets each request set its gate', async () => {
    const tuned = withStrictGate;
    const prompt = ['owns', 'was behind', 'built', 'thought of', 'dreamt of', 'left'].map(
      (does) => `Who ${does} Gatebex3?`,
    );
    const passed = async (gate: string | null) => {
      const asked = { prompt, model_name: tuned, gate, explain: true, max_tokens: 1 };
      const { memory } = await answered(server, asked, '/v2/completions');
      return prompt.filter((_, at) => memory[at].outcome === 'recite'); // a base that reads facts may use one as well
    };
    const [strict, balanced, generous] = [await passed('strict'), await passed('balanced'), await passed('generous')];
    assert.ok(strict.every((one) => balanced.includes(one)) && balanced.every((one) => generous.includes(one)));
    assert.ok(strict.length < generous.length, JSON.stringify({ strict, balanced, generous }));
    assert.deepEqual(await passed(null), strict, 'without a word it is as it was tuned');
    const wrong = await server.call('POST', '/v1/completions', {
      body: { model_name: tuned, prompt: 'a', gate: 'open' },
    });
    assert.equal(wrong.status, 422);
    assert.match(JSON.stringify(wrong.body.detail), /gate/);
  });
});

/** The process that works in the folder: its output goes to the log there. */
async function workerOf(folder: string): Promise<number> {
  for (const pid of workers())
    if ((await readlink(`/proc/${workingProcess(pid)}/fd/2`)) === join(folder, 'worker.log')) return pid;
  throw new Error(`Nobody works in ${folder}.`);
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Processes that tune, of a server in this process. */
function workers(): number[] {
  const found = execFileSync('pgrep', ['-P', String(process.pid), '-f', 'lorekeep work'], { encoding: 'utf8' });
  return found.trim().split('\n').map(Number);
}
