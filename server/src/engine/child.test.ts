// The engine as the server uses it: the real process with the shipped base.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkout } from '../config/settings.ts';
import { createLog } from '../http/log.ts';
import { ChildEngine, childTransport } from './child.ts';
import { EngineFailure } from './engine.ts';
import type { End } from './protocol.ts';

const model = join(checkout, 'models/quill');
const messages = [
  {
    role: 'user' as const,
    content: 'Context: Ada Quist runs the Brimoor library.\nQuestion: Who runs the Brimoor library?',
  },
];

describe('an engine that starts slowly', () => {
  it('does not log a recovery when it answers for the first time', async () => {
    const logged: string[] = [];
    const log = createLog({ log_level: 'silent', log_format: 'json' });
    for (const level of ['info', 'warn', 'error'] as const)
      log[level] = (...args: unknown[]) => void logged.push(String(args.at(-1)));
    const python = Promise.resolve(join(checkout, '.setup/engine/bin/python'));
    const slow = new ChildEngine(python, log, [], {
      every: 20,
      silentAfter: 5,
      lostAfter: 1e6,
      startsWithin: 1e6,
    });
    while (slow.unready()) await sleep(20);
    await slow.status();
    await slow.stop();
    assert.ok(logged.includes('engine: ready'), logged.join('\n'));
    const silences = logged.filter((line) => line.startsWith('the engine ')).map((line) => line.slice(11));
    assert.notEqual(silences[0], 'answers again', logged.join('\n'));
  });
});

describe('an engine that ends at once', () => {
  it('leaves its last lines in the log', async () => {
    const errors: string[] = [];
    const log = createLog({ log_level: 'silent', log_format: 'json' });
    log.error = (...args: unknown[]) => void errors.push(String(args.at(-1)));
    const script = 'echo "Traceback" >&2; echo "ZeroDivisionError: no device" >&2; exit 3';
    const how = await new Promise<string>((ended) => {
      childTransport(['sh', '-c', script], {}, log)({ heard: () => {}, line: () => {}, ended });
    });
    assert.equal(how, 'exit code 3');
    assert.deepEqual(errors, [
      'the engine ended with exit code 3; its last lines: Traceback | ZeroDivisionError: no device',
    ]);
  });
});

