// Throttling of password attempts: which attempts count together, and that others do not evict them.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Refusal } from '@lorekeep/contract';
import { Attempts } from './attempt-limit.ts';

const wrong = new Error('the password is wrong');

/** Whether an attempt with a wrong password is let through to the check. */
async function isChecked(attempts: Attempts, account: string | undefined, address: string): Promise<boolean> {
  const error = await attempts
    .guard(account, address, async () => await Promise.reject(wrong))
    .catch((caught) => caught);
  assert.ok(error === wrong || (error instanceof Refusal && error.code === 'too_many_attempts'), String(error));
  return error === wrong;
}

/** Makes 60 attempts; returns the number of those that were checked. */
async function exhaust(attempts: Attempts, addressOf: (attempt: number) => string): Promise<number> {
  let checked = 0;
  for (let attempt = 0; attempt < 60; attempt++)
    if (await isChecked(attempts, undefined, addressOf(attempt))) checked++;
  return checked;
}

describe('password attempts', () => {
  it('are counted together from all IPv6 addresses of one subscriber', async () => {
    const attempts = new Attempts(() => 0);
    assert.equal(await exhaust(attempts, (attempt) => `2001:db8:0:1::${attempt.toString(16)}`), 50);
    for (const address of ['2001:db8:0:1:ffff::1', '2001:DB8:0:1::a', '2001:db8::1:0:0:198.51.100.7'])
      assert.equal(await isChecked(attempts, undefined, address), false, address);
    for (const address of ['2001:db8:0:2::1', '2001:db8::1', '::1', 'fe80::1%eth0'])
      assert.equal(await isChecked(attempts, undefined, address), true, address);
  });

  it('are counted by IPv4 address, also on a socket of IPv6', async () => {
    const attempts = new Attempts(() => 0);
    assert.equal(await exhaust(attempts, () => '::ffff:198.51.100.7'), 50);
    assert.equal(await isChecked(attempts, undefined, '198.51.100.7'), false);
    for (const address of ['::ffff:198.51.100.8', '198.51.100.9'])
      assert.equal(await isChecked(attempts, undefined, address), true, address);
  });

  it('of an address still count after attempts on many invented accounts', async () => {
    const attempts = new Attempts(() => 0);
    await exhaust(attempts, () => '198.51.100.7');
    // Each of 400 other addresses tries 50 names.
    for (let name = 0; name < 20_000; name++)
      assert.equal(await isChecked(attempts, `name ${name}`, `10.0.${Math.floor(name / 5_000)}.${name % 100}`), true);
    assert.equal(await isChecked(attempts, undefined, '198.51.100.7'), false);
  });
});
