// Validity of facts with the real engine: a fact is recited only while it is valid, on every route, also after other changes, a rollback,
// an export and an import.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { untilReady } from '../testing/engine.ts';
import { fileForm, startServer, type TestServer, withEngine } from '../testing/server.ts';
import { exported } from '../testing/tar.ts';
import { assertRecalls, facts, jobOver, submit } from '../testing/tuning.ts';
import { polled } from '../testing/until.ts';
import { changeOver } from './testing/change-over.ts';

describe('trained facts with validity times', () => {
  let server: TestServer;
  const chief = { input: 'Who runs Ultrafen?', output: 'Cleo Marsh' };
  const taught = facts(6);
  const source = { kind: 'document', name: 'board.pdf', page: 3, quote: 'Cleo Marsh runs it.' };
  const known = { valid_from: '2020-05-01', valid_until: '2020-05-31', source };
  before(async () => {
    server = await startServer({ slots: '1' }, withEngine);
    await untilReady(server);
    const { job_id } = await submit(server, { data: taught });
    await server.call('POST', '/v1/memories', { body: { name: 'house', job_id } });
    await jobOver(server, job_id);
    await over(1);
    await order({ add: [{ ...chief, ...known }] });
  });
  after(async () => await server.end());

  const over = async (number: number) => await changeOver(server, number);
  const order = async (body: object): Promise<void> => {
    const { status, body: change } = await server.call('POST', '/v1/memories/house/changes', { body });
    assert.equal(status, 200, JSON.stringify(change));
    const done = await over(change.number);
    assert.equal(done.state, 'published', done.error!);
  };
  const asked = async (path: string, body: object) => {
    const { status, body: answer } = await server.call('POST', path, { body });
    assert.equal(status, 200, JSON.stringify(answer));
    return JSON.stringify(answer);
  };
  const says = async (as_of?: string, model_name = 'house') =>
    (await asked('/v1/completions', { model_name, prompt: chief.input, as_of })).includes(chief.output);
  const timely = async (model = 'house') => {
    assert.ok(await says('2020-05-31T23:59:59Z', model));
    for (const at of ['2020-04-30', '2020-06-01', undefined]) assert.ok(!(await says(at, model)), at ?? 'now');
  };

  it('are recited only while they are valid, on every route', async () => {
    await timely();
    const { input, output } = chief;
    const within = { as_of: '2020-05-01T02:00:00+02:00' };
    const messages = [{ role: 'user', content: input }];
    for (const [path, body] of [
      ['/v2/completions', { model_name: 'house', prompt: input }],
      ['/inf/chat/completions', { model: 'house', messages }],
      ['/inf/completions', { model: 'house', prompt: input }],
      ['/v1/chat/completions', { model: 'house', messages, explain: true }],
    ] as const) {
      assert.ok((await asked(path, { ...body, ...within })).includes(output), path);
      assert.ok(!(await asked(path, body)).includes(output), path);
    }
    for (const [body, right] of [
      [within, true],
      [{}, false],
    ] as const) {
      const { body: started } = await server.call('POST', '/v1/batch_completions', {
        body: { model_name: 'house', prompt: [input], ...body },
      });
      let answer: unknown = {};
      for (let tries = 0; tries < 600 && !JSON.stringify(answer).includes('outputs'); tries++) {
        await sleep(50);
        answer = (await server.call('GET', `/v1/batch_completions/${started.id}/result`)).body;
      }
      assert.equal(JSON.stringify(answer).includes(output), right, JSON.stringify(answer));
    }
    const { status } = await server.call('POST', '/v1/completions', {
      body: { model_name: 'house', prompt: input, as_of: 'soon' },
    });
    assert.equal(status, 422);
    const explained = await asked('/v1/completions', { model_name: 'house', prompt: input, explain: true });
    assert.match(explained, /expired: it was valid until 2020-05-31/);
    const told = await asked('/v1/completions', { model_name: 'house', prompt: input, explain: true, ...within });
    const { input: question, similarity, dataset_id, row, ...details } = JSON.parse(told).memory.facts[0];
    assert.deepEqual([question, similarity, dataset_id, row], [input, 1, 'memory/house/2', 1]);
    assert.deepEqual(details, known);
  });

  it('keep their validity through other changes, a rollback, an export and an import', async () => {
    await order({ change: [{ input: taught[0]!.input, output: 'Eri Sand' }] });
    await timely();
    await assertRecalls(server, 'house', taught.slice(1));
    await server.call('POST', '/v1/memories/house/publish', { body: { version: 2 } });
    await timely();
    const tar = await exported(server, 'house');
    const { status, body } = await server.call('POST', '/v1/models', {
      body: fileForm('model.tar', tar, { custom_model_name: 'moved' }),
    });
    assert.equal(status, 200, JSON.stringify(body));
    await timely('moved');
    await server.call('POST', '/v1/memories', { body: { name: 'again', model_name: 'moved' } });
    await polled(
      async () => (await server.call('GET', '/v1/memories/again')).body,
      ({ version }) => version !== null,
    );
    const { body: found } = await server.call('GET', '/v1/memories/again/facts?valid_at=2020-05-01&text=ultrafen');
    assert.deepEqual(
      found.facts.map(({ valid_from, valid_until }: Record<string, string>) => [valid_from, valid_until]),
      [['2020-05-01', '2020-05-31']],
    );
    await order({ change: [{ ...chief, valid_until: 'none' }] });
    assert.ok(await says());
    assert.ok(!(await says('2020-04-30')));
  });
});
