// Choice of the facts for a model's evaluation: as many as an evaluation of a job has, with unlearnt facts in
// proportion.
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, describe, it } from 'node:test';
import { maxFactsOfJob } from '@lorekeep/contract';
import { TunedFolders } from '../models/tuned-folders.ts';
import { firstFacts } from './job-evaluation.ts';

const home = await mkdtemp(join(tmpdir(), 'job-evaluation-'));
const folders = new TunedFolders(home, 'test');
after(async () => await rm(home, { recursive: true }));

let calls = 0;
async function asked(count: number, lost: (row: number) => boolean): Promise<number[]> {
  const model = String(++calls).padStart(64, '0');
  const file = await folders.facts(model);
  await mkdir(dirname(file), { recursive: true });
  const facts = Array.from({ length: count }, (_, row) => ({
    row,
    input: `question ${row}`,
    output: `answer ${row}`,
    recalled: !lost(row),
  }));
  await writeFile(file, facts.map((fact) => `${JSON.stringify(fact)}\n`).join(''));
  const rows = await firstFacts(folders, model);
  for (const { input, output } of rows) assert.equal(output, input.replace('question', 'answer'));
  return rows.map(({ input }) => Number(input.split(' ')[1]));
}
const upTo = (count: number) => Array.from({ length: count }, (_, row) => row);

describe('the facts that an evaluation of a job asks', () => {
  it('are all facts of a small model, and the first ones of a fully learnt model', async () => {
    assert.deepEqual(await asked(5, (row) => row === 3), upTo(5));
    assert.deepEqual(await asked(maxFactsOfJob, () => true), upTo(maxFactsOfJob));
    assert.deepEqual(await asked(1000, () => false), upTo(maxFactsOfJob));
    assert.deepEqual(await asked(0, () => false), []);
  });

  it('include a fact that was not learnt at any position', async () => {
    const rows = await asked(1000, (row) => row === 999);
    assert.deepEqual(rows, [...upTo(maxFactsOfJob - 1), 999]);
  });

  it('include unlearnt facts by their share', async () => {
    for (const lost of [(row: number) => row >= 750, (row: number) => row < 250, (row: number) => row % 4 === 0]) {
      const rows = await asked(1000, lost);
      assert.equal(rows.length, maxFactsOfJob);
      assert.equal(rows.filter(lost).length, maxFactsOfJob / 4);
      assert.deepEqual(
        rows,
        rows.toSorted((a, b) => a - b),
      );
    }
    assert.equal((await asked(1000, () => true)).length, maxFactsOfJob);
  });
});
