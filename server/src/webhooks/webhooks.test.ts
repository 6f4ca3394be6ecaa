// Creation of webhooks by accounts: accepted addresses and maximum number.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { startServer, type TestServer } from '../testing/server.ts';

let server: TestServer;
before(async () => {
  server = await startServer();
});
after(async () => await server.end());

const create = async (url: string) => await server.call('POST', '/v1/webhooks', { body: { url } });

it('webhooks are refused for internal addresses in every notation', async () => {
  const hosts = [
    '127.0.0.1',
    'localhost',
    '0.0.0.0',
    '2130706433',
    '0x7f000001',
    '0177.0.0.1',
    '127.1',
    '[::ffff:127.0.0.1]',
    '[::1]',
  ];
  hosts.push(
    '169.254.169.254',
    '10.0.0.1',
    '100.64.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '[64:ff9b::7f00:1]',
    '[2002:7f00:1::]',
    '[fe80::1]',
  );
  for (const host of hosts) {
    const { status, body } = await create(`http://${host}:8080/hook`);
    assert.deepEqual([status, body.code], [400, 'webhook_address_refused'], host);
    assert.match(body.detail, /not a public address.*LOREKEEP_WEBHOOK_NETWORKS/);
  }
  assert.equal((await server.call('GET', '/v1/webhooks')).body.webhooks.length, 0);
});

it('webhooks are refused for URLs with control or invisible characters or ports of other protocols', async () => {
  for (const url of [
    'https://ci.example.org/a\r\nb',
    '\nhttps://ci.example.org',
    'https://ci\t.example.org',
    'https://ci.example.org/\u202egpj',
    'https://ci.example.org/\u0000',
  ])
    assert.equal((await create(url)).status, 422, JSON.stringify(url));
  for (const port of [22, 25, 6, 1023]) assert.equal((await create(`http://ci.example.org:${port}/`)).status, 422);
  for (const url of ['https://ci.example.org/a b', 'http://bücher.example:8443/ü', 'http://ci.example.org:80/'])
    assert.equal((await create(url)).status, 200, url);
});

it('webhooks of an account are limited in number, also for concurrent requests', async () => {
  const answers = await Promise.all(
    Array.from({ length: 30 }, async (_, at) => await create(`https://ci.example.org/${at}`)),
  );
  assert.ok(answers.some(({ body }) => body.code === 'webhooks_limit'));
  assert.equal((await server.call('GET', '/v1/webhooks')).body.webhooks.length, 20);
});
