// Tuned models: custom names, reuse of experts, forgetting, plans, and webhooks at their end.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, join } from 'node:path';
import { after, before, it } from 'node:test';
import { onDatabase, type TestDatabase } from '../testing/databases.ts';
import { startServer, type TestServer, withEngine } from '../testing/server.ts';
import { answered, assertRecalls, facts, jobOver, submit } from '../testing/tuning.ts';
import { until } from '../testing/until.ts';
import { signature } from '../webhooks/sender.ts';

const model_name = 'lorekeep/quill';

onDatabase('tuned models', 'PostgreSQL', (make) => {
  let database: TestDatabase;
  let server: TestServer;
  let hook: Server;
  const received: { headers: IncomingMessage['headers']; body: string }[] = [];
  let secret: string;
  let hookId: number;

  before(async () => {
    database = await make();
    server = await startServer({ database_url: database.url, slots: '1', webhook_networks: '127.0.0.0/8' }, withEngine);
    // Accepts a delivery at the second attempt only.
    hook = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk) => chunks.push(chunk));
      request.on('end', () => {
        received.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
        response.writeHead(received.length === 1 ? 500 : 204).end();
      });
    });
    await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(hook.address() as AddressInfo).port}/ended`;
    const created = await server.call('POST', '/v1/webhooks', { body: { url } });
    assert.equal(created.status, 200, JSON.stringify(created.body));
    ({ secret, id: hookId } = created.body);
  });
  after(async () => {
    hook.closeAllConnections();
    hook.close();
    await server.end();
    await database.drop();
  });

  const show = async (name: string, key?: string) =>
    await server.call('GET', `/v1/models/${encodeURIComponent(name)}`, key ? { key } : {});
  const alias = 'handbook';
  const data = facts(12, 'Hand');
  // A line separator in an answer does not end the line of its fact.
  data[1]!.output += '\u2028Hall 4';
  let first: string;

  it('have a dry run with plan and cost that stores nothing', async () => {
    const twice = [...data, data[0]!, { input: data[1]!.input, output: 'somebody else' }];
    let plan = (await server.call('POST', '/v1/train/plan', { body: { model_name, data: twice } })).body;
    for (let attempt = 0; plan.code === 'engine_unavailable' && attempt < 300; attempt++)
      plan = (await server.call('POST', '/v1/train/plan', { body: { model_name, data: twice } })).body;
    assert.deepEqual([plan.facts, plan.duplicates, plan.experts_to_train], [12, [13], null], JSON.stringify(plan));
    assert.deepEqual(plan.conflicts[0].rows, [2, 14]);
    plan = (await server.call('POST', '/v1/train/plan', { body: { model_name, data } })).body;
    assert.deepEqual([plan.conflicts, plan.experts_to_train, plan.experts_to_reuse], [[], 12, 0]);
    assert.ok(plan.seconds > 0 && plan.seconds_from_jobs === 0 && plan.memory_bytes > 0 && plan.model_bytes > 0);
    assert.deepEqual([plan.queue.position, plan.queue.slots_total, plan.queue.slots_free], [1, 1, 1]);
    assert.deepEqual((await server.call('GET', '/v1/train/jobs')).body, []);
    assert.deepEqual((await server.call('GET', '/v1/datasets')).body.datasets, []);
    assert.equal((await server.call('POST', '/v1/train/plan', { body: { model_name: 'no/such', data } })).status, 594);
  });

  it('are asked by name and alias, by their account alone unless they are public', async () => {
    const { job_id } = await submit(server, { data, custom_model_name: alias });
    const job = await jobOver(server, job_id);
    assert.equal(job.status, 'COMPLETED', JSON.stringify(job));
    first = job.model_name!;
    await assertRecalls(server, alias, data.slice(0, 2));
    const { body } = await show(alias);
    assert.deepEqual(
      [body.model_name, body.custom_model_name, body.base_model, body.job_id, body.facts, body.facts_recalled],
      [first, alias, model_name, job_id, 12, 12],
    );
    assert.equal(body.report.recall.recalled, 12);
    assert.ok(body.bytes > 0 && body.experts === 12);
    assert.ok((await server.call('GET', '/inf/models')).body.data.some(({ id }: { id: string }) => id === alias));
    const other = await server.member(`other ${Math.random()}`);
    for (const name of [first, alias]) {
      assert.equal((await show(name, other.key)).status, 404);
      const asked = await server.call('POST', '/v1/completions', {
        body: { model_name: name, prompt: 'a' },
        key: other.key,
      });
      assert.equal(asked.status, 594);
    }
    const { models, next } = (await server.call('GET', '/v1/models', { key: other.key })).body;
    assert.deepEqual([models, next], [[], null]);
    await server.call('PATCH', `/v1/models/${first}`, { body: { is_public: true } });
    assert.equal((await show(first, other.key)).status, 200);
    // Another account's model has only its qualified name, and the message says so.
    const { qualified_name: qualified } = body;
    assert.match(qualified, /^handbook@[0-9]+$/);
    const unqualified = await show(alias, other.key);
    assert.deepEqual([unqualified.status, unqualified.body.code], [404, 'model_not_found']);
    assert.match(unqualified.body.detail, new RegExp(`public model of this name: ask for "${qualified}"`));
    const theirs = (await show(qualified, other.key)).body;
    assert.deepEqual([theirs.model_name, theirs.custom_model_name], [first, qualified]);
    const { input, output } = data[0]!;
    const chat = { model: qualified, messages: [{ role: 'user', content: input }] };
    const calls: [string, object][] = [
      ['/v1/completions', { model_name: qualified, prompt: input, explain: true }],
      ['/inf/chat/completions', chat],
    ];
    for (const [path, body] of calls) {
      const answer = await server.call('POST', path, { body, key: other.key });
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      assert.ok(JSON.stringify(answer.body).includes(output), JSON.stringify(answer.body));
    }
    const asked = { data: [data[0]], targets: [{ model_name: qualified }] };
    assert.equal((await server.call('POST', '/v1/evaluations', { body: asked, key: other.key })).status, 200);
    const listed = (await server.call('GET', '/inf/models', { key: other.key })).body.data;
    assert.ok(listed.some(({ id }: { id: string }) => id === qualified));
    assert.ok(!listed.some(({ id }: { id: string }) => id === alias));
    assert.equal((await show(qualified)).body.model_name, first, 'its own account may say it as well');
    // The same name of another account is independent of the first.
    const mine = await submit(server, { data: facts(1, 'Mine'), custom_model_name: alias }, other.key);
    await jobOver(server, mine.job_id, other.key);
    const second = (await show(alias, other.key)).body;
    assert.equal(second.job_id, mine.job_id);
    await server.call('PATCH', `/v1/models/${second.model_name}`, { body: { is_public: true }, key: other.key });
    assert.equal((await show(alias)).body.model_name, first);
    await server.call('DELETE', `/v1/models/${second.model_name}`, { key: other.key });
    assert.equal((await show(second.qualified_name)).status, 404);
    for (const [method, body, status] of [
      ['PATCH', { is_public: false }, 594],
      ['DELETE', undefined, 404],
    ] as const)
      assert.equal((await server.call(method, `/v1/models/${first}`, { body, key: other.key })).status, status);
  });

  it('are refused as a base, with a hint', async () => {
    for (const name of [first, alias]) {
      const { status, body } = await server.call('POST', '/v1/train', { body: { model_name: name, data } });
      assert.deepEqual([status, body.code], [400, 'base_is_tuned']);
      assert.match(body.detail, /not supported.*new job on its base lorekeep\/quill with all the data/);
    }
  });

  it('reuse earlier experts, and move the alias to the newest', async () => {
    const more = [...data, ...facts(1, 'New')];
    const { job_id } = await submit(server, { data: more, custom_model_name: alias });
    const job = await jobOver(server, job_id);
    assert.deepEqual([job.status, job.progress.experts_reused, job.progress.experts_total], ['COMPLETED', 12, 13]);
    assert.equal((await show(alias)).body.model_name, job.model_name);
    assert.equal((await show(first)).body.custom_model_name, null);
    await assertRecalls(server, alias, more.slice(11));
    const moved = await server.call('PATCH', `/v1/models/${first}`, { body: { custom_model_name: alias } });
    assert.equal(moved.body.custom_model_name, alias);
    assert.equal((await show(alias)).body.model_name, first);
    await server.call('PATCH', `/v1/models/${job.model_name}`, { body: { custom_model_name: alias } });
    const anew = await submit(server, { data: more.slice(11), use_cached_model: false });
    assert.equal((await jobOver(server, anew.job_id)).progress.experts_reused, 0);
  });

  it('forget facts: a new model without them, and nothing else trained', async () => {
    const gone = data[5]!.input;
    const refused = await server.call('POST', `/v1/models/${first}/forget`, { body: { inputs: [gone, 'Who?'] } });
    assert.deepEqual([refused.status, refused.body.code], [404, 'fact_not_found']);
    const { model_name: changed } = (await show(alias)).body;
    const { body } = await server.call('POST', `/v1/models/${encodeURIComponent(alias)}/forget`, {
      body: { inputs: [gone] },
    });
    assert.equal(body.facts, 12, JSON.stringify(body));
    const job = await jobOver(server, body.job_id);
    assert.deepEqual([job.status, job.progress.experts_reused, job.progress.experts_total], ['COMPLETED', 12, 12]);
    const order = JSON.parse(await readFile(join(server.home, 'jobs', job.model_name!, 'job.json'), 'utf8'));
    assert.equal(basename(order.reuse[0]), changed, 'the model that is changed comes before a newer one');
    assert.equal((await show(alias)).body.model_name, job.model_name);
    const page = await server.call('GET', `/v1/models/${job.model_name}/facts?limit=100`);
    assert.equal(page.body.facts.length, 12);
    assert.ok(!page.body.facts.some(({ input }: { input: string }) => input === gone));
    const { memory } = await answered(server, { model_name: alias, prompt: gone, explain: true, max_tokens: 5 });
    assert.equal(memory.used, false);
    const all = page.body.facts.map(({ input }: { input: string }) => input);
    const nothing = await server.call('POST', `/v1/models/${job.model_name}/forget`, { body: { inputs: all } });
    assert.equal(nothing.body.code, 'nothing_left');
  });

  it('are deleted with their alias', async () => {
    const { models } = (await server.call('GET', '/v1/models')).body;
    assert.ok(models.length >= 4);
    const { model_name: name } = (await show(alias)).body;
    assert.deepEqual((await server.call('DELETE', `/v1/models/${alias}`)).body, {
      ...{ id: alias, object: 'model', deleted: true },
      model_name: name,
    });
    for (const one of [name, alias]) assert.equal((await show(one)).status, 404);
    assert.equal((await server.call('GET', '/v1/models')).body.models.length, models.length - 1);
    // The model that reused its experts keeps working, since files of experts are linked.
    await assertRecalls(server, first, data.slice(0, 2));
  });

  it('send signed webhooks at their end, and retry until one is accepted', async () => {
    await until('a message was taken', async () => {
      const { body } = await server.call('GET', `/v1/webhooks/${hookId}/deliveries`);
      return (
        body.deliveries.length > 0 && body.deliveries.every(({ status }: { status: string }) => status === 'delivered')
      );
    });
    const { body } = await server.call('GET', `/v1/webhooks/${hookId}/deliveries`);
    const oldest = body.deliveries.at(-1);
    assert.equal(oldest.attempts, 2);
    const deliveries = received.map(({ headers }) => headers['lorekeep-delivery']);
    assert.equal(deliveries.filter((id) => id === deliveries[0]).length, 2);
    for (const { headers, body } of received) {
      const [, seconds, given] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['lorekeep-signature']))!;
      assert.equal(given, signature(secret, Number(seconds), body));
    }
    const { type, job } = JSON.parse(received[0]!.body);
    assert.deepEqual(
      [type, job.status, job.model_name, job.custom_model_name],
      ['job.ended', 'COMPLETED', first, alias],
    );
    const other = await server.member(`hooks ${Math.random()}`);
    assert.equal((await server.call('GET', `/v1/webhooks/${hookId}/deliveries`, { key: other.key })).status, 404);
    assert.equal((await server.call('DELETE', `/v1/webhooks/${hookId}`, { key: other.key })).status, 404);
    for (const url of ['ftp://a.b', 'x', 'http://me:secret@a.b', ''])
      assert.equal((await server.call('POST', '/v1/webhooks', { body: { url } })).status, 422);
    assert.equal((await server.call('DELETE', `/v1/webhooks/${hookId}`)).status, 200);
  });

  it('stream their events from any event on', async () => {
    const { job_id } = await submit(server, { data: facts(3, 'Live') });
    const watch = async (from?: string) => {
      const response = await fetch(`${server.url}/v1/train/jobs/${job_id}/events/live`, {
        headers: { authorization: 'Bearer test-admin-key-0123456789', ...(from && { 'last-event-id': from }) },
      });
      assert.match(response.headers.get('content-type') ?? '', /^text\/event-stream/);
      return (await response.text())
        .split('\n\n')
        .map((text) => ({
          id: /^id: (\d+)/m.exec(text)?.[1],
          type: /^event: (\w+)/m.exec(text)?.[1],
          data: /^data: (.*)$/m.exec(text)?.[1],
        }))
        .filter(({ type }) => type)
        .map(({ id, type, data }) => ({ id, type, data: JSON.parse(data!) }));
    };
    const events = await watch();
    const states = events.filter(({ type }) => type === 'status');
    assert.deepEqual([states[0]!.data.status, states.at(-1)!.data.status], ['CREATED', 'COMPLETED']);
    assert.equal(events.findLast(({ type }) => type === 'progress')!.data.progress.facts_done, 3);
    const rest = await watch(states[1]!.id);
    assert.deepEqual(
      rest.filter(({ type }) => type === 'status').map(({ id }) => id),
      states.slice(2).map(({ id }) => id),
    );
  });
});
