// Memories and tuned models that move to another precision of their base, on the real engine: to another model, or to new
// weights under the same name.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import type { MemoryChange, TuningJob } from '@lorekeep/contract';
import { run } from '../../../cli/src/testing/program.ts';
import { onDatabase, type TestDatabase } from '../testing/databases.ts';
import { untilReady } from '../testing/engine.ts';
import { otherQuill, quantizedQuill } from '../testing/quill.ts';
import { adminKey, startServer, type TestServer, withEngine } from '../testing/server.ts';
import { answered, assertRecalls, facts, jobOver, submit } from '../testing/tuning.ts';
import { changeOver } from './testing/change-over.ts';

onDatabase('memories that move', 'PostgreSQL', (make) => {
  let database: TestDatabase;
  let server: TestServer;
  const taught = facts(6);
  const eight = 'org/quill-int8';

  before(async () => {
    database = await make();
    server = await startServer({ database_url: database.url, slots: '1' }, withEngine);
    await quantizedQuill(server.home, eight, 'int8');
    await otherQuill(server.home, 'org/lower', { num_hidden_layers: 5 });
    await untilReady(server);
    const { job_id } = await submit(server, { data: taught });
    await server.call('POST', '/v1/memories', { body: { name: 'house', job_id } });
    await jobOver(server, job_id);
    await published(1);
  });
  after(async () => {
    await server.end();
    await database.drop();
  });

  const post = async (path: string, body: object = {}) =>
    await server.call('POST', `/v1/memories/house${path}`, { body });
  const get = async (path: string) => (await server.call('GET', `/v1/memories/house${path}`)).body;

  async function published(number: number): Promise<MemoryChange> {
    const change = await changeOver(server, number);
    assert.equal(change.state, 'published', JSON.stringify(change));
    return change;
  }
  /** The job of a change that was ordered, once its version is published. */
  async function jobOf({ status, body }: { status: number; body: MemoryChange }): Promise<TuningJob> {
    assert.equal(status, 200, JSON.stringify(body));
    const { job_id } = await published(body.number);
    return (await server.call('GET', `/v1/train/jobs/${job_id}`)).body;
  }

  it('are refused with the reason before anything is queued', async () => {
    const before = (await server.call('GET', '/v1/train/jobs')).body;
    for (const [base_model, status, code, told] of [
      [undefined, 409, 'base_same', /house is on the base lorekeep\/quill already/],
      ['org/lower', 400, 'base_misfit', /lorekeep\/quill.*org\/lower: there are 5 layers instead of (?:2|10)\./],
      ['org/none', 594, 'model_not_found', /org\/none/],
      ['house', 400, 'base_is_tuned', /house/],
      ['sentence-transformers/all-MiniLM-L6-v2', 400, 'model_of_other_kind', /MiniLM/],
    ] as const) {
      for (const path of ['/v1/memories/house/move', '/v1/models/house/move']) {
        const refused = await server.call('POST', path, { body: { base_model } });
        assert.deepEqual([refused.status, refused.body.code], [status, code], JSON.stringify(refused.body));
        assert.match(refused.body.detail, told);
      }
    }
    const late = await post('/move', { base_model: eight, expected_version: 7 });
    assert.equal(late.body.code, 'memory_changed');
    const { key } = await server.member('another team');
    const stranger = await server.call('POST', '/v1/memories/house/move', { key, body: { base_model: eight } });
    assert.equal(stranger.body.code, 'memory_not_found');
    assert.deepEqual((await server.call('GET', '/v1/train/jobs')).body, before);
    assert.equal((await get('/changes')).changes.length, 1);
  });

  it('take over facts that are recited on the new base, teach the others again, and answer', async (t) => {
    const job = await jobOf(await post('/move', { base_model: eight, reason: 'less memory' }));
    const { move, facts_recalled } = job.progress;
    assert.deepEqual([job.base_model, facts_recalled], [eight, 6]);
    assert.equal(move!.facts_taken_over + move!.facts_taught_again, 6);
    assert.ok(move!.facts_taken_over > 0, JSON.stringify(move));
    t.diagnostic(`to 8 bits: ${JSON.stringify(move)}`);
    const change = await get('/changes/2');
    assert.deepEqual(
      [change.kind, change.base_model, change.from_version, change.version, change.reason],
      ['move', eight, 1, 2, 'less memory'],
    );
    assert.deepEqual([(await get('')).base_model, (await get('')).version], [eight, 2]);
    await assertRecalls(server, 'house', taught);
    const { report } = (await server.call('GET', '/v1/models/house')).body;
    assert.deepEqual(report.move, move);
    const { rows } = (await server.call('GET', '/v1/audit?action=memory.change_ordered')).body;
    assert.equal(rows[0].details.base_model, eight);
  });

  it('are changed on their current base, and move back to an earlier one', async () => {
    const added = { input: 'Who runs Ultrafen?', output: 'Cleo Marsh' };
    const job = await jobOf(await post('/changes', { add: [added] }));
    assert.deepEqual([job.base_model, job.progress.move], [eight, null]);
    assert.ok(job.progress.experts_reused > 0);
    const { body } = await post('/publish', { version: 1 });
    assert.deepEqual([body.version, body.base_model], [1, 'lorekeep/quill']);
    await assertRecalls(server, 'house', taught.slice(0, 2));
    assert.equal((await post('/publish', { version: 3 })).body.base_model, eight);
    // On its first base it reuses the experts that were made there.
    const back = await jobOf(await post('/move', { base_model: 'lorekeep/quill' }));
    assert.equal(back.progress.experts_total - back.progress.experts_reused <= 1, true, JSON.stringify(back.progress));
    await assertRecalls(server, 'house', [...taught, added]);
    await post('/publish', { version: 3 });
  });

  it('erase a fact from all versions, also from those on other bases', async () => {
    const { body } = await post('/erasures', { inputs: [taught[0]!.input] });
    await published(body.number);
    const { receipt } = (await server.call('GET', '/v1/receipts/1')).body;
    assert.equal(receipt.gone, true, JSON.stringify(receipt.versions));
    assert.equal((await server.call('GET', '/v1/receipts/1/verify')).body.sound, true);
    for (const version of [1, 2, 3]) {
      const verified = await post(`/versions/${version}/verify`, { experts: 20, seed: 1 });
      assert.equal(verified.body.sound, true, JSON.stringify(verified.body));
      assert.deepEqual([verified.body.note, verified.body.compared.length], [null, verified.body.experts]);
    }
    await assertRecalls(server, 'house', taught.slice(1));
  });

  it('move to the new weights under the name of their base', async (t) => {
    const path = `/v1alpha/downloaded_models/${eight}`;
    assert.equal((await server.call('DELETE', path)).status, 200);
    await quantizedQuill(server.home, eight, 'int4');
    const lost = await server.call('POST', '/v1/completions', {
      body: { model_name: 'house', prompt: taught[1]!.input },
    });
    assert.match(JSON.stringify(lost.body), /model_unusable|model_loading/);
    const words = ['memory', 'move', 'house', '--reason', 'brought again', '-w'];
    const done = await run(words, { LOREKEEP_BASE_URL: server.url, LOREKEEP_API_KEY: adminKey });
    assert.equal(done.code, 0, done.error);
    const { version: moved, changes_open } = await get('');
    assert.deepEqual([done.out.trim(), changes_open], [String(moved), 0]);
    const [change] = (await get('/changes')).changes;
    const { move } = (await server.call('GET', `/v1/train/jobs/${change.job_id}`)).body.progress;
    assert.equal(move.facts_taken_over + move.facts_taught_again, 6, JSON.stringify(move));
    t.diagnostic(`to 4 bits: ${JSON.stringify(move)}`);
    await assertRecalls(server, 'house', taught.slice(1));
    assert.equal((await post('/move')).body.code, 'base_same');
    // Experts that were trained on the replaced weights are left out.
    const { version } = await get('');
    const verified = await post(`/versions/${version}/verify`, { experts: 20, seed: 1 });
    assert.equal(verified.body.sound, true, JSON.stringify(verified.body));
  });

  it('do not include tuned models, which move separately and keep their names', async () => {
    const { job_id } = await submit(server, { data: taught, custom_model_name: 'mobile' });
    await jobOver(server, job_id);
    const words = ['models', 'move', 'mobile', eight, '-w'];
    const done = await run(words, { LOREKEEP_BASE_URL: server.url, LOREKEEP_API_KEY: adminKey });
    assert.equal(done.code, 0, done.error);
    const { body } = await server.call('GET', '/v1/models/mobile');
    assert.equal(body.base_model, eight);
    assert.equal(body.report.move.facts_taken_over + body.report.move.facts_taught_again, 6);
    await assertRecalls(server, 'mobile', taught);
    const explained = await answered(server, { model_name: 'mobile', prompt: taught[1]!.input, explain: true });
    assert.equal(explained.memory.outcome, 'recite');
    const { rows } = (await server.call('GET', '/v1/audit?action=model.move_ordered')).body;
    assert.deepEqual([rows[0].details.from, rows[0].details.base], ['lorekeep/quill', eight]);
  });
});
