// CSV of an evaluation, plain for programs and safe for spreadsheets.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { EvaluationRow } from '@lorekeep/contract';
import { parse } from 'csv-parse/sync';
import { type CellForm, csvTable } from './table.ts';

async function cellsOf(texts: string[], form: CellForm): Promise<string[]> {
  async function* pages() {
    yield texts.map((input, at) => ({ row: at, input, output: 'x', answers: [null] })) as EvaluationRow[];
  }
  let csv = '';
  for await (const part of csvTable(['=target'], pages(), form)) csv += part;
  const [header, ...rows] = parse(csv) as string[][];
  assert.equal(header![3], form === 'safe' ? "'=target" : '=target');
  return rows.map((row) => row[1]!);
}

describe('a cell of a CSV export', () => {
  const formulas = [
    '=1+1',
    '+cmd|" /C calc"!A0',
    '-2+3',
    '@SUM(A1)',
    '\t=1+1',
    '\r=1+1',
    '\n=1+1',
    ' =HYPERLINK("http://example.com","x")',
    '\ufeff=1+1',
    '＝1+1',
    '- an item',
    '-',
  ];
  const harmless = ['', 'a=b', '5', '-5', '+49', '-1.5', '-1,000.25', 'it is', "'quoted'", '1-2'];

  it('is unchanged by default', async () => {
    assert.deepEqual(await cellsOf([...formulas, ...harmless], 'plain'), [...formulas, ...harmless]);
  });

  it('escapes formulas on request', async () => {
    assert.deepEqual(await cellsOf([...formulas, ...harmless], 'safe'), [
      ...formulas.map((text) => `'${text}`),
      ...harmless,
    ]);
  });
});
