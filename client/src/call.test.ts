// Calls against a misbehaving server: retries, aborts and error messages.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { ConnectionError, LimitError, Lorekeep, LorekeepError, UnavailableError } from './index.ts';
import { answersWith, neverAnswers, resets, type ScriptedServer, startScripted } from './testing/scripted-server.ts';

const unavailable = answersWith(
  503,
  { detail: 'The engine cannot be asked now: it starts.', code: 'engine_unavailable' },
  { 'retry-after': '0' },
);
const limited = (seconds: number) =>
  answersWith(
    429,
    { detail: 'The account has used its requests.', code: 'rate_limited' },
    { 'retry-after': String(seconds) },
  );
const version = answersWith(200, { server: '1', client: '1', api: [] });
const key = answersWith(200, { id: 1, key: 'lk_x' });

async function against(
  turns: Parameters<typeof startScripted>,
  work: (lorekeep: Lorekeep, server: ScriptedServer) => Promise<void>,
  options: ConstructorParameters<typeof Lorekeep>[0] = {},
): Promise<void> {
  const server = await startScripted(...turns);
  try {
    await work(new Lorekeep({ baseUrl: server.url, apiKey: 'lk_test', ...options }), server);
  } finally {
    await server.end();
  }
}

const failure = async (work: Promise<unknown>): Promise<LorekeepError> => {
  const error = await work.then(
    () => assert.fail('it succeeded'),
    (error: unknown) => error,
  );
  assert.ok(error instanceof LorekeepError, String(error));
  return error;
};

