// Stray models, which an erasure trained and no version uses: none remains, however the erasure ends.
import assert from 'node:assert/strict';
import { cp, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import type { Erasure } from '@lorekeep/contract';
import { House } from '../memories/testing/house.ts';
import { onDatabase } from '../testing/databases.ts';
import { polled } from '../testing/until.ts';
import { noEngine } from './testing/no-engine.ts';

const secret = { input: 'Who founded Zorbex?', output: 'Ada Quist of Northmoor' };
const other = { input: 'Where is Zorbex?', output: 'Oslo' };
const later = { input: 'Who runs Ultrafen?', output: 'Ben Oru' };

onDatabase('stray models of an erasure', 'SQLite', (make) => {
  /** Versions 1, 2 and 3 hold the fact; version 1 is published. */
  async function ordered() {
    const house = await House.of(make, [secret, other], noEngine());
    await house.changed({ add: [later] });
    await house.changed({ change: [{ ...later, output: 'Cleo Marsh' }] });
    await house.call('POST', '/publish', { version: 1 });
    const before = await modelsOf(house);
    const { body } = await house.call('POST', '/erasures', { inputs: [secret.input] });
    const look = async (): Promise<Erasure> => await house.get(`/erasures/${body.number}`);
    const { versions } = await polled(look, (erasure) => erasure.versions.every(({ job_id }) => job_id !== null));
    const over = async () => await polled(look, ({ finished_at }) => finished_at !== null);
    return { house, before, over, jobs: versions.map(({ job_id }) => job_id!) };
  }

  it('are removed when it fails, with its open jobs cancelled, also after a kill before the last folder', async () => {
    const { house, before, over, jobs } = await ordered();
    try {
      const [published, made, open] = jobs as [number, number, number];
      const name = await nameOf(house, made);
      // Both jobs end before the erasure checks them.
      await house.restart(async () => {
        await house.ends(made, await house.linesOf(made));
        await house.fails(published);
        await cp(join(house.server.home, 'tuned', name), join(house.server.home, 'killed'), { recursive: true });
      }, noEngine());
      assert.equal((await over()).state, 'failed');
      // Folders are removed after the transaction.
      await polled(
        () => modelsOf(house),
        (models) => isDeepStrictEqual(models, before),
      );
      const { body: job } = await house.server.call('GET', `/v1/train/jobs/${open}`);
      assert.equal(job.status, 'CANCELLED');
      // A kill after the transaction leaves a folder without a record.
      await house.restart(async () => {
        await cp(join(house.server.home, 'killed'), join(house.server.home, 'tuned', name), { recursive: true });
      }, noEngine());
      assert.deepEqual(await modelsOf(house), before);
    } finally {
      await house.end();
    }
  });

  it('are removed with the old models when a version was dropped', async () => {
    const { house, before, over, jobs } = await ordered();
    try {
      const [published, wrong, right] = jobs as [number, number, number];
      const given = await nameOf(house, wrong);
      await house.ends(wrong, [later]);
      for (const job of [published, right]) await house.ends(job, await house.linesOf(job));
      const done = await over();
      assert.deepEqual(
        [done.state, ...done.versions.map(({ outcome }) => outcome)],
        ['published', 'rebuilt', 'ended', 'rebuilt'],
      );
      const kept = [await nameOf(house, published), await nameOf(house, right)].sort();
      assert.deepEqual(await modelsOf(house), { records: kept, folders: kept });
      const { receipt } = (await house.server.call('GET', `/v1/receipts/${done.receipt}`)).body;
      assert.deepEqual([...receipt.removed.models].sort(), [...before.records, given].sort());
    } finally {
      await house.end();
    }
  });
});

async function nameOf({ store }: House, job: number): Promise<string> {
  return (await store.db.selectFrom('tuning_jobs').select('name').where('id', '=', job).executeTakeFirstOrThrow()).name;
}

async function modelsOf({ store, server }: House) {
  const rows = await store.db.selectFrom('tuned_models').select('name').execute();
  return {
    records: rows.map(({ name }) => name).sort(),
    folders: (await readdir(join(server.home, 'tuned'))).sort(),
  };
}
