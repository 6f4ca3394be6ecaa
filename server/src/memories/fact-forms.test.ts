// Migration of the search columns of facts, on rows as earlier versions wrote them.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { factFormsMigration } from '../store/tables/fact-forms.ts';
import { onEveryDatabase } from '../testing/databases.ts';
import { type Given, House } from './testing/house.ts';

onEveryDatabase('facts of earlier versions', (make) => {
  it('are found in every Unicode form, and no longer by an erased quote', async () => {
    const source: Given['source'] = { kind: 'document', name: '[erased]', page: 1, quote: '[erased]' };
    const house = await House.of(make, [
      { input: 'Who is Zoe\u0308?', output: 'Ada' },
      { input: 'Who saw it\ufffd?', output: 'Ben', source },
    ]);
    try {
      const { db } = house.store;
      const rows = await db.selectFrom('memory_facts').selectAll().orderBy('id').execute();
      const old = { question: 'an old key', search: 'saw vintergaard' };
      for (const { id } of rows) await db.updateTable('memory_facts').set(old).where('id', '=', id).execute();
      await factFormsMigration.up(db as never);
      assert.deepEqual(await db.selectFrom('memory_facts').selectAll().orderBy('id').execute(), rows);
      const found = async (text: string) => (await house.get(`/facts?text=${encodeURIComponent(text)}`)).facts.length;
      assert.deepEqual([await found('vintergaard'), await found('ZO\u00cb'), await found('erased')], [0, 1, 1]);
    } finally {
      await house.end();
    }
  });
});
