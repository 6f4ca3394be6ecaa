// A page of memories, on real databases: the same as each one alone, in as many queries for several as for one.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Caller } from '../auth/caller.ts';
import { countedStore } from '../testing/counted-store.ts';
import { onEveryDatabase, storeOfEachTest } from '../testing/databases.ts';
import { accountRecord } from '../testing/records.ts';
import { Memories } from './memories.ts';

onEveryDatabase('a list of memories', (make) => {
  const store = storeOfEachTest(make);

  /** A memory with versions up to `latest`, and changes in these states. */
  async function made(
    { account, key }: { account: number; key: number },
    name: string,
    { published, latest, changes }: { published: number | null; latest: number; changes: ('waiting' | 'published')[] },
  ): Promise<void> {
    const { id: memory_id } = await store()
      .db.insertInto('memories')
      .values({
        ...{ account_id: account, name, base_model: 'm', published, latest, changes: changes.length, created_at: 1 },
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    for (let number = 1; number <= latest; number++)
      await store()
        .db.insertInto('memory_versions')
        .values({
          ...{ memory_id, number, model_name: `${name} ${number}`, parent: null, change: number, created_at: 1 },
          ...{ facts: 10 * number, recalled: number, gate: null },
        })
        .execute();
    for (const [at, state] of changes.entries())
      await store()
        .db.insertInto('memory_changes')
        .values({
          ...{ memory_id, number: at + 1, kind: 'facts', state, operations: '[]', added: 0, changed: 0, withdrawn: 0 },
          ...{ reason: null, actor: 'a', key_id: key, parent: null, version: null, job_id: null, evaluation_id: null },
          ...{ error: null, base_model: null, created_at: 1, finished_at: null },
        })
        .execute();
  }

  it('shows each as it is alone, with the same number of queries for any number', async () => {
    const own = await accountRecord(store(), 'one');
    await made(own, 'new', { published: null, latest: 0, changes: ['waiting'] });
    await made(own, 'old', { published: 2, latest: 3, changes: ['published', 'waiting', 'waiting'] });
    await made(own, 'newest', { published: 3, latest: 3, changes: [] });
    await made(await accountRecord(store(), 'other'), 'foreign', { published: 1, latest: 1, changes: [] });
    const counted = countedStore(store());
    const memories = new Memories({ store: counted.store } as never);
    const caller = { account: { id: own.account } } as Caller;
    const { memories: all, next } = await memories.list(caller, 10, undefined);
    assert.deepEqual(
      all.map(({ name, version, model_name, facts, facts_recalled, changes_open }) => [
        ...[name, version, model_name, facts, facts_recalled, changes_open],
      ]),
      [
        ['newest', 3, 'newest 3', 30, 3, 0],
        ['old', 2, 'old 2', 20, 2, 2],
        ['new', null, null, 0, 0, 1],
      ],
    );
    assert.equal(next, null);
    for (const one of all) assert.deepEqual(await memories.show(caller, one.name), one);
    const queries = async (limit: number) =>
      (await counted.read(async () => await memories.list(caller, limit, undefined))).queries;
    assert.equal(await queries(3), await queries(1));
  });

  it('is empty without a memory', async () => {
    const { account } = await accountRecord(store(), 'one');
    const memories = new Memories({ store: store() } as never);
    assert.deepEqual(await memories.list({ account: { id: account } } as Caller, 10, undefined), {
      memories: [],
      next: null,
    });
  });
});
