// Malformed and hostile connections: each gets a clear error or is served, senders can read their answer, memory stays bounded.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { endProcesses, type ServerProcess, startProcess } from './testing/process.ts';
import { assertRefused, assertUnharmed } from './testing/unharmed.ts';
import { type Answer, asChunk, head, json, multipart, Wire } from './testing/wire.ts';

const MB = 1 << 20;
const health = 'GET /healthz HTTP/1.1\r\nHost: test\r\n\r\n';
const noKey = { Authorization: null };

describe('a server that receives hostile connections', () => {
  let home: string;
  let server: ServerProcess;
  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'lorekeep-test-'));
    server = await startProcess({ home, body_timeout: '2' });
  });
  afterEach(async () => await assertUnharmed(server, home));
  after(async () => {
    const code = await server.stop();
    await endProcesses();
    await rm(home, { recursive: true, force: true });
    assert.equal(code, 0);
  });

  const ask = async (request: string | Buffer, options = {}): Promise<Answer> => {
    const wire = await Wire.open(server.port);
    await wire.send(request);
    const answer = await wire.answer(options);
    wire.close();
    return answer;
  };

  it('refuses a header of 100 kB, also to a client that reads late', async () => {
    for (const readLater of [false, true]) {
      const wire = await Wire.open(server.port, { readLater });
      await wire.send(head('GET', '/v1/keys', { 'X-Large': 'x'.repeat(100_000) }));
      assertRefused(await wire.answer(), [431, 'headers_too_large']);
      await wire.closed();
      wire.close();
    }
    const many = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`X-${index}`, 'x']));
    assertRefused(await ask(head('GET', '/v1/keys', many)), [431, 'headers_too_large']);
  });

  it('serves 500 connections at once, and others beside 500 silent ones', async () => {
    const silent = await Promise.all(Array.from({ length: 500 }, () => Wire.open(server.port)));
    const wires = await Promise.all(Array.from({ length: 500 }, () => Wire.open(server.port)));
    await Promise.all(wires.map((wire) => wire.send(head('GET', '/v1/keys'))));
    const answers = await Promise.all(wires.map((wire) => wire.answer()));
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
    for (const wire of [...wires, ...silent]) wire.close();
  });

  it('lets a client without a key read its 401 when all 64 MB are sent', async () => {
    const part = Buffer.alloc(MB, 'x');
    const parts = Array.from({ length: 64 }, () => part);
    const chunks = parts.map(asChunk);
    for (const path of ['/v1/local-data', '/v1/datasets']) {
      const type = { ...noKey, ...(path === '/v1/datasets' ? multipart : json) };
      for (const [headers, body] of [
        [{ 'Content-Length': 64 * MB }, parts],
        [{ 'Content-Length': 64 * MB, Connection: 'close' }, parts],
        [{ 'Transfer-Encoding': 'chunked', Connection: 'close' }, [...chunks, '0\r\n\r\n']],
      ] as const) {
        const wire = await Wire.open(server.port, { readLater: true });
        await wire.send(head('POST', path, { ...type, ...headers }), ...body);
        assertRefused(await wire.answer(), [401, 'key_missing']);
        if ('Connection' in headers) await wire.closed();
        wire.close();
      }
    }
  });

  it('lets a client read its 413 when the whole body is sent', async () => {
    const part = Buffer.alloc(MB, ' ');
    const parts = Array.from({ length: 12 }, () => part);
    for (const [headers, body] of [
      [{ 'Content-Length': 12 * MB }, parts],
      [{ 'Content-Length': 12 * MB, Connection: 'close' }, parts],
      [{ 'Transfer-Encoding': 'chunked' }, [...parts.map(asChunk), '0\r\n\r\n']],
      [{ 'Transfer-Encoding': 'chunked', Connection: 'close' }, [...parts.map(asChunk), '0\r\n\r\n']],
    ] as const) {
      const wire = await Wire.open(server.port, { readLater: true });
      await wire.send(head('POST', '/v1/keys', { ...json, ...headers }), ...body);
      assertRefused(await wire.answer(), [413, 'body_too_large']);
      wire.close();
    }
  });

  it('accepts the next request on a connection after a refused body', async () => {
    const body = Buffer.alloc(5 * MB, 'x');
    const length = { 'Content-Length': body.length };
    const cases: [request: string, refused: [number, string]][] = [
      [head('POST', '/v1/local-data', { ...noKey, ...json, ...length }), [401, 'key_missing']],
      [head('POST', '/v1/local-data', { ...json, ...length }), [400, 'json_invalid']],
      [
        head('POST', '/v1/local-data', { ...json, ...length, 'Content-Encoding': 'br' }),
        [415, 'content_encoding_unsupported'],
      ],
      [head('POST', '/v1/datasets', { ...multipart, ...length }), [400, 'body_incomplete']],
      [head('POST', '/v1/datasets', { ...json, ...length }), [415, 'content_type_unsupported']],
      [head('POST', '/v1/keys', { ...json, ...length }), [413, 'body_too_large']],
      [head('POST', '/v1/nothing', { ...json, ...length }), [404, 'route_not_found']],
      [head('PUT', '/v1/keys', { ...json, ...length }), [405, 'method_not_allowed']],
    ];
    const wire = await Wire.open(server.port);
    for (const [request, refused] of cases) {
      await wire.send(request, body, health);
      assertRefused(await wire.answer(), refused, request.split('\r\n')[0]);
      assert.equal((await wire.answer()).text, '{"status":"ok"}');
    }
    wire.close();
  });

  it('closes the connection of a client that keeps sending after its answer', async () => {
    const wire = await Wire.open(server.port);
    await wire.send(head('POST', '/v1/local-data', { ...noKey, ...json, 'Transfer-Encoding': 'chunked' }));
    assertRefused(await wire.answer(), [401, 'key_missing']);
    let over = false;
    const closed = wire.closed().finally(() => {
      over = true;
    });
    while (!over) await Promise.all([wire.send(asChunk('x')), sleep(50)]);
    await closed;
    wire.close();
  });

  it('closes connections whose headers do not arrive', async () => {
    const dripping = await Wire.open(server.port);
    let over = false;
    const answer = dripping.answer().finally(() => {
      over = true;
    });
    await dripping.send('GET /healthz HTTP/1.1\r\n');
    for (let count = 0; !over; count++) await Promise.all([dripping.send(`X-${count}: x\r\n`), sleep(100)]);
    assertRefused(await answer, [408, 'body_too_slow']);
    await dripping.closed();
    dripping.close();
    const silent = await Wire.open(server.port);
    await silent.closed();
    silent.close();
  });

  it('answers pipelined requests in their order', async () => {
    const wire = await Wire.open(server.port);
    const create = head('POST', '/v1/keys', { ...json, 'Content-Length': 2 });
    await wire.send(`${head('GET', '/v1/keys')}${create}{}${health}${head('GET', '/v1/nothing')}`);
    const statuses = [];
    for (let count = 0; count < 4; count++) statuses.push((await wire.answer()).status);
    assert.deepEqual(statuses, [200, 422, 200, 404]);
    wire.close();
  });

  it('answers HEAD without content, and other methods with the allowed ones', async () => {
    const wire = await Wire.open(server.port);
    await wire.send(head('HEAD', '/v1/keys'), head('HEAD', '/v1/keys', noKey), health);
    const [found, refused] = [await wire.answer({ head: true }), await wire.answer({ head: true })];
    assert.deepEqual([found.status, refused.status], [200, 401]);
    assert.ok(Number(found.headers['content-length']) > 0);
    assert.equal((await wire.answer()).text, '{"status":"ok"}');
    wire.close();
    for (const method of ['OPTIONS', 'PUT', 'TRACE', 'PROPFIND', 'PATCH']) {
      const answer = await ask(head(method, '/v1/keys'));
      assertRefused(answer, [405, 'method_not_allowed'], method);
      assert.match(answer.headers.allow ?? '', /GET/);
    }
    assertRefused(await ask(head('OPTIONS', '*')), [404, 'route_not_found']);
    assertRefused(await ask('CONNECT example.org:443 HTTP/1.1\r\nHost: x\r\n\r\n'), [400, 'request_malformed']);
  });

  it('refuses requests that are not HTTP', async () => {
    const length = { ...json, 'Content-Length': 5 };
    for (const [name, request] of [
      ['an unknown method', head('BREW', '/v1/keys')],
      ['no request', 'hello\r\n\r\n'],
      ['a TLS hello', Buffer.from('16030100a5010000a10303', 'hex')],
      ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
      ['a control character in the path', head('GET', '/v1/ke\u0001ys')],
      ['no Host', 'GET /healthz HTTP/1.1\r\n\r\n'],
      ['two Hosts', 'GET /healthz HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n'],
      ['the same Host twice', 'GET /healthz HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n'],
      ['two Hosts of HTTP/1.0', 'GET /healthz HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n'],
      ['a length below zero', head('POST', '/v1/keys', { ...json, 'Content-Length': -5 })],
      ['two lengths', `${head('POST', '/v1/keys', length).slice(0, -2)}Content-Length: 6\r\n\r\n`],
      ['a length and chunks', head('POST', '/v1/keys', { ...length, 'Transfer-Encoding': 'chunked' })],
      ['a chunk that is none', `${head('POST', '/v1/local-data', { ...json, 'Transfer-Encoding': 'chunked' })}zz\r\n`],
      ['a header with a NUL', head('GET', '/v1/keys', { 'X-Odd': 'a\0b' })],
    ] as const) {
      assertRefused(await ask(request), [400, 'request_malformed'], name);
    }
  });

  it('refuses malformed paths, and never leaves its folder', async () => {
    const cases: [path: string, refused: [number, string]][] = [
      ['/%', [400, 'request_malformed']],
      ['/v1/keys/%zz', [400, 'request_malformed']],
      ['/%ff%fe', [400, 'request_malformed']],
      ['/v1/keys/%00', [422, 'validation']],
      ['/v1/keys/-1', [422, 'validation']],
      [`/v1/keys/${'9'.repeat(400)}`, [422, 'validation']],
      [`/v1/keys/${'9'.repeat(4000)}`, [400, 'request_malformed']],
      ['/v1/keys/999999999999999', [404, 'key_not_found']],
      ['/v1/keys?account_id=%', [422, 'validation']],
      ['/v1/datasets/..%2f..%2f..%2fetc%2fpasswd', [422, 'validation']],
      ['/docs/static/..%2f..%2f..%2fpackage.json', [404, 'route_not_found']],
      ['/docs/static/../../../package.json', [404, 'route_not_found']],
      ['/../../etc/passwd', [404, 'route_not_found']],
      [`/${'a'.repeat(20_000)}`, [404, 'route_not_found']],
    ];
    for (const [path, refused] of cases) assertRefused(await ask(head('GET', path)), refused, path.slice(0, 60));
  });

  it('requests a body held back by Expect: 100-continue only if it is wanted', async () => {
    const expecting = { ...json, Expect: '100-continue', 'Content-Length': 13 };
    const wire = await Wire.open(server.port);
    await wire.send(head('POST', '/v1/keys', expecting));
    assert.equal((await wire.answer()).status, 100);
    await wire.send('{"name": "" }');
    assertRefused(await wire.answer(), [422, 'validation']);
    wire.close();
    assertRefused(await ask(head('POST', '/v1/keys', { ...expecting, ...noKey })), [401, 'key_missing']);
    const odd = head('POST', '/v1/keys', { ...expecting, Expect: 'a-miracle' });
    assertRefused(await ask(`${odd}{"name": "" }`), [422, 'validation']);
  });
});
