// Retry of an erasure after a rebuild job was cancelled by a person or failed: it gives the reason, erases nothing, and a retry leads to
// the receipt.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Erasure } from '@lorekeep/contract';
import { House } from '../memories/testing/house.ts';
import { onDatabase } from '../testing/databases.ts';
import { polled } from '../testing/until.ts';
import { noEngine } from './testing/no-engine.ts';

const secret = { input: 'Who founded Zorbex?', output: 'Ada Quist of Northmoor' };
const other = { input: 'Where is Zorbex?', output: 'Oslo' };

onDatabase('an erasure that fails', 'SQLite', (make) => {
  /** Both versions hold the fact; version 2 is published. */
  const house = async () => {
    const house = await House.of(make, [secret, other], noEngine());
    await house.changed({ add: [{ input: 'Who runs Ultrafen?', output: 'Ben Oru' }] });
    return house;
  };
  const look = async (house: House, number: number): Promise<Erasure> => await house.get(`/erasures/${number}`);
  const until = async (house: House, number: number, holds: (erasure: Erasure) => boolean) => {
    return await polled(() => look(house, number), holds);
  };
  const jobsOf = async (house: House, number: number) => {
    const { versions } = await until(house, number, (one) => one.versions.every(({ job_id }) => job_id !== null));
    return versions.map(({ job_id }) => job_id!);
  };
  const over = async (house: House, number: number) => await until(house, number, (one) => one.finished_at !== null);
  const cancel = async ({ server }: House, job: number) =>
    assert.equal((await server.call('POST', `/v1/train/jobs/${job}/cancel`)).status, 200);

  for (const [which, at] of [
    ['of the published version', 1],
    ['of an old version', 0],
  ] as const)
    it(`because a person cancelled the job ${which} is retried, and only then has a receipt`, async () => {
      const one = await house();
      try {
        const { body } = await one.call('POST', '/erasures', { inputs: [secret.input], reason: 'request 17' });
        const jobs = await jobsOf(one, body.number);
        await cancel(one, jobs[at]!);
        const failed = await over(one, body.number);
        assert.deepEqual([failed.state, failed.receipt, failed.removed], ['failed', null, null]);
        assert.match(failed.error!, new RegExp(`Version ${at + 1} .*job ${jobs[at]} .*cancelled.*Nothing was erased`));
        assert.deepEqual(
          failed.versions.map(({ outcome, job_id }) => [outcome, job_id]),
          jobs.map((job) => ['kept', job]),
        );
        assert.deepEqual((await one.server.call('GET', '/v1/receipts')).body.receipts, []);
        assert.equal((await one.facts())[secret.input], secret.output);

        // A job of the failed erasure makes no version any more.
        const resumed = await one.server.call('POST', `/v1/train/jobs/${jobs[at]}/resume`);
        assert.deepEqual([resumed.status, resumed.body.error?.code ?? resumed.body.code], [409, 'job_order_over']);

        const again = await one.call('POST', `/erasures/${body.number}/retry`, {});
        assert.equal(again.status, 200, JSON.stringify(again.body));
        assert.deepEqual([again.body.number, again.body.reason], [body.number + 1, 'request 17']);
        for (const job of await jobsOf(one, again.body.number)) await one.ends(job, await one.linesOf(job));
        const done = await over(one, again.body.number);
        assert.equal(done.state, 'published', JSON.stringify(done));
        assert.deepEqual(
          (await one.server.call('GET', '/v1/receipts')).body.receipts.map(
            ({ erasure }: Erasure & { erasure: number }) => erasure,
          ),
          [again.body.number],
        );
        assert.equal((await one.facts())[secret.input], undefined);
        const gone = await one.call('POST', `/erasures/${body.number}/retry`, {});
        assert.equal(gone.body.error?.code ?? gone.body.code, 'nothing_to_erase');
        const complete = await one.call('POST', `/erasures/${done.number}/retry`, {});
        assert.equal(complete.body.error?.code ?? complete.body.code, 'erasure_not_failed');
      } finally {
        await one.end();
      }
    });

  it('continues if the job is resumed before the server has noticed the cancellation', async () => {
    const one = await house();
    try {
      const { body } = await one.call('POST', '/erasures', { inputs: [secret.input] });
      const jobs = await jobsOf(one, body.number);
      await one.restart(async () => {
        const set = { status: 'QUEUED' as const, resume_count: 1 };
        await one.store.db.updateTable('tuning_jobs').set(set).where('id', '=', jobs[1]!).execute();
      }, noEngine());
      for (const job of jobs) await one.ends(job, await one.linesOf(job));
      assert.equal((await over(one, body.number)).state, 'published');
    } finally {
      await one.end();
    }
  });

  it('is retried with exactly the facts that were confirmed, even if others match the name', async () => {
    const one = await house();
    try {
      const { body: plan } = await one.call('POST', '/erasures/plan', { about: 'Zorbex' });
      const { body } = await one.call('POST', '/erasures', { about: 'Zorbex', digest: plan.digest });
      await cancel(
        one,
        (await until(one, body.number, ({ versions }) => versions[1]?.job_id != null)).versions[1]!.job_id!,
      );
      assert.equal((await over(one, body.number)).state, 'failed');
      await one.changed({ add: [{ input: 'Who sells for Zorbex?', output: 'Dov Tamm' }] });
      const { body: again } = await one.call('POST', `/erasures/${body.number}/retry`, {});
      assert.equal(again.facts, 2);
      const { versions } = await until(one, again.number, (erasure) =>
        erasure.versions.every(({ job_id, outcome }) => job_id !== null || outcome === 'ended'),
      );
      for (const { job_id } of versions) if (job_id) await one.ends(job_id, await one.linesOf(job_id));
      assert.equal((await over(one, again.number)).state, 'published');
      assert.deepEqual(Object.keys(await one.facts()).sort(), ['Who runs Ultrafen?', 'Who sells for Zorbex?']);
    } finally {
      await one.end();
    }
  });
});
