// A server whose engine is still being set up: commands that ask a model wait, with a note on a terminal.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { answersWith, startScripted } from '../../client/src/testing/scripted-server.ts';
import { onTerminal, run } from './testing/program.ts';

describe('an engine that is being set up', () => {
  const answer = { choices: [{ message: { role: 'assistant', content: 'Ada Quist' } }] };
  const starting = async (...states: string[]) => {
    const server = await startScripted((request, response) => {
      if (request.url !== '/readyz') return answersWith(200, answer)(request, response);
      const parts = { engine: states.length > 1 ? states.shift() : states[0] };
      answersWith(503, { status: 'not ready', parts })(request, response);
    });
    return { server, environment: { LOREKEEP_BASE_URL: server.url, LOREKEEP_API_KEY: 'lk_x' } };
  };

  it('is waited for, with a note only on a terminal', async () => {
    const states = ['being set up', 'being set up: downloading package 9 of 44, 51 MB', 'starting', 'ok'];
    const piped = await starting(...states);
    const { code, out, error } = await run(['ask', 'Who?', '--json'], piped.environment);
    await piped.server.end();
    assert.deepEqual([code, JSON.parse(out), error], [0, answer, '']);
    assert.deepEqual(piped.server.asked.slice(0, 4), new Array(4).fill('GET /readyz'));

    const watched = await starting(...states);
    const asking = onTerminal(['ask', 'Who?', '--json'], watched.environment);
    assert.equal(await asking.ended, 0, asking.output());
    await watched.server.end();
    assert.match(asking.output(), /The engine is being set up\. The command waits for it/);
    assert.match(asking.output(), /The engine is being set up: downloading package 9 of 44, 51 MB\.[\s\S]*Ada Quist/);
  });

  it('is not waited for by commands that only submit', async () => {
    const { server, environment } = await starting('being set up');
    for (const words of [
      ['tune', import.meta.filename],
      ['index', import.meta.filename],
    ])
      await run([...words, '--detach', '--json'], environment);
    await server.end();
    assert.ok(server.asked.length > 0 && !server.asked.includes('GET /readyz'), server.asked.join());
  });

  it('is not waited for if it cannot start, or restarts again and again', async () => {
    for (const state of ['not set up: its Python environment could not be made', 'starting again']) {
      const { server, environment } = await starting(state);
      assert.equal((await run(['ask', 'Who?', '--json'], environment)).code, 0);
      await server.end();
      assert.equal(server.asked.filter((asked) => asked === 'GET /readyz').length, 1);
    }
  });
});