describe('a failing call', () => {
  it('is retried if it is idempotent', async () => {
    await against([unavailable, resets, version], async (lorekeep, { asked }) => {
      assert.equal((await lorekeep.version()).server, '1');
      assert.equal(asked.length, 3);
    });
    await against([unavailable, answersWith(200, { output: 'x' })], async (lorekeep, { asked }) => {
      assert.deepEqual(await lorekeep.complete({ model_name: 'm', prompt: 'p' }), { output: 'x' });
      assert.equal(asked.length, 2);
    });
  });

  it('is not retried if it may have been executed', async () => {
    for (const turn of [resets, unavailable]) {
      await against([turn, key], async (lorekeep, { asked }) => {
        await failure(lorekeep.createKey({ name: 'once' }));
        assert.equal(asked.length, 1);
      });
    }
    await against([resets, key], async (lorekeep, { asked }) => {
      assert.equal((await failure(lorekeep.deleteAccount({ id: 2 }))).code, 'connection_lost');
      assert.equal(asked.length, 1);
    });
  });

  it('is not sent with a name that is a dot segment of a path', async () => {
    await against([key], async (lorekeep, { asked }) => {
      for (const name of ['.', '..'])
        await assert.rejects(async () => await lorekeep.showMemory({ name }), /cannot be a name/);
      assert.equal(asked.length, 0);
    });
  });

  it('is retried with backoff after a refusal before execution', async () => {
    await against([limited(0), key], async (lorekeep, { asked }) => {
      assert.equal((await lorekeep.createKey({ name: 'once' })).key, 'lk_x');
      assert.equal(asked.length, 2);
    });
  });

  it('fails if the server asks for a long wait', async () => {
    await against([limited(3600)], async (lorekeep, { asked }) => {
      const error = await failure(lorekeep.version());
      assert.ok(error instanceof LimitError);
      assert.equal(error.retryAfter, 3600);
      assert.equal(asked.length, 1);
    });
  });

  it('is retried at most as often as configured', async () => {
    await against([unavailable], async (lorekeep, { asked }) => {
      assert.ok((await failure(lorekeep.version({ retries: 2 }))) instanceof UnavailableError);
      assert.equal(asked.length, 3);
      await failure(lorekeep.version({ retries: 0 }));
      assert.equal(asked.length, 4);
    });
  });

  it('is not retried with a body that can be read only once', async () => {
    const content = async function* () {
      yield '{"input": "a", "output": "b"}\n';
    };
    await against([unavailable, answersWith(200, {})], async (lorekeep, { asked }) => {
      await failure(lorekeep.uploadFile({ file: { name: 'rows.jsonl', content: content() } }));
      assert.equal(asked.length, 1);
      await lorekeep.uploadFile({ file: { name: 'rows.jsonl', content: 'x' } });
      assert.equal(asked.length, 2);
    });
  });

  it('reports the failure of the body, not of the connection', async () => {
    const rows = async function* () {
      yield { input: 'a', output: 'b' };
      throw new RangeError('the source of the rows ended');
    };
    await against([answersWith(200, {})], async (lorekeep) => {
      await assert.rejects(lorekeep.uploadRows({ data: rows() }), RangeError);
      await assert.rejects(lorekeep.uploadFile({ file: '/there/is/no/such.csv' }), { code: 'ENOENT' });
    });
  });

  it('ends at its timeout or when its signal is aborted', async () => {
    await against([neverAnswers], async (lorekeep, { asked }) => {
      const error = await failure(lorekeep.version({ timeoutMs: 50 }));
      assert.ok(error instanceof ConnectionError);
      assert.equal(error.code, 'no_answer_in_time');
      assert.match(error.detail, /GET \/v1\/version within 0.05 seconds/);
      assert.equal(asked.length, 1);
      const controller = new AbortController();
      const waiting = lorekeep.version({ signal: controller.signal });
      setTimeout(() => controller.abort(new Error('enough')), 20);
      await assert.rejects(waiting, { message: 'enough' });
    });
    const stopped = AbortSignal.abort();
    await assert.rejects(new Lorekeep().version({ signal: stopped }), { name: 'AbortError' });
  });

  it('is aborted by a signal right after the call, and nothing is sent', async () => {
    const rows = Array.from({ length: 2000 }, () => ({ input: 'a', output: 'b' }));
    const calls: ((lorekeep: Lorekeep, signal: AbortSignal) => Promise<unknown>)[] = [
      (lorekeep, signal) => lorekeep.version({ signal }),
      (lorekeep, signal) => lorekeep.createKey({ name: 'once' }, { signal }),
      (lorekeep, signal) => lorekeep.openaiChatEvents({ model: 'm', messages: [] }, { signal }).next(),
      (lorekeep, signal) => lorekeep.uploadFile({ file: { name: 'rows.jsonl', content: 'x' } }, { signal }),
      (lorekeep, signal) => lorekeep.uploadFile({ file: import.meta.filename }, { signal }),
      (lorekeep, signal) => lorekeep.uploadRows({ data: rows }, { signal }),
    ];
    await against([answersWith(200, {})], async (lorekeep, { asked }) => {
      for (const call of calls) {
        const controller = new AbortController();
        const called = call(lorekeep, controller.signal);
        controller.abort(new Error('enough'));
        await assert.rejects(called, { message: 'enough' }, call.toString());
      }
      assert.deepEqual(asked, []);
    });
  });

  it('is aborted in a browser while its body is collected', async (test) => {
    Object.assign(globalThis, { document: {} });
    test.after(() => Reflect.deleteProperty(globalThis, 'document'));
    let reading = Promise.withResolvers<void>();
    let left = 0;
    /** A slow source. */
    const slow = async function* <Row>(row: Row) {
      try {
        for (let given = 0; given < 1000; given++) {
          yield row;
          await new Promise((next) => setTimeout(next, 5));
          reading.resolve();
        }
      } finally {
        left++;
      }
    };
    const calls: ((lorekeep: Lorekeep, signal: AbortSignal) => Promise<unknown>)[] = [
      (lorekeep, signal) => lorekeep.uploadFile({ file: { name: 'x.jsonl', content: slow('x') } }, { signal }),
      (lorekeep, signal) => lorekeep.uploadRows({ data: slow({ input: 'a', output: 'b' }) }, { signal }),
    ];
    await against([answersWith(200, {})], async (lorekeep, { asked }) => {
      for (const call of calls) {
        reading = Promise.withResolvers<void>();
        const controller = new AbortController();
        const called = call(lorekeep, controller.signal);
        await reading.promise;
        controller.abort(new Error('enough'));
        await assert.rejects(called, { message: 'enough' }, call.toString());
      }
      assert.deepEqual(asked, []);
      while (left < calls.length) await new Promise((next) => setTimeout(next, 5));
    });
  });

  it('stops waiting for the next attempt when its signal is aborted', async () => {
    await against([limited(50)], async (lorekeep) => {
      const controller = new AbortController();
      setTimeout(() => controller.abort(new Error('enough')), 50);
      await assert.rejects(lorekeep.version({ signal: controller.signal }), { message: 'enough' });
    });
  });

  it('yields no event after an abort, even if the whole stream was received', async () => {
    const controller = new AbortController();
    const whole = 'data: {"choices":[]}\n\ndata: {"choices":[]}\n\ndata: [DONE]\n\n';
    const lorekeep = new Lorekeep({
      fetch: async () => new Response(whole, { headers: { 'content-type': 'text/event-stream' } }),
    });
    let events = 0;
    const reading = (async () => {
      const asked = { model: 'x', messages: [{ role: 'user' as const, content: 'Tell.' }] };
      for await (const _ of lorekeep.openaiChatEvents(asked, { signal: controller.signal })) {
        events++;
        controller.abort(new Error('enough'));
      }
    })();
    await assert.rejects(reading, { message: 'enough' });
    assert.equal(events, 1);
  });

  it('reports an address without a server', async () => {
    const server = createServer();
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
    const { port } = server.address() as AddressInfo;
    await new Promise((closed) => server.close(closed));
    const error = await failure(
      new Lorekeep({ baseUrl: `http://127.0.0.1:${port}`, retries: 1 }).createKey({ name: 'x' }),
    );
    assert.equal(error.code, 'unreachable');
    assert.match(error.detail, new RegExp(`127.0.0.1:${port}`));
  });

  it('reports that another program answers', async () => {
    await against([answersWith(404, '<html>')], async (lorekeep) => {
      const error = await failure(lorekeep.version());
      assert.match(error.detail, /not in Lorekeep's words/);
      assert.equal(error.status, 404);
    });
  });

  it('reports a foreign server that answers 200, after one request', async () => {
    const page = (_: unknown, response: import('node:http').ServerResponse) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Another program</title>');
    };
    await against([page], async (lorekeep, { asked, url }) => {
      for (const work of [
        () => lorekeep.version(),
        () => Array.fromAsync(lorekeep.openaiChatEvents({ model: 'm', messages: [] })),
        () => Array.fromAsync(lorekeep.jobProgress(1)),
      ]) {
        const error = await failure(work());
        assert.match(
          error.detail,
          new RegExp(`${url} answered with the status 200, and not in Lorekeep's words. Is the`),
        );
      }
      assert.equal(asked.length, 3);
    });
  });

  it("is retried if no connection was made, and not after a broken one, whatever the error's name", async () => {
    for (const [syscall, times] of [
      ['connect', 2],
      ['read', 1],
    ] as const) {
      let sent = 0;
      const cause = Object.assign(new Error(`${syscall} EHOSTUNREACH`), { code: 'EHOSTUNREACH', syscall });
      const fails = async () => {
        sent++;
        throw new TypeError('fetch failed', { cause });
      };
      await failure(new Lorekeep({ retries: 1, fetch: fails }).createKey({ name: 'once' }));
      assert.equal(sent, times, syscall);
    }
  });

  it('throws the error class of the status for a code that is newer than the client', async () => {
    await against(
      [answersWith(429, { detail: 'Too much of something new.', code: 'newer_limit' })],
      async (lorekeep) => {
        const error = await failure(lorekeep.version());
        assert.ok(error instanceof LimitError);
        assert.equal(error.code, 'newer_limit');
      },
    );
  });
});

