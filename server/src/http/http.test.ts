// Common behaviour of all calls: paths, methods, bodies, errors, headers, pages.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import * as contract from '@lorekeep/contract';
import Fastify from 'fastify';
import { z } from 'zod';
import { startServer, type TestServer } from '../testing/server.ts';
import { announceDeprecations } from './deprecation.ts';
import { serve } from './serve.ts';

describe('every call', () => {
  let server: TestServer;
  before(async () => {
    server = await startServer();
  });
  after(async () => await server.end());

  it('accepts doubled and trailing slashes without a redirect', async () => {
    for (const path of ['//v1/account', '/v1//account/', '/v1/account/']) {
      assert.equal((await server.call('GET', path)).status, 200, path);
    }
  });

  it('answers 404 for an unknown path and 405 with Allow for another method', async () => {
    const missing = await server.call('GET', '/v1/nothing');
    assert.deepEqual([missing.status, missing.body.code], [404, 'route_not_found']);
    assert.equal(missing.body.error.message, missing.body.detail); // OpenAI's clients call below /v1 as well.
    for (const [method, path, meant] of [
      ['POST', '/chat/completions', 'POST /v1/chat/completions'],
      ['POST', '/v1/v1/embeddings', 'POST /v1/embeddings'],
      ['POST', '/inf/v1/completions', 'POST /inf/completions'],
      ['GET', '/models/quill', 'GET /v1/models/quill'],
    ] as const) {
      const { status, body } = await server.call(method, path);
      assert.equal(status, 404);
      assert.ok(body.error.message.includes(`Did you mean ${meant}?`), body.error.message);
    }
    const responses = await server.call('POST', '/v1/responses', { body: {} });
    assert.match(responses.body.error.message, /nothing at POST \/v1\/responses\. Use chat completions/);
    assert.doesNotMatch((await server.call('GET', '/nothing')).body.detail, /Did you mean/);
    const wrong = await server.call('PUT', '/v1/keys');
    assert.deepEqual([wrong.status, wrong.body.code], [405, 'method_not_allowed']);
    assert.deepEqual(wrong.headers.get('allow')?.split(', ').sort(), ['GET', 'HEAD', 'POST']);
    const inWords = await server.call('GET', '/v1/train/jobs/cancel');
    assert.deepEqual([inWords.status, inWords.headers.get('allow')], [405, 'POST']);
    // Also matched by /v1/models/{organisation}/{model}, which answers GET.
    const ofModel = await server.call('PUT', '/v1/models/quill/forget');
    assert.deepEqual([ofModel.status, ofModel.headers.get('allow')], [405, 'POST']);
  });

  it('answers 422 with place, message and kind of each mistake, and treats null as missing', async () => {
    const { status, body } = await server.call('POST', '/v1/keys', {
      body: { name: '', scopes: ['read', 'fly'], colour: 'red' },
    });
    assert.equal(status, 422);
    assert.deepEqual(body.detail.map(({ loc }: contract.Mistake) => loc.join('.')).sort(), [
      'body.colour',
      'body.name',
      'body.scopes.1',
    ]);
    for (const { msg, type } of body.detail) assert.ok(msg && type);
    assert.equal(
      (await server.call('POST', '/v1/keys', { body: { name: 'x', scopes: null, expires_at: null, account_id: null } }))
        .status,
      200,
    );
  });

  it('accepts ids as numbers and as strings of digits', async () => {
    const { body } = await server.call('GET', '/v1/account');
    for (const account_id of [body.id, String(body.id)]) {
      assert.equal((await server.call('POST', '/v1/keys', { body: { name: 'x', account_id } })).status, 200);
    }
    assert.equal((await server.call('GET', '/v1/keys/abc')).status, 422);
  });

  it('gives each answer a unique request id', async () => {
    const ids = await Promise.all(
      [1, 2].map(async () => (await server.call('GET', '/healthz')).headers.get('x-request-id')),
    );
    assert.ok(ids[0] && ids[1] && ids[0] !== ids[1]);
  });

  it('reports liveness, readiness and version without a key', async () => {
    for (const path of ['/healthz', '/readyz', '/v1/version'])
      assert.equal((await server.call('GET', path, { key: null })).status, 200, path);
    assert.deepEqual((await server.call('GET', '/readyz')).body, {
      status: 'ready',
      parts: { server: 'ok', database: 'ok', engine: 'being set up' },
    });
    server.reportSetUp('being set up: downloading package 9 of 44, 51 MB');
    assert.match((await server.call('GET', '/readyz')).body.parts.engine, /package 9 of 44, 51 MB/);
  });

  it('labels Prometheus metrics by route, never by request content', async () => {
    await server.call('GET', '/v1/keys/4242');
    await server.call('GET', '/v1/some-secret-word');
    const { body, headers } = await server.call('GET', '/metrics', { key: null });
    assert.match(headers.get('content-type') ?? '', /^text\/plain/);
    const route = 'method="GET",route="/v1/keys/{id}"';
    assert.ok(body.includes(`lorekeep_http_requests_total{${route},status="404"}`));
    assert.ok(body.includes(`lorekeep_http_request_seconds_count{${route}}`));
    assert.ok(!body.includes('some-secret-word'));
  });

  it('bounds the size of the metrics for arbitrary calls', async () => {
    const { key } = await server.member('curious', ['read']);
    // Calls each route without a key, with a wrong key, with an insufficient scope, and with an unknown method.
    for (const { method, path } of contract.routes) {
      const address = path.replace(/\{\w+\}/g, '999999');
      const stop = AbortSignal.timeout(1000);
      for (const [how, as] of [
        [method, null],
        [method, 'wrong'],
        [method, key],
        ['PUT', key],
      ] as const)
        await fetch(server.url + address, {
          method: how,
          ...(as !== null && { headers: { authorization: `Bearer ${as}` } }),
          signal: stop,
        })
          .then((answer) => answer.body?.cancel())
          .catch(() => {});
    }
    const { body } = await server.call('GET', '/metrics', { key: null });
    // The number of lines per route is bounded.
    assert.ok(body.length < 1_190 * contract.routes.length, `${body.length} characters`);
  });

  it('forbids caching and sniffing, except for public files', async () => {
    const created = await server.call('POST', '/v1/keys', { body: { name: 'new' } });
    assert.ok(created.body.key);
    const answers = [
      created,
      await server.call('GET', '/v1/keys'),
      await server.call('GET', '/v1/keys', { key: null }),
      await server.call('GET', '/v1/keys', { key: 'wrong' }),
      await server.call('GET', '/v1/nothing'),
      await server.call('PUT', '/v1/keys'),
      await server.call('POST', '/v1/keys', { body: '{' }),
      await server.call('GET', '/v1/%ff'),
      await server.call('GET', '/inf/models'),
      await server.call('GET', '/metrics', { key: null }),
    ];
    for (const { status, headers } of answers)
      assert.deepEqual(
        [headers.get('cache-control'), headers.get('x-content-type-options')],
        ['no-store', 'nosniff'],
        `${status}`,
      );
    for (const path of ['/docs/static/swagger-ui.css', '/openapi.json']) {
      const { headers } = await server.call('GET', path, { key: null });
      assert.doesNotMatch(headers.get('cache-control') ?? '', /no-store/, path);
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
    }
  });

  it('serves its contract and the pages made from it without external resources', async () => {
    const document = await server.call('GET', '/openapi.json', { key: null });
    assert.equal(document.body.openapi, '3.1.0');
    const page = await server.call('GET', '/docs/', { key: null });
    assert.equal(page.status, 200);
    assert.ok(!/(src|href)="https?:/.test(page.body));
    const start = await server.call('GET', '/', { key: null });
    assert.match(start.body, /<title>Lorekeep<\/title>/);
    assert.match(start.headers.get('content-security-policy') ?? '', /default-src 'none'/);
  });
});

describe('a deprecated route', () => {
  it('reports since when, until when and the replacement', async () => {
    const app = Fastify();
    announceDeprecations(app);
    const old = contract.route({
      name: 'old',
      method: 'GET',
      path: '/old',
      tag: 'Test',
      summary: 'An old call',
      access: 'public',
      answer: z.object({}),
      deprecated: { since: '2026-01-01', sunset: '2026-06-30', instead: 'use /new' },
    });
    serve(app, old, async () => ({}));
    const { headers } = await app.inject('/old');
    assert.equal(headers.deprecation, `@${Date.parse('2026-01-01') / 1000}`);
    assert.equal(headers.sunset, 'Tue, 30 Jun 2026 00:00:00 GMT');
    assert.match(String(headers['x-warning']), /\/old is deprecated and works until 2026-06-30: use \/new/);
  });
});
