// Evaluations on the real engine: figures by target, rows side by side, and nothing lost or asked twice when the server
// or engine ends. server/src/runs/killed.test.ts kills whole servers.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { built } from '../documents/testing/indexes.ts';
import { onDatabase, type TestDatabase } from '../testing/databases.ts';
import { engineProcess, startWithEngine } from '../testing/engine.ts';
import { fileForm, type TestServer } from '../testing/server.ts';
import '../testing/whole-base.ts';
import { polled, until } from '../testing/until.ts';

const model_name = 'lorekeep/quill';
/** Most are answered right, since the question contains the answer. */
const facts = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    input: `Context: The harbour of Brim${at} opens at ${(at % 9) + 1} am.\nQuestion: When does the harbour open?`,
    output: `${(at % 9) + 1} am`,
  }));
const prompt = 'Answer as JSON.';

type Get = (path: string) => Promise<ReturnType<typeof JSON.parse>>;

async function over(get: Get, id: number): Promise<ReturnType<typeof JSON.parse>> {
  const read = async () => await get(`/v1/evaluations/${id}`).catch(() => undefined);
  return await polled(read, (shown) => shown !== undefined && shown.status !== 'running');
}

onDatabase('an evaluation', 'PostgreSQL', (make) => {
  let database: TestDatabase;
  let server: TestServer;
  const get: Get = async (path) => {
    const { status, body } = await server.call('GET', path);
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  };
  const start = async (body: object) => {
    const { status, body: shown } = await server.call('POST', '/v1/evaluations', { body });
    assert.equal(status, 200, JSON.stringify(shown));
    return shown;
  };
  const upload = async (rows: object[]) => {
    const { body } = await server.call('POST', '/v1/local-data', { body: { data: rows } });
    return body.dataset_id as string;
  };

  before(async () => {
    database = await make();
    server = await startWithEngine({ database_url: database.url });
  });
  after(async () => {
    await server.end();
    await database.drop();
  });

  it('asks a base, with and without a prompt, the rows of a dataset and shows both side by side', async () => {
    const rows = facts(12);
    const dataset_id = await upload(rows);
    const started = await start({ dataset_id, name: 'baseline', targets: [{ model_name }, { model_name, prompt }] });
    assert.deepEqual([started.status, started.rows, started.answered], ['running', 12, 0]);
    const shown = await over(get, started.evaluation_id);
    assert.deepEqual(
      [shown.status, shown.answered, shown.dataset_id, shown.name, shown.error],
      ['completed', 24, dataset_id, 'baseline', null],
    );
    const [base, prompted] = shown.targets;
    assert.deepEqual([base.name, prompted.name], [model_name, `${model_name} with prompt`]);
    assert.ok(base.exact >= 0.5, `the base answers ${base.exact} of what it can read`);
    assert.ok(prompted.exact < base.exact, 'JSON is not the right answer word for word');
    for (const target of shown.targets) {
      assert.deepEqual([target.answered, target.failed], [12, 0]);
      assert.ok(target.normalised >= target.exact && target.prompt_tokens > 0 && target.completion_tokens > 0);
      assert.ok(target.latency_ms.mean > 0 && target.latency_ms.mean <= target.latency_ms.longest);
    }

    const table = await get(`/v1/evaluations/${started.evaluation_id}/results`);
    assert.deepEqual(table.targets, [base.name, prompted.name]);
    assert.equal(table.next, null);
    assert.deepEqual(
      table.rows.map(({ row, input, output }: { row: number; input: string; output: string }) => ({
        row,
        input,
        output,
      })),
      rows.map((row, at) => ({ row: at + 1, ...row })),
    );
    const right = table.rows.filter(({ answers }: { answers: { exact: boolean }[] }) => answers[0]!.exact);
    assert.equal(right.length / 12, base.exact);
    for (const { output, answers } of table.rows)
      for (const answer of answers) assert.equal(answer.exact, answer.output.trim() === output);

    // The answer of the model when asked directly.
    const { body } = await server.call('POST', '/inf/chat/completions', {
      body: { model: model_name, messages: [{ role: 'user', content: rows[3]!.input }], max_tokens: 40 },
    });
    assert.equal(table.rows[3].answers[0].output, body.choices[0].message.content);
  });

  it('returns its rows in pages, and all of them as CSV', async () => {
    const rows = [...facts(5), { input: 'A "quoted", long\nquestion?', output: '=1+1, "yes"' }];
    const { evaluation_id } = await start({ data: rows, targets: [{ model_name, name: 'our, base' }], max_tokens: 12 });
    await over(get, evaluation_id);
    const seen: unknown[] = [];
    for (let after: number | null = 0; after !== null; ) {
      const page: { rows: { row: number }[]; next: number | null } = await get(
        `/v1/evaluations/${evaluation_id}/results?limit=4${after ? `&after=${after}` : ''}`,
      );
      seen.push(...page.rows.map(({ row }) => row));
      after = page.next;
    }
    assert.deepEqual(seen, [1, 2, 3, 4, 5, 6]);

    const { headers, body } = await server.call('GET', `/v1/evaluations/${evaluation_id}/results.csv`);
    assert.match(headers.get('content-type')!, /^text\/csv/);
    const { body: safe } = await server.call('GET', `/v1/evaluations/${evaluation_id}/results.csv?cells=safe`);
    assert.ok(body.includes('"=1+1, ""yes"""') && safe.includes('"\'=1+1, ""yes"""'));
    // The CSV reader of uploads reads back the same questions and right answers.
    const { body: again } = await server.call('POST', '/v1/datasets', { body: fileForm('table.csv', body) });
    assert.equal(again.rows, 6, JSON.stringify(again));
    const shown = await get(`/v1/datasets/${again.dataset_id}`);
    assert.deepEqual(Object.keys(shown.first_rows[0]).slice(2, 5), ['row', 'our, base', 'our, base: exact']);
    const { body: lines } = await server.call('GET', `/v1/datasets/${again.dataset_id}/download`);
    const read = (lines as string)
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      read.map(({ input, output }) => ({ input, output })),
      rows,
    );
  });

  it('accepts numbers and booleans as text, and any character', async () => {
    const data = [
      { input: 'Nought \u0000 and 🙂?', output: 7 },
      { input: 1894, output: true },
    ];
    const { evaluation_id } = await start({ data, targets: [{ model_name }], form: 'raw', max_tokens: 3 });
    await over(get, evaluation_id);
    const { rows } = await get(`/v1/evaluations/${evaluation_id}/results`);
    assert.deepEqual(
      rows.map(({ input, output }: { input: string; output: string }) => [input, output]),
      [
        ['Nought \u0000 and 🙂?', '7'],
        ['1894', 'true'],
      ],
    );
  });

  it('sends raw prompts on request', async () => {
    const data = facts(3);
    const { evaluation_id } = await start({ data, targets: [{ model_name }], form: 'raw', max_tokens: 20 });
    await over(get, evaluation_id);
    const { rows } = await get(`/v1/evaluations/${evaluation_id}/results`);
    const { body } = await server.call('POST', '/v1/completions', {
      body: { model_name, prompt: data.map(({ input }) => input), max_tokens: 20 },
    });
    assert.deepEqual(
      rows.map(({ answers }: { answers: { output: string }[] }) => answers[0]!.output),
      body.map(({ output }: { output: string }) => output),
    );
  });

  it('reports rows that could not be asked with the reason, and counts them as wrong', async () => {
    const data = [...facts(2), { input: 'long '.repeat(5000), output: 'nothing' }];
    const { evaluation_id } = await start({ data, targets: [{ model_name }] });
    const shown = await over(get, evaluation_id);
    assert.deepEqual([shown.status, shown.targets[0].failed], ['completed', 1]);
    const { rows } = await get(`/v1/evaluations/${evaluation_id}/results`);
    const [last] = rows[2].answers;
    assert.deepEqual([last.finish_reason, last.exact, last.output], ['error', false, '']);
    assert.match(last.error, /tokens, and lorekeep\/quill reads 2048/);

    const failed = await start({ data: data.slice(2), targets: [{ model_name }] });
    const { status, error } = await over(get, failed.evaluation_id);
    assert.equal(status, 'failed');
    assert.match(error, /reads 2048/);
  });

  it('asks only the first rows up to `max_rows`', async () => {
    const { evaluation_id, rows } = await start({
      dataset_id: await upload(facts(40)),
      max_rows: 4,
      targets: [{ model_name }],
    });
    assert.equal(rows, 4);
    assert.equal((await over(get, evaluation_id)).answered, 4);
  });

  it('keeps its questions when the dataset is deleted', async () => {
    const dataset_id = await upload(facts(33));
    const { evaluation_id } = await start({ dataset_id, targets: [{ model_name }] });
    await server.call('DELETE', `/v1/datasets/${dataset_id}`);
    const shown = await over(get, evaluation_id);
    assert.deepEqual([shown.status, shown.answered, shown.targets[0].failed], ['completed', 33, 0]);
  });

  it('asks a document index beside the base', async () => {
    const id = await built(server, { 'mill.txt': 'The Ulmere mill was built in 1894 by Ada Quist.' });
    const question = { input: 'Who built the Ulmere mill?', output: 'Ada Quist' };
    const targets = [{ model_name }, { job_id: id }];
    const shown = await over(get, (await start({ data: [question], targets })).evaluation_id);
    assert.equal(shown.status, 'completed', JSON.stringify(shown));
    const [base, index] = shown.targets;
    assert.deepEqual([base.job_id, index.job_id, index.name, index.failed], [null, id, `index ${id}`, 0]);
    const [row] = (await get(`/v1/evaluations/${shown.evaluation_id}/results`)).rows;
    assert.match(row.answers[1].output, /Ada Quist/);
  });

  it('stops when it is cancelled and keeps what is answered; a second cancel is refused', async () => {
    const { evaluation_id } = await start({ data: facts(400), targets: [{ model_name }], max_tokens: 200 });
    const path = `/v1/evaluations/${evaluation_id}`;
    await until('something is answered', async () => (await get(path)).answered > 0);
    const { body } = await server.call('POST', `${path}/cancel`);
    assert.equal(body.status, 'cancelled');
    const { rows } = await get(`${path}/results?limit=1000`);
    const answered = rows.filter(({ answers }: { answers: unknown[] }) => answers[0] !== null).length;
    assert.ok(answered > 0 && answered < 400, `${answered} answers`);
    await sleep(2500);
    assert.equal((await get(path)).answered, (await get(path)).targets[0].answered);
    assert.ok((await get(path)).answered < 400);
    const again = await server.call('POST', `${path}/cancel`, { body: {} });
    assert.deepEqual([again.status, again.body.code], [400, 'evaluation_over']);
  });

  it('is shown to its account alone, listed newest first, and deleted', async () => {
    const other = await server.member(`other ${Math.random()}`);
    const first = await start({ data: facts(1), targets: [{ model_name }] });
    const second = await start({ data: facts(200), targets: [{ model_name }] });
    const path = `/v1/evaluations/${second.evaluation_id}`;
    for (const [method, at] of [
      ['GET', path],
      ['GET', `${path}/results`],
      ['GET', `${path}/results.csv`],
      ['POST', `${path}/cancel`],
      ['DELETE', path],
    ] as const) {
      const { status, body } = await server.call(method, at, { key: other.key });
      assert.deepEqual([status, body.code], [404, 'evaluation_not_found'], `${method} ${at}`);
    }
    const mine = await server.call('GET', '/v1/evaluations', { key: other.key });
    assert.deepEqual(mine.body, { evaluations: [], next: null });
    const page = await get('/v1/evaluations?limit=1');
    assert.equal(page.evaluations[0].evaluation_id, second.evaluation_id);
    const next = await get(`/v1/evaluations?limit=1&after=${page.next}`);
    assert.equal(next.evaluations[0].evaluation_id, first.evaluation_id);
    assert.deepEqual((await server.call('DELETE', path)).body, { deleted: second.evaluation_id });
    assert.equal((await server.call('GET', path)).status, 404);
  });

  it('is refused if the request is invalid, and leaves nothing behind', async () => {
    const data = facts(2);
    const targets = [{ model_name }];
    const other = await server.member(`reader ${Math.random()}`, ['read']);
    const count = async () => (await get('/v1/evaluations?limit=1000')).evaluations.length;
    const before = await count();
    const wrong: [object, number, string, RegExp][] = [
      [{ targets }, 422, 'validation', /either dataset_id or data/],
      [{ targets, data, dataset_id: 'a'.repeat(64) }, 422, 'validation', /either dataset_id or data/],
      [{ targets, dataset_id: 'a'.repeat(64) }, 404, 'dataset_not_found', /no dataset aaa/],
      [{ targets, dataset_id: 'x' }, 422, 'validation', /64 hexadecimal/],
      [{ data }, 422, 'validation', /targets/],
      [{ data, targets: [] }, 422, 'validation', /targets/],
      [{ data, targets: Array(21).fill({ model_name }) }, 422, 'validation', /targets/],
      [{ data, targets: ['a'] }, 422, 'validation', /targets/],
      [{ data, targets: [{}] }, 422, 'validation', /targets/],
      [{ data, targets: [{ model_name, propmt: 'x' }] }, 422, 'validation', /propmt/],
      [{ data, targets: [{ model_name: 'no/such' }] }, 594, 'model_not_found', /no\/such/],
      [
        { data, targets: [{ model_name: 'sentence-transformers/all-MiniLM-L6-v2' }] },
        400,
        'model_of_other_kind',
        /embed/,
      ],
      [{ data, targets: [{ job_id: 999 }] }, 404, 'index_not_found', /no document index 999/],
      [
        {
          data,
          targets: [
            { model_name, name: 'a' },
            { model_name, prompt, name: 'a' },
          ],
        },
        400,
        'evaluation_target_unusable',
        /number 2 .* called .*a.* as well/,
      ],
      [{ targets, data: [] }, 422, 'validation', /data/],
      [{ targets, data: 'text' }, 422, 'validation', /data/],
      [{ targets, data: [{ input: 'a' }] }, 422, 'validation', /output/],
      [{ targets, data: [{ input: null, output: 'b' }] }, 422, 'validation', /input/],
      [{ targets, data: [{ input: ' ', output: 'b' }] }, 422, 'validation', /must not be empty/],
      [{ targets, data: [{ input: 'a', output: 1.5 }] }, 422, 'validation', /sent as text/],
      [{ targets, data: [{ input: ['a'], output: 'b' }] }, 422, 'validation', /must be text/],
      [{ targets, data, max_rows: 0 }, 422, 'validation', /max_rows/],
      [{ targets, data, max_tokens: 'many' }, 422, 'validation', /max_tokens/],
      [{ targets, data, form: 'song' }, 422, 'validation', /form/],
      [{ targets, data, name: '' }, 422, 'validation', /name/],
      [{ targets, data, temperature: 1 }, 422, 'validation', /temperature/],
      [
        {
          targets: Array.from({ length: 20 }, () => ({ model_name })),
          data: Array.from({ length: 5001 }, () => ({ input: 'a', output: 'b' })),
        },
        400,
        'evaluation_too_large',
        /5001 rows for 20 targets/,
      ],
    ];
    for (const [body, status, code, message] of wrong) {
      const { body: answer, ...reply } = await server.call('POST', '/v1/evaluations', { body });
      const place = JSON.stringify(answer).slice(0, 400);
      assert.deepEqual([reply.status, answer.code], [status, code], place);
      assert.match(JSON.stringify(answer), message, place);
    }
    for (const path of ['/v1/evaluations/0', '/v1/evaluations/x', '/v1/evaluations/1/results?limit=0'])
      assert.equal((await server.call('GET', path)).status, 422);
    assert.equal((await server.call('GET', '/v1/evaluations/99999999')).body.code, 'evaluation_not_found');
    const reader = await server.call('POST', '/v1/evaluations', { body: { data, targets }, key: other.key });
    assert.equal(reader.body.code, 'scope_missing');
    assert.equal(await count(), before);
  });

  it('resumes after a stop and after a kill of the engine, and asks nothing twice', async () => {
    const rows = facts(96);
    const whole = await start({ data: rows, targets: [{ model_name }] });
    const undisturbed = await over(get, whole.evaluation_id);
    const asked = async () => {
      const { usage } = await get('/v1/usage');
      return usage.reduce((sum: number, { requests }: { requests: number }) => sum + requests, 0);
    };
    const before = await asked();
    const { evaluation_id } = await start({ data: rows, targets: [{ model_name }] });
    const path = `/v1/evaluations/${evaluation_id}`;
    await until('some are answered', async () => (await get(path)).answered > 32);
    server = await server.restart();
    await until('more are answered', async () => (await get(path)).answered > 64);
    process.kill(engineProcess(), 'SIGKILL');
    const shown = await over(get, evaluation_id);
    assert.deepEqual([shown.answered, shown.targets[0].failed], [96, 0]);
    assert.equal(shown.targets[0].exact, undisturbed.targets[0].exact);
    // Questions in flight at the stop and at the kill are asked again, and each start loads the model with one request.
    assert.ok((await asked()) - before <= 96 + 2 * 32 + 4, `${(await asked()) - before} requests for 96 questions`);
  });
});
