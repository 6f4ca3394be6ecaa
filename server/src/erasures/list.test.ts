// A page of erasures, on real databases: the same as each one alone, in as many queries for several as for one.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Caller } from '../auth/caller.ts';
import { countedStore } from '../testing/counted-store.ts';
import { onEveryDatabase, storeOfEachTest } from '../testing/databases.ts';
import { accountRecord } from '../testing/records.ts';
import { Erasures } from './erasures.ts';

onEveryDatabase('a list of erasures', (make) => {
  const store = storeOfEachTest(make);

  async function memory(account_id: number, name: string): Promise<number> {
    const { id } = await store()
      .db.insertInto('memories')
      .values({ account_id, name, base_model: 'm', published: null, latest: 3, changes: 9, created_at: 1 })
      .returning('id')
      .executeTakeFirstOrThrow();
    return id;
  }

  /** An erasure of as many versions, with a receipt if it removed something. */
  async function erasure(
    { account, key }: { account: number; key: number },
    memory_id: number,
    number: number,
    { versions, removed }: { versions: number; removed?: object },
  ): Promise<void> {
    await store()
      .db.insertInto('memory_changes')
      .values({
        ...{ memory_id, number, kind: 'erase', state: removed ? 'published' : 'running', operations: '[]' },
        ...{ added: 0, changed: 0, withdrawn: 1, reason: `reason ${number}`, actor: 'a', key_id: key, parent: null },
        ...{ version: null, job_id: null, evaluation_id: null, error: null, base_model: null },
        ...{ created_at: 1, finished_at: removed ? 2 : null },
      })
      .execute();
    const signed =
      removed &&
      (await store()
        .db.insertInto('receipts')
        .values({
          ...{ account_id: account, memory: 'house', memory_id, erasure: number, facts: 1, gone: 1, created_at: 1 },
          body: JSON.stringify({ receipt: { removed } }),
        })
        .returning('number')
        .executeTakeFirstOrThrow());
    await store()
      .db.insertInto('erasures')
      .values({
        ...{ memory_id, number, step: 'over', facts: '[]', count: number, salt: 's', work: '{}' },
        ...{ receipt: signed?.number ?? null, removing_since: null },
      })
      .execute();
    for (let version = versions; version > 0; version--)
      await store()
        .db.insertInto('erased_versions')
        .values({
          ...{ memory_id, erasure: number, version, outcome: 'rebuilt', reason: null, job_id: null, before: null },
          ...{ model_before: 'm', model_after: null, after: null, probes: null },
        })
        .execute();
  }

  it('shows each as it is alone, with the same number of queries for any number', async () => {
    const own = await accountRecord(store(), 'one');
    const house = await memory(own.account, 'house');
    const garden = await memory(own.account, 'garden');
    await erasure(own, house, 2, { versions: 2, removed: { files: 2 } });
    await erasure(own, house, 4, { versions: 1 });
    await erasure(own, house, 5, { versions: 0, removed: { files: 5 } });
    await erasure(own, garden, 4, { versions: 3, removed: { files: 4 } });
    const counted = countedStore(store());
    const erasures = new Erasures({ store: counted.store } as never);
    const caller = { account: { id: own.account } } as Caller;
    const { erasures: all, next } = await erasures.list(caller, 'house', 10, undefined);
    assert.deepEqual(
      all.map(({ number, facts, versions, removed }) => [
        number,
        facts,
        versions.map(({ version }) => version),
        removed,
      ]),
      [
        [5, 5, [], { files: 5 }],
        [4, 4, [1], null],
        [2, 2, [1, 2], { files: 2 }],
      ],
    );
    assert.equal(next, null);
    for (const one of all) assert.deepEqual(await erasures.show(caller, 'house', one.number), one);
    const queries = async (limit: number) =>
      (await counted.read(async () => await erasures.list(caller, 'house', limit, undefined))).queries;
    assert.equal(await queries(3), await queries(1));
    assert.deepEqual(await erasures.list(caller, 'house', 10, 2), { erasures: [], next: null });
  });
});
