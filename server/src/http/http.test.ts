// What holds for every call: paths, methods, bodies, errors, headers, pages.
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

  it('answers with doubled and trailing slashes, without a redirect', async () => {
    for (const path of ['//v1/account', '/v1//account/', '/v1/account/']) {
      assert.equal((await server.call('GET', path)).status, 200, path);
    }
  });

  it('answers 404 for what is not there and 405 with Allow for another method', async () => {
    const missing = await server.call('GET', '/v1/nothing');
    assert.deepEqual([missing.status, missing.body.code], [404, 'route_not_found']);
    const wrong = await server.call('PUT', '/v1/keys');
    assert.deepEqual([wrong.status, wrong.body.code], [405, 'method_not_allowed']);
    assert.deepEqual(wrong.headers.get('allow')?.split(', ').sort(), ['GET', 'HEAD', 'POST']);
    const inWords = await server.call('GET', '/v1/train/jobs/cancel');
    assert.deepEqual([inWords.status, inWords.headers.get('allow')], [405, 'POST']);
  });

  it('answers 422 with place, message and kind for each mistake, and takes null for not given', async () => {
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

  it('takes ids as numbers and as strings of digits', async () => {
    const { body } = await server.call('GET', '/v1/account');
    for (const account_id of [body.id, String(body.id)]) {
      assert.equal((await server.call('POST', '/v1/keys', { body: { name: 'x', account_id } })).status, 200);
    }
    assert.equal((await server.call('GET', '/v1/keys/abc')).status, 422);
  });

  it('gives each answer a request id of its own', async () => {
    const ids = await Promise.all(
      [1, 2].map(async () => (await server.call('GET', '/healthz')).headers.get('x-request-id')),
    );
    assert.ok(ids[0] && ids[1] && ids[0] !== ids[1]);
  });

  it('says that it is alive, ready and which version it is, without a key', async () => {
    for (const path of ['/healthz', '/readyz', '/v1/version'])
      assert.equal((await server.call('GET', path, { key: null })).status, 200, path);
    assert.deepEqual((await server.call('GET', '/readyz')).body, {
      status: 'ready',
      parts: { server: 'ok', database: 'ok', engine: 'being set up' },
    });
  });

  it('counts requests by route for Prometheus, never by what was sent', async () => {
    await server.call('GET', '/v1/keys/4242');
    await server.call('GET', '/v1/some-secret-word');
    const { body, headers } = await server.call('GET', '/metrics', { key: null });
    assert.match(headers.get('content-type') ?? '', /^text\/plain/);
    assert.match(
      body,
      /lorekeep_http_request_seconds_count\{method="GET",route="\/v1\/keys\/\{id\}",status="404"\} \d+/,
    );
    assert.ok(!body.includes('some-secret-word'));
  });

  it('serves its contract and the pages made from it, with nothing from outside', async () => {
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

describe('a part on its way out', () => {
  it('says since when, until when and what instead', async () => {
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
