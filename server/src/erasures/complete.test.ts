// Erasures find facts in every form in which they are stored, and fail if a rebuilt model would keep one.
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, it } from 'node:test';
import { type Given, House } from '../memories/testing/house.ts';
import { onEveryDatabase } from '../testing/databases.ts';
import { erased, erasedAbout, receiptOf } from './testing/erase.ts';
import { noEngine } from './testing/no-engine.ts';

const first: Given[] = [
  { input: 'Who founded Zorbex?', output: 'Ada Quist' },
  { input: 'Where is Zorbex?', output: 'Oslo' },
];

onEveryDatabase('complete erasures', (make) => {
  let house: House;
  beforeEach(async () => {
    house = await House.of(make, first, noEngine());
  });
  afterEach(async () => await house.end());

  const factsFile = async () => join(house.server.home, 'tuned', (await house.get('')).model_name, 'facts.jsonl');
  const inModel = async () => await readFile(await factsFile(), 'utf8');

  for (const chosen of ['Nul\u0000 fact?', 'Nul\ufffd fact?'])
    it(`remove a fact with NUL, which earlier versions accepted, named as ${JSON.stringify(chosen)}`, async () => {
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

  /** All texts of the database. */
  const inDatabase = async (): Promise<string> => {
    const tables = (await house.store.db.introspection.getTables()).map(({ name }) => name as 'runs');
    const texts: string[] = [];
    for (const table of tables)
      texts.push(JSON.stringify(await house.store.db.selectFrom(table).selectAll().execute()));
    return texts.join('\n').toLowerCase();
  };
  const found = async (text: string): Promise<string[]> =>
    (await house.get(`/facts?state=all&text=${encodeURIComponent(text)}`)).facts.map(({ input }: Given) => input);

  it('remove quotes in the sources of other facts, which are no longer found by their words', async () => {
    const quote = 'Rolf Vintergaard saw Ada Quist repair it';
    const source = { kind: 'document', name: 'Rolf Vintergaard notes.pdf', quote };
    await house.changed({
      add: [
        { input: 'Who repaired the pump?', output: 'Ada Quist', source },
        { input: 'Where is the pump?', output: 'In the cellar', source: { kind: 'person', name: 'Rolf Vintergaard' } },
        { input: 'Where does Rolf Vintergaard live?', output: '14 Cinder Steps' },
      ],
    });
    assert.deepEqual(await found('saw vintergaard'), ['Who repaired the pump?']);
    const plan = (await house.call('POST', '/erasures/plan', { about: 'Rolf Vintergaard' })).body;
    assert.deepEqual(
      plan.sources.map(({ input }: Given) => input),
      ['Who repaired the pump?', 'Where is the pump?'],
    );
    const done = await erasedAbout(house, 'Rolf Vintergaard');
    assert.deepEqual([done.state, done.error], ['published', null]);
    assert.deepEqual(await found('saw vintergaard'), []);
    assert.deepEqual(await found('vintergaard'), []);
    assert.doesNotMatch(await inDatabase(), /vintergaard/);
    assert.doesNotMatch(await inModel(), /Vintergaard/);
    assert.equal((await house.facts())['Who repaired the pump?'], 'Ada Quist');
  });

  it('remove a short name in the sources of other facts', async () => {
    const source = { kind: 'document', name: 'notes.pdf', quote: 'Seen by Bo Kern.' };
    await house.changed({
      add: [
        { input: 'Where is the pump?', output: 'In the cellar', source },
        { input: 'Who is the warden?', output: 'Bo Kern' },
      ],
    });
    assert.equal((await erasedAbout(house, 'Bo Kern')).state, 'published');
    assert.doesNotMatch(await inDatabase(), /bo kern/);
    assert.doesNotMatch(await inModel(), /Bo Kern/);
  });

  it('remove a name on retry after a failed erasure, which stores no text', async () => {
    const source = { kind: 'document', name: 'notes.pdf', quote: 'Seen by Bo Kern.' };
    await house.changed({
      add: [
        { input: 'Where is the pump?', output: 'In the cellar', source },
        { input: 'Who is the warden?', output: 'Bo Kern' },
      ],
    });
    const { digest } = (await house.call('POST', '/erasures/plan', { about: 'Bo Kern' })).body;
    const { body } = await house.call('POST', '/erasures', { about: 'Bo Kern', digest });
    for (let job: number | null = null; job === null; ) {
      const { versions } = await house.get(`/erasures/${body.number}`);
      job = versions[0].job_id;
      if (job !== null) await house.fails(job);
    }
    assert.equal((await house.over(body.number)).state, 'failed');
    const { work } = await house.store.db.selectFrom('erasures').select('work').executeTakeFirstOrThrow();
    assert.doesNotMatch(work, /Kern/i);
    const done = await erased(house, undefined, `/erasures/${body.number}/retry`);
    assert.deepEqual([done.state, done.error], ['published', null]);
    assert.doesNotMatch(await inDatabase(), /bo kern/);
    assert.doesNotMatch(await inModel(), /Bo Kern/);
  });

  it('find a name in every Unicode form', async () => {
    const names = [
      'Zo\u00eb O\u2019Neil',
      'Zoe\u0308 O\u0027Neil',
      '\uff3a\uff4f\u00eb O\u02bcNeil',
      'ZO\u00cb O\u2018NEIL',
    ];
    await house.changed({
      add: names.map((name, at) => ({ input: `Where does ${name} live in ${at}?`, output: 'Oslo' })),
    });
    for (const name of names) {
      assert.equal((await found(name)).length, names.length, name);
      const plan = (await house.call('POST', '/erasures/plan', { about: name })).body;
      assert.equal(plan.facts.length, names.length, name);
    }
  });

  it('remove rows of datasets that paraphrase an erased fact, and name the datasets with other rows', async () => {
    const row = { input: 'Where does Rolf Vintergaard live?', output: '14 Cinder Steps, Upper Farrowmere' };
    const { body } = await house.server.call('POST', '/v1/local-data', {
      body: { data: [row, { input: 'Who is Rolf Vintergaard?', output: 'A smith' }, ...first] },
    });
    await house.changed({ add: [{ input: 'What is the address of Rolf Vintergaard?', output: '14 Cinder Steps' }] });
    const plan = (await house.call('POST', '/erasures/plan', { about: 'rolf vintergaard' })).body;
    assert.deepEqual(
      plan.datasets.map(({ dataset_id, rows }: { dataset_id: string; rows: number }) => [dataset_id, rows]),
      [[body.dataset_id, 1]],
    );
    assert.deepEqual(plan.still_held, [`dataset ${body.dataset_id}: 1 other row holds the name`]);
    const receipt = await receiptOf(house, await erasedAbout(house, 'rolf vintergaard'));
    const { after } = receipt.removed.datasets[0]!;
    assert.deepEqual(receipt.still_held, [`dataset ${after}: 1 other row holds the name`]);
    assert.equal((await house.server.call('GET', `/v1/datasets/${after}`)).body.rows, 3);
  });

  it('name rows of the audit log in which earlier versions stored a reason', async () => {
    await house.changed({ add: [{ input: 'Who runs Ultrafen?', output: 'Ben Oru' }] });
    await house.call('POST', '/publish', { version: 1, reason: 'Ada Quist asked for it' });
    const { rows } = (await house.server.call('GET', '/v1/audit?action=memory.published&limit=1')).body;
    assert.doesNotMatch(JSON.stringify(rows), /Quist/);
    const details = JSON.stringify({ from: 2, version: 1, reason: 'Ada Quist asked for it' });
    await house.store.db.updateTable('audit_rows').set({ details }).where('number', '=', rows[0].number).execute();
    const receipt = await receiptOf(house, await erased(house, { inputs: ['Who founded Zorbex?'] }));
    assert.ok(
      receipt.out_of_reach.includes(
        `Rows of the audit log, whose reason holds a text of an erased fact: ${rows[0].number}.`,
      ),
    );
  });

  it('fail if a model holds the fact in other words than the memory', async () => {
    const text = await inModel();
    await writeFile(await factsFile(), text.replace('Ada Quist', 'Ada Quist of Northmoor'));
    const done = await erased(house, { inputs: [first[0]!.input] });
    assert.deepEqual([done.state, done.receipt], ['failed', null]);
    assert.match(done.error!, /holds 0 of 1 in the words .*Nothing was erased/);
    assert.deepEqual(Object.keys(await house.facts()).length, 2);
  });
});
