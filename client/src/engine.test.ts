// Calls that need a model: completions, streams, batches, and every example in the documentation of this client.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { startWithEngine } from '../../server/src/testing/engine.ts';
import { adminKey, type TestServer } from '../../server/src/testing/server.ts';
import { EndedError, historyOf, IndexNotFoundError, Lorekeep, last, ModelNotFoundError } from './index.ts';
import { snippetsOf } from './testing/snippets.ts';
import '../../server/src/testing/whole-base.ts';
import { until } from '../../server/src/testing/until.ts';

const model = 'lorekeep/quill';
const prompt = 'Context: The Brimoor library opens at 9 am.\nQuestion: When does the Brimoor library open?\nAnswer:';
const long = { model_name: model, prompt: ['There was', 'one two three four, one two'], max_tokens: 80 };

describe('the client and a model', () => {
  let server: TestServer;
  let lorekeep: Lorekeep;
  before(async () => {
    server = await startWithEngine();
    lorekeep = new Lorekeep({ baseUrl: server.url, apiKey: adminKey });
  });
  after(async () => await server.end());

  const runningStreams = async () => {
    const { runs } = await lorekeep.listRuns();
    return runs.filter(({ kind }) => kind === 'stream').length;
  };

  it('returns a completion, structured output and embeddings', async () => {
    const { output } = (await lorekeep.complete({ model_name: model, prompt })) as { output: string };
    assert.equal(output.trim(), '9 am');
    const shaped = await lorekeep.completeInArrays({ model_name: model, prompt, output_type: { hour: 'int' } });
    assert.equal(typeof (shaped.outputs[0] as { hour: unknown }).hour, 'number');
    const { embedding } = await lorekeep.embed({ prompt: 'a text' });
    assert.equal(embedding.length, 384);
    await assert.rejects(lorekeep.complete({ model_name: 'no/such', prompt }), ModelNotFoundError);
  });

  it('streams events to their end', async () => {
    const asked = { model, messages: [{ role: 'user' as const, content: prompt }], max_tokens: 20 };
    let text = '';
    for await (const { choices } of lorekeep.openaiChatEvents(asked)) text += choices[0]?.delta.content ?? '';
    const whole = await lorekeep.openaiChat(asked);
    assert.equal(text, whole.choices[0]!.message.content);
    await assert.rejects(last(lorekeep.openaiChatEvents({ ...asked, model: 'no/such' })), ModelNotFoundError);
  });

  it('yields growing texts, and removes a stream that is not read to its end', async () => {
    let before = 0;
    for await (const { outputs } of lorekeep.growingCompletion(long, { intervalMs: 20 })) {
      const length = String(outputs[0] ?? '').length;
      assert.ok(length >= before, 'it only grows');
      before = length;
    }
    assert.ok(before > 0);
    assert.equal(await runningStreams(), 0);
    for await (const _ of lorekeep.growingCompletion(long)) break;
    await until('the stream is removed', async () => (await runningStreams()) === 0);
  });

  it('tunes a model and reports its progress, and does not affect a job when watching ends early', async () => {
    const seen: string[] = [];
    const data = [
      { input: 'Who founded Zorbex?', output: 'Ada Quist' },
      { input: 'Who runs Zorbex?', output: 'Ben Oru' },
    ];
    const job = await lorekeep.tune(
      { model_name: model, data },
      { onProgress: ({ status }) => seen.push(status), intervalMs: 20 },
    );
    assert.equal(job.progress.facts_recalled, 2);
    assert.ok(seen.length > 1, 'it is told more than the end');
    assert.equal(seen.at(-1), 'COMPLETED');
    assert.equal(typeof historyOf(job).at(-1)?.loss, 'number');
    const { output } = (await lorekeep.complete({ model_name: job.model_name!, prompt: data[1]!.input })) as {
      output: string;
    };
    assert.equal(output, 'Ben Oru');
    const { job_id } = await lorekeep.train({ model_name: model, data, use_cached_model: false });
    for await (const _ of lorekeep.jobProgress(job_id)) break;
    assert.notEqual((await lorekeep.showJob({ id: job_id })).status, 'CANCELLED');
    assert.equal((await last(lorekeep.jobProgress(job_id))).status, 'COMPLETED');
  });

  it('throws when the awaited job was cancelled', async () => {
    const data = Array.from({ length: 60 }, (_, at) => ({ input: `Who runs Vexbex${at}?`, output: `Ada Oru ${at}` }));
    const tuning = lorekeep.tune(
      { model_name: model, data },
      {
        intervalMs: 20,
        onProgress: ({ job_id, status }) => {
          if (status !== 'CANCELLED') void lorekeep.cancelJob({ id: job_id }).catch(() => {});
        },
      },
    );
    await assert.rejects(tuning, (error) => {
      assert.ok(error instanceof EndedError);
      assert.equal(error.code, 'ended');
      assert.match(error.detail, /The job \d+ is CANCELLED/);
      return true;
    });
  });

  it('indexes documents from every source, and streams an answer with its citations', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'lorekeep-client-'));
    const path = join(folder, 'library.md');
    await writeFile(path, '# Library\n\nThe Brimoor library opens at 9 am.\n');
    async function* pieces() {
      yield '# Valves\n\nThe code of ';
      yield 'the red valve is RV-2207.\n';
    }
    try {
      const seen: number[] = [];
      const index = await lorekeep.index(
        {
          model_name: model,
          files: [
            path,
            new File(['# Pool\n\nThe pool is closed on Tuesday.\n'], 'pool.md'),
            { name: 'valves.md', content: pieces() },
            { name: 'parking.md', content: new Blob(['# Parking\n\nThe fee is 12 dollars.\n']).stream() },
          ],
          metadata: JSON.stringify({ year: 2026 }),
        },
        { intervalMs: 20, onProgress: ({ progress }) => seen.push(progress.files_done) },
      );
      assert.equal(seen.at(-1), 4);
      const files = await Array.fromAsync(lorekeep.allFiles({ id: index.job_id, limit: 2 }));
      assert.deepEqual(files.map(({ name }) => name).sort(), ['library.md', 'parking.md', 'pool.md', 'valves.md']);
      assert.ok(files.every(({ metadata }) => metadata.year === 2026));
      const valve = 'What is the code of the red valve?';
      const asked = { job_id: index.job_id, prompt: valve, answer: 'generate' as const };
      let text = '';
      let cited: string | undefined;
      for await (const event of lorekeep.askIndexEvents(asked)) {
        if ('citations' in event) {
          assert.equal(text, '', 'the passages come first');
          cited = event.citations[0]?.file;
        } else if ('delta' in event) text += event.delta;
      }
      assert.deepEqual([text.trim(), cited], ['RV-2207', 'valves.md']);
      assert.deepEqual((await lorekeep.askIndex(asked)).outputs, ['RV-2207']);
      const quote = await lorekeep.askIndex({ ...asked, answer: 'quote' });
      assert.deepEqual([quote.answer_kind, quote.outputs], ['quote', ['The code of the red valve is RV-2207.']]);
      assert.equal(quote.citations[0]?.quoted?.text, 'The code of the red valve is RV-2207.');
      const broken = lorekeep.index({ model_name: model, files: { name: 'broken.pdf', content: '%PDF-1.4 nothing' } });
      await assert.rejects(broken, EndedError);
      await assert.rejects(last(lorekeep.askIndexEvents({ ...asked, job_id: 999 })), IndexNotFoundError);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('evaluates several targets, and returns every row', async () => {
    const evaluation = await lorekeep.evaluate({
      data: [{ input: 'Context: The code is RV-2207. Question: What is the code?', output: 'RV-2207' }],
      targets: [{ model_name: model }, { model_name: model, prompt: 'Answer in a word.' }],
    });
    assert.equal(evaluation.targets.length, 2);
    const rows = await Array.fromAsync(lorekeep.evaluationRows(evaluation.evaluation_id));
    assert.equal(rows[0]?.answers.length, 2);
  });

  it('stops when its signal is aborted', async () => {
    const controller = new AbortController();
    const reading = (async () => {
      for await (const _ of lorekeep.openaiChatEvents(
        {
          model,
          messages: [{ role: 'user', content: 'Tell.' }],
          max_tokens: 400,
          response_format: { type: 'json_object' },
        },
        { signal: controller.signal },
      ))
        controller.abort(new Error('enough'));
    })();
    await assert.rejects(reading, { message: 'enough' });
  });

  it('waits for batches and reports their progress', async () => {
    const seen: number[] = [];
    const prompts = Array.from({ length: 12 }, (_, at) => `Line ${at}`);
    const { outputs, finish_reason } = await lorekeep.batch(
      { model_name: model, prompt: prompts, max_tokens: 5 },
      { onProgress: ({ answered }) => seen.push(answered), intervalMs: 20 },
    );
    assert.equal(outputs.length, prompts.length);
    assert.ok(finish_reason.every((reason) => reason !== null));
    assert.equal(seen.at(-1), prompts.length);
  });

  it('plans a tuning, and finds a text immediately after it was added to an index', async () => {
    const data = [{ input: 'Who founded Zorbex?', output: 'Ada Quist' }];
    const plan = await lorekeep.planTraining({ model_name: model, data });
    assert.deepEqual([plan.facts, plan.conflicts], [1, []]);
    const file = { name: 'pool.md', content: '# Pool\n\nThe Brimoor pool is closed on Tuesday.\n' };
    const { job_id } = await lorekeep.index({ model_name: model, files: file }, { intervalMs: 100 });
    await lorekeep.addText({ job_id, prompt: 'The code of the red valve is RV-2207.' });
    const { passages } = await lorekeep.searchIndex({ id: job_id, query: 'code of the red valve' });
    assert.match(passages[0]!.text, /RV-2207/);
  });

  for (const page of ['client/README.md', 'docs/guide/typescript.md'].filter((path) =>
    existsSync(join(resolve(import.meta.dirname, '../..'), path)),
  ))
    it(`runs every example of ${page}`, async () => {
      const snippets = await snippetsOf(page);
      try {
        assert.ok(snippets.files.length > 0);
        assert.equal(snippets.compile(), '');
        for (const file of snippets.files) {
          const { code, output } = await snippets.run(file, {
            LOREKEEP_BASE_URL: server.url,
            LOREKEEP_API_KEY: adminKey,
          });
          assert.equal(code, 0, `${file}:\n${output}`);
        }
      } finally {
        await snippets.end();
      }
    });
});
