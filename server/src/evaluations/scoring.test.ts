// When an answer is right.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { normalised, scored } from './scoring.ts';

describe('scoring', () => {
  it('is exact word for word, white space around aside', () => {
    assert.deepEqual(scored(' RV-2207\n', 'RV-2207'), { exact: true, normalised: true });
    assert.deepEqual(scored('rv-2207.', 'RV-2207'), { exact: false, normalised: true });
    assert.deepEqual(scored('RV-2208', 'RV-2207'), { exact: false, normalised: false });
  });

  for (const [said, right] of [
    ['The Hague', 'hague'],
    ['"Dana Reyes."', 'Dana  Reyes'],
    ['9 AM', '9 am'],
    ['ﬁve', 'five'],
    ['It’s here!', "it's here"],
    ['\u22123', '-3'],
    ['(1.5)', '1.5'],
  ] as const)
    it(`takes ${said} for ${right}`, () => assert.equal(normalised(said), normalised(right)));

  for (const [said, right] of [
    ['5%', '5'],
    ['-3', '3'],
    ['15', '1.5'],
    ['.5', '5'],
    ['the', 'a'],
    ['?', '!'],
    ['$5', '5'],
    ['re-sign', 'resign'],
    ['Zoë', 'Zoe'],
  ] as const)
    it(`does not take ${said} for ${right}`, () => assert.notEqual(normalised(said), normalised(right)));
});