describe('a stream of events', () => {
  const chunk = 'data: {"choices":[]}\n\n';
  const streams = (text: string, end: boolean) => (_: unknown, response: import('node:http').ServerResponse) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(text.slice(0, 7));
    setTimeout(() => {
      response.write(text.slice(7));
      if (end) response.end();
      else setTimeout(() => response.destroy(), 20);
    }, 20);
  };
  const gather = async (lorekeep: Lorekeep) => {
    let count = 0;
    for await (const _ of lorekeep.openaiChatEvents({ model: 'm', messages: [{ role: 'user', content: 'x' }] }))
      count++;
    return count;
  };

  it('is parsed in pieces of any size', async () => {
    await against(
      [streams(`: hello\r\n\r\n${chunk}data: {"choices":\r\ndata: []}\r\n\r\ndata: [DONE]\n\n`, true)],
      async (lorekeep) => {
        assert.equal(await gather(lorekeep), 2);
      },
    );
  });

  it('throws an error when it breaks off', async () => {
    for (const end of [true, false])
      await against([streams(chunk, end)], async (lorekeep) => {
        assert.equal((await failure(gather(lorekeep))).code, 'connection_lost');
      });
  });

  it('throws the error that it ends with', async () => {
    const error = {
      error: {
        message: 'The engine cannot be asked now.',
        type: 'server_error',
        param: null,
        code: 'engine_unavailable',
      },
    };
    await against([streams(`${chunk}data: ${JSON.stringify(error)}\n\n`, true)], async (lorekeep) => {
      assert.equal((await failure(gather(lorekeep))).code, 'engine_unavailable');
    });
  });
});

