// lorekeep memory add and change on a real server: a contradiction is shown with both facts before anything is changed.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { noEngine } from '../../server/src/erasures/testing/no-engine.ts';
import { House } from '../../server/src/memories/testing/house.ts';
import { emptySqlite } from '../../server/src/testing/databases.ts';
import { adminKey } from '../../server/src/testing/server.ts';
import { onTerminal, run } from './testing/program.ts';

const founder = { input: 'Who founded Zorbex?', output: 'Ada Quist' };

describe('lorekeep memory add', () => {
  let house: House;
  let environment: Record<string, string>;
  before(async () => {
    house = await House.of(emptySqlite, [founder, { input: 'Where is Zorbex?', output: 'Oslo' }], noEngine());
    environment = { LOREKEEP_BASE_URL: house.server.url, LOREKEEP_API_KEY: adminKey };
  });
  after(async () => await house.end());

  const changes = async () => (await house.get('/changes')).changes.length;
  const add = ['memory', 'add', 'house', 'Who  founded Zorbex?', 'Lu Hart'];

  it('refuses a contradiction in a script, with both facts, sources, dates and the flag', async () => {
    const before = await changes();
    const { code, out, error } = await run([...add, '--document', 'board.pdf', '--page', '3'], environment);
    assert.deepEqual([code, out], [1, '']);
    assert.match(error, /now: Who founded Zorbex\?\s+Ada Quist\s+source: .*since version 1, 20\d\d-/);
    assert.match(error, /new: Who {2}founded Zorbex\?\s+Lu Hart\s+source: document, board\.pdf, page 3, 20\d\d-/);
    assert.match(error, /Nothing was changed\. --replace/);
    assert.doesNotMatch(error, /--beside/, 'a question has one answer');
    const told = JSON.parse((await run([...add, '--json'], environment)).error);
    assert.equal(told.error.code, 'contradiction');
    assert.equal(await changes(), before);
  });

  it('asks a person at a terminal, who keeps or replaces the current fact', { timeout: 60_000 }, async () => {
    const before = await changes();
    const keeps = onTerminal(add, environment);
    await keeps.until(/keep the current fact:/);
    keeps.type('what\n');
    await keeps.until(/keep the current fact:.*keep the current fact:/s);
    keeps.type('k\n');
    assert.equal(await keeps.ended, 130, keeps.output());
    assert.match(keeps.output(), /Nothing was changed/);
    const stops = onTerminal(add, environment);
    await stops.until(/keep the current fact:/);
    stops.type('\x03');
    assert.equal(await stops.ended, 130, stops.output());
    assert.equal(await changes(), before);

    const replaces = onTerminal(add, environment);
    await replaces.until(/keep the current fact:/);
    replaces.type('r\n');
    assert.equal(await replaces.ended, 0, replaces.output());
    const change = await house.taught(2);
    assert.deepEqual([change.changed, change.added, change.state], [1, 0, 'published']);
    assert.equal((await house.facts())[founder.input], 'Lu Hart');
  });

  it('takes the decision from a flag, and adds a fact without contradictions at once', async () => {
    const replaced = await run(['memory', 'add', 'house', founder.input, 'Ben Oru', '--replace'], environment);
    assert.deepEqual([replaced.code, replaced.error], [0, '']);
    await house.taught(3);
    assert.equal((await house.facts())[founder.input], 'Ben Oru');
    const fresh = await run(['memory', 'add', 'house', 'Who runs Zorbex?', 'Cleo Marsh'], environment);
    assert.deepEqual([fresh.code, fresh.error], [0, '']);
    await house.taught(4);
    const same = await run(['memory', 'add', 'house', founder.input, 'Lu Hart', '--beside'], environment);
    assert.equal(same.code, 1, 'the question has an answer');
    const both = await run([...add, '--beside', '--replace'], environment);
    assert.equal(both.code, 2, both.error);
  });

  it('does not report the old answer of a changed fact as a contradiction', async () => {
    const { code, error } = await run(['memory', 'change', 'house', 'Where is Zorbex?', 'Bergen'], environment);
    assert.deepEqual([code, error], [0, '']);
    await house.taught(5);
    assert.equal((await house.facts())['Where is Zorbex?'], 'Bergen');
  });

  it('lists proposals with source and date of the current fact and the vote, also for a read-only key', async () => {
    const key = await house.server.call('POST', '/v1/keys', { body: { name: 'reader', scopes: ['read'] } });
    const vote = { answer_id: `chatcmpl-${'a'.repeat(32)}`, rating: 'down', expected: 'Bodo', comment: 'it moved' };
    const asked = { model: 'house', input: 'Where is Zorbex?' };
    await house.server.call('POST', '/v1/feedback', { body: { ...vote, ...asked } });
    const reader = { ...environment, LOREKEEP_API_KEY: key.body.key };
    const { code, out, error } = await run(['memory', 'proposals', 'house'], reader);
    assert.equal(code, 0, error);
    assert.match(out, /now: Bergen\n\s+source: change 5, since version 5, 20\d\d-\d\d-\d\dT/);
    assert.match(out, /asked: Where is Zorbex\?\n {2}comment of operator: it moved/);
  });
});
