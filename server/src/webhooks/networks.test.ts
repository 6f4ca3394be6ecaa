// Addresses that a webhook may reach, in every notation.
import assert from 'node:assert/strict';
import { networkInterfaces } from 'node:os';
import { it } from 'node:test';
import { WebhookNetworks } from './networks.ts';
import { WebhookHosts } from './webhook-hosts.ts';

const publicOnly = new WebhookNetworks([]);

it('webhook networks allow only public addresses', () => {
  const refused = [
    '0.0.0.0',
    '0.1.2.3',
    '10.1.2.3',
    '100.64.0.1',
    '100.100.100.200',
    '127.0.0.1',
    '127.255.255.255',
    '169.254.169.254',
  ];
  refused.push(
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.192',
    '192.0.2.1',
    '192.88.99.1',
    '192.168.1.1',
    '198.18.0.1',
    '198.19.255.255',
  );
  refused.push(
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '239.255.255.250',
    '240.0.0.1',
    '255.255.255.255',
    '168.63.129.16',
  );
  refused.push(
    '::',
    '::1',
    '::7f00:1',
    '::ffff:127.0.0.1',
    '::ffff:a00:1',
    '::ffff:0:7f00:1',
    '64:ff9b::7f00:1',
    '64:ff9b:1::1',
    '100::1',
  );
  refused.push(
    '2001::1',
    '2001:db8::1',
    '2002:7f00:1::',
    '3fff::1',
    '5f00::1',
    'fc00::1',
    'fd00:ec2::254',
    'fe80::1',
    'fec0::1',
    'ff02::1',
  );
  refused.push('nonsense', '');
  for (const address of refused) assert.equal(publicOnly.allows(address), false, address);
  for (const address of [
    '1.1.1.1',
    '8.8.8.8',
    '100.63.255.255',
    '172.32.0.1',
    '193.0.6.139',
    '2606:4700::1111',
    '2a00:1450:4001::1',
  ])
    assert.equal(publicOnly.allows(address), true, address);
});

it('webhook networks refuse the addresses of this machine', () => {
  for (const { address } of Object.values(networkInterfaces()).flatMap((all) => all ?? []))
    assert.equal(publicOnly.allows(address), false, address);
});

it('webhook networks allow internal networks only if the operator names them', () => {
  const some = new WebhookNetworks(['10.1.0.0/16', '127.0.0.2', 'fd00::/8']);
  for (const address of ['10.1.2.3', '::ffff:10.1.2.3', '127.0.0.2', 'fd12::1', '1.1.1.1'])
    assert.equal(some.allows(address), true, address);
  for (const address of ['10.2.0.1', '127.0.0.1', '127.0.0.3', 'fc00::1', '::1'])
    assert.equal(some.allows(address), false, address);
});

it('webhook hosts refuse internal addresses and loopback names in every notation', () => {
  const hosts = new WebhookHosts(publicOnly);
  const written = [
    '127.0.0.1',
    'localhost',
    'LOCALHOST',
    'localhost.',
    'a.localhost',
    '0.0.0.0',
    '0',
    '2130706433',
    '0x7f000001',
    '0x7f.1',
  ];
  written.push(
    '0177.0.0.1',
    '127.1',
    '127.0.1',
    '127.0.0.1.',
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[0:0:0:0:0:ffff:7f00:1]',
    '①②⑦.0.0.1',
    '127%2e0.0.1',
  );
  for (const host of written) assert.equal(hosts.refuses(new URL(`http://${host}:8080/a`).hostname), true, host);
  for (const host of ['example.org', '1.1.1.1', '[2606:4700::1111]'])
    assert.equal(hosts.refuses(new URL(`http://${host}/`).hostname), false, host);
  const own = new WebhookHosts(new WebhookNetworks(['127.0.0.0/8']));
  assert.equal(own.refuses('localhost'), false);
});
