// Erasures find facts in every form in which they are stored, and fail where a rebuilt model would keep one.
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, it } from 'node:test';
import { type Given, House } from '../memories/testing/house.ts';
import { onEveryDatabase } from '../testing/databases.ts';
import { erased } from './testing/erase.ts';
import { noEngine } from './testing/no-engine.ts';

const first: Given[] = [
  { input: 'Who founded Zorbex?', output: 'Ada Quist' },
  { input: 'Where is Zorbex?', output: 'Oslo' },
];

onEveryDatabase('erasures are complete', (make) => {
  let house: House;
  beforeEach(async () => {
    house = await House.of(make, first, noEngine());
  });
  afterEach(async () => await house.end());

  const factsFile = async () => join(house.server.home, 'tuned', (await house.get('')).model_name, 'facts.jsonl');
  const inModel = async () => await readFile(await factsFile(), 'utf8');

  for (const chosen of ['Nul\u0000 fact?', 'Nul\ufffd fact?'])
    it(`of a fact with NUL, which earlier versions took, named as ${JSON.stringify(chosen)}`, async () => {
      const number = await house.order({ add: [{ input: 'Nul\ufffd fact?', output: 'nul answer\ufffd here' }] });
      const job = await house.jobOf(number);
      const lines = (await house.linesOf(job)).map((fact) =>
        JSON.parse(JSON.stringify(fact).replaceAll('\ufffd', '\\u0000')),
      );
      await house.ends(job, lines);
      await house.over(number);
      await house.call('POST', '/publish', { version: 2 });
      assert.match(await inModel(), /Nul\\u0000 fact/);
      const plan = await house.call('POST', '/erasures/plan', { inputs: [chosen] });
      assert.deepEqual(
        plan.body.facts?.map(({ input }: Given) => input),
        ['Nul\ufffd fact?'],
        JSON.stringify(plan.body),
      );
      const done = await erased(house, { inputs: [chosen] });
      assert.deepEqual([done.state, done.error], ['published', null]);
      assert.doesNotMatch(await inModel(), /Nul/);
      assert.deepEqual(
        Object.keys(await house.facts()),
        first
          .map(({ input }) => input)
          .sort()
          .reverse(),
      );
    });

  it('or fail: a model that holds the fact in other words than the memory is not taken for one without it', async () => {
    const text = await inModel();
    await writeFile(await factsFile(), text.replace('Ada Quist', 'Ada Quist of Northmoor'));
    const done = await erased(house, { inputs: [first[0]!.input] });
    assert.deepEqual([done.state, done.receipt], ['failed', null]);
    assert.match(done.error!, /holds 0 of the 1 facts in the words .*Nothing was erased/);
    assert.deepEqual(Object.keys(await house.facts()).length, 2);
  });
});
