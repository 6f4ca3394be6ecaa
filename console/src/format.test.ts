import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bar, forPeople, percent } from './format.ts';

describe('percentages', () => {
  it('are rounded down, so that only all is 100% and only none is 0%', () => {
    assert.deepEqual(
      [0, 1, 0.9996, 0.99999999, 0.5, 0.29, 0.896].map((share) => percent(share)),
      [...['0%', '100%', '99.9%', '99.9%', '50.0%', '29.0%', '89.6%']],
    );
    assert.equal(percent(1 / 3), '33.3%');
    assert.equal(percent(0.0001), '0.0%');
  });

  it('keep their order, and are on the right side of a bar', () => {
    const shares = Array.from({ length: 2000 }, (_, at) => at / 2000);
    const shown = shares.map((share) => Number(percent(share).slice(0, -1)));
    assert.deepEqual(
      shown,
      shown.toSorted((a, b) => a - b),
    );
    for (const against of [0.9, 0.71234, 0.5])
      for (const share of [against - 0.00001, against - 0.0004, against, against + 0.00002, against + 0.004]) {
        const [left, right] = [percent(share, against), bar(against)].map((text) => Number(text.slice(0, -1)));
        assert.equal(left! >= right!, share >= against, `${share} beside ${against}: ${left} and ${right}`);
      }
  });
});

describe('errors for people', () => {
  it('leave out technical details', () => {
    assert.equal(
      forPeople('There is no key 7 in this account. GET /v1/keys lists them.'),
      'There is no key 7 in this account.',
    );
    assert.equal(
      forPeople('The name "a.b" is taken. Choose another one.'),
      'The name "a.b" is taken. Choose another one.',
    );
    for (const message of [
      'There is nothing at GET /v1/none. The calls that exist are listed at /docs. POST /v1/x does it.',
      'There was no answer to GET /v1/models within 60 seconds. Allow more with timeoutMs.',
    ])
      assert.doesNotMatch(forPeople(message), /GET|POST|\/v1|timeoutMs/);
  });
});
