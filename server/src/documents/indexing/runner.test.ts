// Scheduling of indexes: deletions do not wait for builds, and builds take turns.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Refusal } from '@lorekeep/contract';
import type { Caller } from '../../auth/caller.ts';
import { until } from '../../testing/until.ts';
import { type Site, sitesOfSuite } from '../testing/workplace.ts';
import { maxConcurrentBuilds } from './turns.ts';

/** Number of passages that takes several embedding calls. */
const manyPassages = 600;

/** A document in which every section is a passage. */
const sections = (name: string, count: number) =>
  Array.from({ length: count }, (_, at) => `## Section ${at} of ${name}\n\nIt plays piece ${at * 977}.\n`).join('\n');

const untilAborted = async (gate: Promise<void>, signal: AbortSignal) => {
  // A turn may end before its texts are embedded, and a listener misses earlier events.
  if (signal.aborted) return;
  const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  await Promise.race([gate, aborted]);
};

describe('several indexes at once', () => {
  const open = sitesOfSuite();
  const status = async ({ indexes, caller }: Site, id: number) => (await indexes.show(caller, id)).status;
  const atRest = async (one: Site, id: number) =>
    await until(`index ${id} is at rest`, async () =>
      ['COMPLETED', 'PARTIALLY COMPLETED', 'FAILED', 'CANCELLED'].includes(await status(one, id)),
    );

  /** Two builds that run until the test lets them end. */
  async function busy() {
    const gate = Promise.withResolvers<void>();
    const signals = new Set<AbortSignal>();
    const one = await open({
      onEmbed: async (texts, signal) => {
        if (!texts.some((text) => text.includes('of large'))) return;
        signals.add(signal);
        await untilAborted(gate.promise, signal);
      },
    });
    const small = await one.create({ 'a.md': sections('a', 3), 'b.md': sections('b', 3) });
    one.runner.start();
    await atRest(one, small);
    const large = [
      await one.create({ 'large.md': sections('large one', 100) }),
      await one.create({ 'large.md': sections('large two', 100) }),
    ];
    await until('both are built', async () => signals.size === 2);
    return { one, small, large, gate };
  }

  it('can be deleted, cancelled and lose files while others are built', async () => {
    const { one, small, large, gate } = await busy();
    const { caller, indexes, files, vectors } = one;
    const [file] = (await files.list(caller, small, 10, undefined)).files;
    assert.equal(await files.delete(caller, small, file!.id), true);
    await atRest(one, small);
    const waiting = await one.create({ 'c.md': sections('c', 3) });
    const { index, stopped } = await indexes.cancel(caller, waiting);
    assert.deepEqual([index.status, stopped], ['CANCELLED', true]);
    assert.equal(await indexes.delete(caller, small), true);
    for (const id of large) assert.equal(await status(one, id), 'LOADING DATA');
    // An index that is being built can be deleted, too.
    assert.equal(await indexes.delete(caller, large[0]!), true);
    gate.resolve();
    await atRest(one, large[1]!);
    assert.deepEqual(await vectors.tables(), [
      (await one.store.db.selectFrom('indexes').select('vectors').where('id', '=', large[1]!).executeTakeFirst())!
        .vectors,
    ]);
    assert.deepEqual(one.errors, []);
  });

  it('share the slots of an account by time slices', async () => {
    const gate = Promise.withResolvers<void>();
    const begun = new Set<AbortSignal>();
    // Longer than a small index takes even on a busy machine, since turns without progress double their slice.
    const one = await open({
      slice: 2000,
      onEmbed: async (texts, signal) => {
        if (!texts.some((text) => text.includes('of large'))) return;
        begun.add(signal);
        await untilAborted(gate.promise, signal);
      },
    });
    one.runner.start();
    const large = [
      await one.create({ 'large.md': sections('large one', 300) }),
      await one.create({ 'large.md': sections('large two', 300) }),
    ];
    await until('both are built', async () => begun.size >= 2);
    const small = await one.create({ 'a.md': sections('a', 3) });
    await atRest(one, small);
    for (const id of large) assert.equal(await status(one, id), 'LOADING DATA');
    gate.resolve();
    for (const id of large) await atRest(one, id);
    for (const id of [...large, small]) assert.equal(await status(one, id), 'COMPLETED');
    for (const id of large) {
      const { passages } = (await one.indexes.show(one.caller, id)).progress;
      const { vectors } = (await one.indexStore.show(id))!;
      assert.deepEqual([passages, await one.vectors.count(vectors)], [300, 300]);
    }
    assert.deepEqual(one.errors, []);
  });

  it('leave slots to other accounts', async () => {
    const gate = Promise.withResolvers<void>();
    let begun = 0;
    const one = await open({
      onEmbed: async (texts, signal) => {
        if (!texts.some((text) => text.includes('of large'))) return;
        begun++;
        await untilAborted(gate.promise, signal);
      },
    });
    one.runner.start();
    const large: number[] = [];
    for (let at = 0; at < maxConcurrentBuilds; at++)
      large.push(await one.create({ 'large.md': sections(`large ${at}`, 40) }));
    await until('some are built', async () => begun >= 2);
    const other = await one.another();
    const small = await one.create({ 'a.md': sections('a', 3) }, other);
    await until('the other one is through', async () => (await one.indexes.show(other, small)).status === 'COMPLETED');
    gate.resolve();
    for (const id of large) await atRest(one, id);
    assert.deepEqual(one.errors, []);
  });

  it('yield to a new account when all slots are taken', async () => {
    const gate = Promise.withResolvers<void>();
    const begun = new Set<AbortSignal>();
    // Long enough for a reader process to start in it: a turn without progress would start another.
    const one = await open({
      slice: 1000,
      onEmbed: async (texts, signal) => {
        if (!texts.some((text) => text.includes('of large'))) return;
        begun.add(signal);
        await untilAborted(gate.promise, signal);
      },
    });
    one.runner.start();
    const large: [Caller, number][] = [];
    for (let at = 0; at <= maxConcurrentBuilds; at++) {
      const caller = await one.another();
      large.push([caller, await one.create({ 'large.md': sections(`large ${at}`, 40) }, caller)]);
    }
    await until('each had its turn', async () => begun.size > maxConcurrentBuilds);
    gate.resolve();
    for (const [caller, id] of large)
      await until('it is through', async () => (await one.indexes.show(caller, id)).status === 'COMPLETED');
    assert.deepEqual(one.errors, []);
  });

  it('report the file being read with its start time, and when it waits again', async () => {
    const gate = Promise.withResolvers<void>();
    const one = await open({ onEmbed: async (_, signal) => await untilAborted(gate.promise, signal) });
    const names = { 'long.md': sections('long', manyPassages), 'next.md': sections('next', 2 * manyPassages) };
    const id = await one.create(names);
    const shown = async () => (await one.files.list(one.caller, id, 10, undefined)).files;
    const before = Date.now();
    one.runner.start();
    await until('it is said', async () => (await shown())[0]!.state === 'reading');
    const [long, next] = await shown();
    assert.ok(Date.parse(long!.started_at!) >= before - 1 && Date.parse(long!.started_at!) <= Date.now());
    assert.deepEqual([next!.state, next!.started_at], ['waiting', null]);
    await one.runner.stop();
    assert.deepEqual(
      (await shown()).map(({ state, started_at }) => [state, started_at]),
      [
        ['waiting', null],
        ['waiting', null],
      ],
    );
  });

  it('finish a file that takes longer than a time slice', async () => {
    const one = await open({ slice: 200 });
    one.runner.start();
    const ids: number[] = [];
    // Slow to read, with hardly any passages.
    for (let at = 0; at < 2; at++) ids.push(await one.create({ 'slow.md': '*a _b '.repeat(25_000), 'b.md': `${at}` }));
    for (const id of ids) await atRest(one, id);
    for (const id of ids) assert.equal(await status(one, id), 'COMPLETED');
    assert.deepEqual(one.errors, []);
  });

  it('drop files that are removed while others are read', async () => {
    const [first, last] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let embedded = 0;
    const one = await open({
      onEmbed: async (texts) => {
        embedded += texts.length;
        if (texts.some((text) => text.includes('of long'))) await first.promise;
        if (texts.some((text) => text.includes('of last'))) await last.promise;
      },
    });
    const removing = one.indexStore.removing.bind(one.indexStore);
    const seen = Promise.withResolvers<void>();
    one.indexStore.removing = async (ids) => {
      const found = await removing(ids);
      if (found.size > 0) setImmediate(() => seen.resolve());
      return found;
    };
    one.runner.start();
    const names = ['long', 'next', 'last'];
    const id = await one.create(Object.fromEntries(names.map((name) => [`${name}.md`, sections(name, manyPassages)])));
    await until('the first is read', async () => embedded > 0);
    const { files } = await one.files.list(one.caller, id, 10, undefined);
    const gone = files.slice(0, 2).map(async (file) => await one.files.delete(one.caller, id, file.id));
    await seen.promise;
    first.resolve();
    assert.deepEqual(await Promise.all(gone), [true, true]);
    assert.equal(await status(one, id), 'LOADING DATA');
    last.resolve();
    await atRest(one, id);
    assert.deepEqual(
      (await one.files.list(one.caller, id, 10, undefined)).files.map(({ name, state, passages }) => [
        name,
        state,
        passages,
      ]),
      [['last.md', 'done', manyPassages]],
    );
    const { vectors } = (await one.indexStore.show(id))!;
    assert.equal(await one.vectors.count(vectors), manyPassages);
    assert.deepEqual(await one.vectors.tables(), [vectors]);
    assert.equal(await one.indexStore.file(files[0]!.id).catch(() => 'gone'), 'gone');
    assert.deepEqual(one.errors, []);
  });

  it('fail only the file that the engine refuses', async () => {
    const one = await open({
      onEmbed: (texts) => {
        if (texts.some((text) => text.includes('piece 0.') && text.includes('of bad')))
          throw new Refusal('prompt_empty', { which: '' });
      },
    });
    one.runner.start();
    const id = await one.create({
      'good.md': sections('good', 5),
      'bad.md': sections('bad', 5),
      'fine.md': sections('fine', 5),
    });
    await atRest(one, id);
    const { files } = await one.files.list(one.caller, id, 10, undefined);
    assert.deepEqual(
      files.map(({ name, state, passages }) => [name, state, passages]),
      [
        ['good.md', 'done', 5],
        ['bad.md', 'failed', 0],
        ['fine.md', 'done', 5],
      ],
    );
    assert.match(files[1]!.reason!, /^a part of it cannot be embedded: /);
    assert.equal(await one.vectors.count((await one.indexStore.show(id))!.vectors), 10);
  });

  it('fail as a whole if nothing can be embedded', async () => {
    const one = await open({
      onEmbed: () => {
        throw new Refusal('model_not_found', { name: 'gone' });
      },
    });
    one.runner.start();
    const id = await one.create({ 'a.md': sections('a', 5), 'b.md': sections('b', 5) });
    await atRest(one, id);
    assert.equal(await status(one, id), 'FAILED');
    const { files } = await one.files.list(one.caller, id, 10, undefined);
    for (const { reason } of files) assert.match(reason!, /gone/);
  });

  it('do not fail a file when the engine crashes in the middle of it', async () => {
    let calls = 0;
    const one = await open({
      onEmbed: () => {
        if (++calls > 1) throw new Refusal('model_not_found', { name: 'gone' });
      },
    });
    one.runner.start();
    const id = await one.create({ 'a.md': sections('a', manyPassages) });
    await atRest(one, id);
    const { files } = await one.files.list(one.caller, id, 10, undefined);
    assert.match(files[0]!.reason!, /gone/);
    assert.deepEqual(one.errors, []);
  });

  it('do not fail a file when the vector store fails', async () => {
    const one = await open();
    one.vectors.add = async () => {
      throw new Error('the disk is full');
    };
    const id = await one.create({ 'a.md': sections('a', manyPassages) });
    one.runner.start();
    await until('it is told', async () => one.errors.length > 0);
    const { files } = await one.files.list(one.caller, id, 10, undefined);
    assert.deepEqual([files[0]!.state, files[0]!.reason], ['waiting', null]);
    assert.deepEqual(one.errors.map(String), ['Error: the disk is full']);
  });

  it('are calibrated when the engine is back, with the files added meanwhile', async () => {
    const passed = new Set<string>();
    const one = await open({
      onEmbed: async (texts) => {
        // The calibration questions, which are in no document.
        if (texts.some((text) => text.includes('## ') || text.includes('It plays')) || passed.has('measuring')) return;
        passed.add('measuring');
        await one.files.add(one.caller, id, { files: await one.received({ 'b.md': sections('b', 5) }), metadata: {} });
        throw new Refusal('engine_unavailable', { reason: 'it is starting again' });
      },
    });
    const id = await one.create({ 'a.md': sections('a', 5) });
    one.runner.start();
    await atRest(one, id);
    const { files } = await one.files.list(one.caller, id, 10, undefined);
    assert.deepEqual([passed.size, ...files.map(({ state }) => state)], [1, 'done', 'done']);
    assert.deepEqual(one.errors, []);
  });

  it('complete even if the calibration is impossible', async () => {
    const one = await open({
      onEmbed: (texts) => {
        if (!texts.some((text) => text.includes('It plays'))) throw new Refusal('model_not_found', { name: 'gone' });
      },
    });
    one.runner.start();
    const id = await one.create({ 'a.md': sections('a', 5) });
    await atRest(one, id);
    const { status: state, threshold } = await one.indexes.show(one.caller, id);
    assert.deepEqual([state, threshold], ['COMPLETED', null]);
    assert.deepEqual(one.errors, []);
  });

  it('back off if even their failure cannot be written', async () => {
    const one = await open({
      onEmbed: () => {
        throw new Refusal('model_not_found', { name: 'gone' });
      },
    });
    const { lease } = one.indexStore;
    const ways: string[] = [];
    lease.release = async () => void ways.push('at once');
    lease.releaseLater = () => void ways.push('later');
    one.indexStore.dropPassages = async () => {
      throw new Error('the database is away');
    };
    await one.create({ 'a.md': sections('a', 5) });
    one.runner.start();
    await until('it is let go of', async () => ways.length > 0);
    assert.deepEqual(ways, ['later']);
    assert.deepEqual(one.errors.map(String), ['Error: the database is away']);
  });

  it('keep a table that is being copied although another server sweeps', async () => {
    const one = await open();
    const other = await open({ home: one.home });
    one.runner.start();
    const id = await one.create({ 'a.md': sections('a', 1), 'b.md': sections('b', manyPassages) });
    await atRest(one, id);
    const purge = one.vectors.purge.bind(one.vectors);
    let between: string[] = [];
    one.vectors.purge = async (table, fresh) => {
      const left = await purge(table, fresh);
      // The other server sweeps while the record of the new table is not written yet.
      await other.runner.sweep();
      between = await one.vectors.tables();
      return left;
    };
    const [file] = (await one.files.list(one.caller, id, 10, undefined)).files;
    assert.equal(await one.files.delete(one.caller, id, file!.id), true);
    await atRest(one, id);
    assert.equal(between.length, 2);
    const { vectors, vectors_spare } = (await one.indexStore.show(id))!;
    assert.equal(vectors_spare, null);
    assert.deepEqual([await one.vectors.tables(), await one.vectors.count(vectors)], [[vectors], manyPassages]);
  });

  it('report requests that time out before they are carried out', async () => {
    const one = await open({ timeoutMs: 10 });
    // No server works on it here.
    await one.runner.stop();
    const id = await one.create({ 'a.md': sections('a', 3) });
    const { files, indexes, caller } = one;
    const [file] = (await files.list(caller, id, 10, undefined)).files;
    assert.equal((await files.untilRead(caller, id, file!.id)).through, false);
    assert.equal((await indexes.cancel(caller, id)).stopped, false);
    assert.equal(await files.delete(caller, id, file!.id), false);
    assert.equal(await indexes.delete(caller, id), false);
  });
});