describe('the engine', () => {
  let engine: ChildEngine;
  const ready = async () => {
    for (let attempt = 0; engine.unready(); attempt++) {
      assert.ok(attempt < 1200, `the engine is ${engine.unready()}`);
      await sleep(50);
    }
  };
  const state = async (pattern: RegExp) => {
    for (let attempt = 0; !pattern.test(engine.unready() ?? ''); attempt++) {
      assert.ok(attempt < 1200, `the engine is ${engine.unready()}`);
      await sleep(50);
    }
  };
  before(async () => {
    engine = new ChildEngine(
      Promise.resolve(join(checkout, '.setup/engine/bin/python')),
      createLog({ log_level: 'silent', log_format: 'json' }),
      [],
      { every: 250, silentAfter: 20, lostAfter: 80, startsWithin: 2400 },
    );
    await ready();
  });
  after(async () => await engine.stop());

  async function answer(
    request: Parameters<typeof engine.generate>[0],
    signal?: AbortSignal,
  ): Promise<{ pieces: string[]; end: End }> {
    const pieces: string[] = [];
    const run = engine.generate(request, signal);
    for (;;) {
      const step = await run.next();
      if (step.done) return { pieces, end: step.value };
      pieces.push(step.value.text);
    }
  }
  const failsWith = (code: EngineFailure['code']) => (error: unknown) =>
    error instanceof EngineFailure && error.code === code;
  const processId = async () => {
    const { execFileSync } = await import('node:child_process');
    const found = execFileSync('pgrep', ['-P', String(process.pid), '-f', 'lorekeep serve'], { encoding: 'utf8' });
    return Number(found.trim().split('\n')[0]);
  };

  /** A request whose answer takes seconds. An answer that repeats one token, such as 600 numbers, takes a tenth of a second. */
  const endless = {
    model,
    prompt: 'The library',
    max_tokens: 1900,
    json_schema: { type: 'array', items: { type: 'string', pattern: '^[a-z]{40}$' }, minItems: 280 },
    stream: true,
  };

  it('reports the progress of loading a model, and its kind', async () => {
    const stages = new Set<string>();
    const loaded = await engine.load({ model, kind: 'generate' }, ({ stage }) => stages.add(stage));
    assert.equal(loaded.family, 'llama');
    assert.ok(loaded.chat);
    assert.equal([...stages][0], 'waiting');
    assert.deepEqual(
      (await engine.status()).models.map(({ state }) => state),
      ['ready'],
    );
  });

  it('streams deltas that add up to the whole text', async () => {
    const { pieces, end } = await answer({ model, messages, max_tokens: 24, stream: true });
    assert.equal(pieces.join(''), end.text);
    assert.ok(pieces.length > 1);
    assert.ok(end.usage.prompt_tokens > 0 && end.usage.completion_tokens > 0);
  });

  it('gives concurrent requests the same answers as single ones', async () => {
    const prompts = Array.from(
      { length: 8 },
      (_, index) => `Context: Number ${index} is called Brim${index}. Question: What is number ${index} called?`,
    );
    const alone = [];
    for (const prompt of prompts) alone.push((await answer({ model, prompt, max_tokens: 12 })).end.text);
    const together = await Promise.all(
      prompts.map(async (prompt) => (await answer({ model, prompt, max_tokens: 12 })).end.text),
    );
    assert.deepEqual(together, alone);
  });

  it('cancels a request when its caller aborts the signal or leaves the loop', async () => {
    const abort = new AbortController();
    const run = engine.generate(endless, abort.signal);
    await run.next();
    abort.abort();
    let step = await run.next();
    while (!step.done) step = await run.next();
    assert.equal(step.value.finish_reason, 'cancelled');

    for await (const _ of engine.generate(endless)) break;
    for (let attempt = 0; (await engine.status()).models.some(({ running }) => running > 0); attempt++) {
      assert.ok(attempt < 200, 'the request still runs');
      await sleep(50);
    }
  });

  it('passes on refusals of the engine with their values', async () => {
    await assert.rejects(answer({ model, prompt: 'word '.repeat(5000) }), (error: EngineFailure) => {
      assert.equal(error.code, 'context_exceeded');
      assert.ok(Number(error.facts.prompt_tokens) > Number(error.facts.context));
      return true;
    });
    await assert.rejects(answer({ model: '/nowhere', prompt: 'x' }), failsWith('model_not_found'));
  });

  it('fails requests in flight when it is killed, then restarts and answers again', async () => {
    const pid = await processId();
    const run = engine.generate(endless);
    await run.next();
    process.kill(pid, 'SIGKILL');
    await assert.rejects(async () => {
      while (!(await run.next()).done);
    }, failsWith('stopped'));
    await assert.rejects(answer({ model, messages }), failsWith('stopped'));
    await ready();
    assert.ok((await answer({ model, messages, max_tokens: 24 })).end.text.length > 0);
  });

  it('is not ready while its process is suspended (SIGSTOP), and ready once it continues', async () => {
    process.kill(await processId(), 'SIGSTOP');
    await state(/not answering \(for \d+ s\)/);
    assert.equal(engine.isSilent(), true);
    await assert.rejects(answer({ model, messages }), failsWith('stopped'));
    process.kill(await processId(), 'SIGCONT');
    await ready();
    assert.ok((await answer({ model, messages, max_tokens: 24 })).end.text.length > 0);
  });

  it('is killed and restarted when heartbeats stay unanswered; requests in flight fail', async () => {
    const pid = await processId();
    const run = engine.generate(endless);
    await run.next();
    process.kill(pid, 'SIGSTOP');
    await assert.rejects(async () => {
      while (!(await run.next()).done);
    }, failsWith('stopped'));
    await ready();
    assert.notEqual(await processId(), pid);
    assert.ok((await answer({ model, messages, max_tokens: 24 })).end.text.length > 0);
  });

  it('exits when the server stops it, and refuses later requests', async () => {
    const pid = await processId();
    await engine.stop();
    assert.throws(() => process.kill(pid, 0));
    await assert.rejects(answer({ model, messages }), failsWith('stopped'));
  });
});
