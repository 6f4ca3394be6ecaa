// Custom names of models belong to an account each, also in databases that were made before that.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sql } from 'kysely';
import { migrate } from '../store/migrate.ts';
import { migrations } from '../store/migrations.ts';
import { openStore, openUnmigrated } from '../store/open.ts';
import { onDatabase } from '../testing/databases.ts';
import { jobRecord } from '../testing/records.ts';
import { accountOf, moveAlias, qualified, reserveAlias } from './aliases.ts';

it('a qualified name identifies its account, and no other form is accepted', () => {
  assert.deepEqual(accountOf(qualified('my bot: v1.2', 12)), { alias: 'my bot: v1.2', accountId: 12 });
  for (const name of [
    'bot',
    '@1',
    'bot@',
    'bot@0',
    'bot@01',
    'bot@1 ',
    'bot@-1',
    'a@1@2',
    'bot@x',
    'bot@1e3',
    `bot@${'9'.repeat(16)}`,
  ])
    assert.equal(accountOf(name), undefined, name);
});

onDatabase('custom names', 'SQLite', (make) => {
  it('stay with their account after the migration from shared names, and other accounts may use them too', async () => {
    const database = await make('new');
    const old = await openUnmigrated(database.url);
    await migrate(
      old.db,
      old.engine,
      migrations.slice(
        0,
        migrations.findIndex(({ name }) => name === 'custom names of each account'),
      ),
    );
    const account = { role: 'member' as const, limits: '{}', created_at: 1, disabled_at: null };
    await old.db
      .insertInto('accounts')
      .values([
        { ...account, name: 'one' },
        { ...account, name: 'other' },
      ])
      .execute();
    const [one, other] = (await old.db.selectFrom('accounts').select('id').orderBy('id').execute()).map(({ id }) => id);
    const jobs = [
      await jobRecord(old, one!, { status: 'COMPLETED' }),
      await jobRecord(old, one!, { status: 'QUEUED', name: 'second' }),
    ];
    const model = {
      account_id: one!,
      job_id: jobs[0]!,
      base_model: 'lorekeep/quill',
      dataset_id: null,
      is_public: 1,
      source: null,
    };
    await old.db
      .insertInto('tuned_models')
      .values({ ...model, name: 'kept', facts: 1, facts_recalled: 1, experts: 1, bytes: 1, created_at: 1 })
      .execute();
    for (const [alias, name, job] of [
      ['team/bot', 'kept', jobs[0]],
      ['waiting', null, jobs[1]],
    ])
      await sql`insert into model_aliases (alias, account_id, model_name, job_id) values (${alias}, ${one}, ${name}, ${job})`.execute(
        old.db,
      );
    await old.close();

    const store = await openStore(database.url);
    const all = async () =>
      await store.db.selectFrom('model_aliases').selectAll().orderBy('account_id').orderBy('alias').execute();
    assert.deepEqual(
      (await all()).map(({ account_id, alias, model_name }) => [account_id, alias, model_name]),
      [
        [one, 'team/bot', 'kept'],
        [one, 'waiting', null],
      ],
    );
    await store.db.transaction().execute(async (change) => {
      await reserveAlias(change, 'team/bot', one!, 9);
      await reserveAlias(change, 'team/bot', other!, 9);
      await moveAlias(change, { alias: 'waiting', accountId: other!, model: 'kept', jobId: 9 });
    });
    assert.deepEqual(
      (await all()).map(({ account_id, alias, model_name }) => [account_id, alias, model_name]),
      [
        [one, 'team/bot', 'kept'],
        [one, 'waiting', null],
        [other, 'team/bot', null],
        [other, 'waiting', 'kept'],
      ],
    );
    await store.db.deleteFrom('tuned_models').execute();
    assert.ok((await all()).every(({ model_name }) => model_name === null));
    await store.close();
    await database.drop();
  });
});
