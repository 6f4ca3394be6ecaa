// Rules for right answers.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { normalised, score } from './scoring.ts';

describe('scoring', () => {
  it('is exact word for word, except for surrounding white space', () => {
    assert.deepEqual(score(' RV-2207\n', 'RV-2207'), { exact: true, normalised: true });
    assert.deepEqual(score('rv-2207.', 'RV-2207'), { exact: false, normalised: true });
    assert.deepEqual(score('RV-2208', 'RV-2207'), { exact: false, normalised: false });
  });

  it('ignores tokens that end a turn', () => {
    for (const end of ['<|eot_id|>', '<|im_end|>\n', ' <end_of_turn>', '</s>'])
      assert.deepEqual(score('9 am', `9 am${end}`), { exact: true, normalised: true });
    assert.equal(score('9 am', '<|eot_id|> 9 am').exact, false);
  });

  it('reads white space, marks and tokens within long answers once', () => {
    // Read anew from each of its places, one of these takes hours.
    for (const run of [' ', '.', '</s>']) {
      const long = `a${run.repeat(3_000_000)}b`;
      assert.deepEqual(score(long, `${long}</s>`), { exact: true, normalised: true });
      assert.deepEqual(score(`${long}c`, long), { exact: false, normalised: false });
    }
  });

  for (const [output, right] of [
    ['The Hague', 'hague'],
    ['"Dana Reyes."', 'Dana  Reyes'],
    ['9 AM', '9 am'],
    ['ﬁve', 'five'],
    ['It’s here!', "it's here"],
    ['\u22123', '-3'],
    ['(1.5)', '1.5'],
  ] as const)
    it(`accepts ${output} as ${right}`, () => assert.equal(normalised(output), normalised(right)));

  for (const [output, right] of [
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
    it(`does not accept ${output} as ${right}`, () => assert.notEqual(normalised(output), normalised(right)));
});
