// The refusal of invalid rows lists the first mistakes, and counts the rows that are not in the list.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Refusal } from '@lorekeep/contract';
import { checkRows } from './datasets.ts';
import type { FoundRow } from './row.ts';

const witness = { row: () => {}, pause: async () => {} };

async function mistakesOf(count: number, value: unknown) {
  async function* batches(): AsyncGenerator<FoundRow[]> {
    yield Array.from({ length: count }, (_, index) => ({ number: index + 1, value }));
  }
  const error = (await checkRows(batches(), ['body', 'data'], witness).catch((caught) => caught)) as Refusal;
  assert.equal(error.code, 'rows_invalid', String(error));
  return error.mistakes!;
}

it('the refusal of invalid rows counts the rows that it does not list', async () => {
  // A row without input and output has two mistakes, so the list of 50 holds 25 rows.
  for (const [value, rest] of [
    [{}, 35],
    [{ input: 'a' }, 10],
    [[], 10],
  ]) {
    const mistakes = await mistakesOf(60, value);
    assert.equal(mistakes.length, 51);
    assert.deepEqual(mistakes.at(-1), { loc: ['body', 'data'], msg: `and ${rest} more rows`, type: 'more' });
  }
  assert.equal((await mistakesOf(25, {})).length, 50);
  assert.equal((await mistakesOf(26, {})).at(-1)!.msg, 'and 1 more row');
  assert.equal((await mistakesOf(1_200, {})).at(-1)!.msg, 'and at least 1175 more rows');
});
