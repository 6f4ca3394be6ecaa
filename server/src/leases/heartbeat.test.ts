// Heartbeats on a database that answers late or not at all: a server never takes itself for alive longer than others do.
import assert from 'node:assert/strict';
import { afterEach, it, mock } from 'node:test';
import { openStore } from '../store/open.ts';
import { onEveryDatabase, onPostgres, storeOfEachTest } from '../testing/databases.ts';
import { heldDatabase } from '../testing/held-database.ts';
import { steadyClock } from '../testing/steady-clock.ts';
import { until } from '../testing/until.ts';
import { Heartbeat } from './heartbeat.ts';

const capacity = { nodes: 1, slots: 1 };

onEveryDatabase('a heartbeat', (make) => {
  const store = storeOfEachTest(make);
  afterEach(() => mock.restoreAll());

  for (const which of ['first', 'second'])
    it(`counts from the time before it is sent, since others may see it long before its answer arrives: the ${which}`, async () => {
      const heartbeat = new Heartbeat(store());
      const pass = steadyClock();
      if (which === 'second') await heartbeat.beat(capacity);
      pass(3_000);
      const sent = heartbeat.beat(capacity);
      pass(9_000);
      assert.equal(await sent, 'alive');
      assert.equal(heartbeat.isSilent(), false);
      pass(2_000);
      assert.equal(heartbeat.isSilent(), true);
    });

  it('that is answered after its server took a new name does not renew the lease of that name', async () => {
    const heartbeat = new Heartbeat(store());
    const pass = steadyClock();
    await heartbeat.beat(capacity);
    pass(3_000);
    const late = heartbeat.beat(capacity);
    heartbeat.forget();
    assert.equal(await late, 'lost');
    assert.equal(heartbeat.isRegistered, false);
    assert.equal(await heartbeat.beat(capacity), 'alive');
    assert.equal(heartbeat.isRegistered, true);
  });
});

onPostgres('a heartbeat', (make) => {
  it('fails if the database does not answer, and is written again when it does', async () => {
    const database = await make();
    const held = await heldDatabase(database.url);
    const store = await openStore(held.url);
    try {
      const heartbeat = new Heartbeat(store);
      const beats = async () => (await store.db.selectFrom('servers').select(['name', 'beat']).execute()).length;
      for (const statement of ['insert into "servers"', 'update "servers"']) {
        let failed = false;
        held.holds = (sent) => sent.includes(statement);
        await until('it fails', async () => {
          await heartbeat.beat(capacity).catch(() => {
            failed = true;
          });
          return failed;
        });
        held.release();
        assert.equal(await heartbeat.beat(capacity), 'alive');
        assert.equal(await beats(), 1);
      }
    } finally {
      held.release();
      await store.close();
      await held.end();
      await database.drop();
    }
  });
});