describe('warnings of the server', () => {
  it('are passed to onWarning', async () => {
    const warnings: string[] = [];
    const warned = answersWith(200, { server: '1', client: '1', api: [] }, { 'x-warning': 'this goes away' });
    await against([warned], async (lorekeep) => void (await lorekeep.version()), {
      onWarning: (text) => warnings.push(text),
    });
    assert.deepEqual(warnings, ['this goes away']);
  });
});

describe('waiting', () => {
  const run = (answered: number, status: string) => answersWith(200, { id: 'x', answered, status });

  it('continues during an outage of the server, and yields each state once', async () => {
    await against(
      [run(1, 'running'), resets, unavailable, run(1, 'running'), run(2, 'completed')],
      async (lorekeep) => {
        const states = await Array.fromAsync(lorekeep.runProgress('x', { intervalMs: 1, retries: 0 }));
        assert.deepEqual(
          states.map(({ answered }) => answered),
          [1, 2],
        );
      },
    );
  });

  it('ends with an error that is not transient', async () => {
    await against(
      [run(1, 'running'), answersWith(404, { detail: 'There is no batch.', code: 'run_not_found' })],
      async (lorekeep) => {
        const states = lorekeep.runProgress('x', { intervalMs: 1 });
        await states.next();
        assert.equal((await failure(states.next())).code, 'run_not_found');
      },
    );
  });
});

describe('events with names', () => {
  it('are yielded with names and ids until the stream ends', async () => {
    const text = 'event: status\r\nid: 7\r\ndata: {"a":1}\r\n\r\n: still there\n\nid: 8\ndata: {"b":\ndata: 2}\n\n';
    const turn = (_: unknown, response: import('node:http').ServerResponse) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(text);
    };
    await against([turn], async (lorekeep) => {
      const route = { name: 'watchSomething', method: 'GET', path: '/x', raw: true, repeatable: true };
      const open = lorekeep as unknown as { serverEvents(route: object, args: object): AsyncGenerator };
      assert.deepEqual(await Array.fromAsync(open.serverEvents(route, {})), [
        { event: 'status', id: '7', data: { a: 1 } },
        { event: 'message', id: '8', data: { b: 2 } },
      ]);
    });
  });
});
