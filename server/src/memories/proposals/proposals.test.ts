// Proposals over HTTP on real databases.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, it } from 'node:test';
import type { MemoryFact, Proposal } from '@lorekeep/contract';
import { onDatabase } from '../../testing/databases.ts';
import type { TestServer } from '../../testing/server.ts';
import { House } from '../testing/house.ts';

const first = [
  { input: 'Who founded Zorbex?', output: 'Ada Quist' },
  { input: 'Where is Zorbex?', output: 'Oslo' },
];

onDatabase('proposals', 'PostgreSQL', (make) => {
  let server: TestServer;
  let house: House;
  beforeEach(async () => {
    house = await House.of(make, first);
    ({ server } = house);
  });
  afterEach(async () => await house.end());

  const propose = async (...proposals: object[]) => (await house.post('/proposals', { proposals })).body;
  const listed = async (query = ''): Promise<Proposal[]> => (await house.get(`/proposals?${query}`)).proposals;
  const states = async () => (await listed('state=all')).map(({ state }) => state);
  const boss = { input: 'Who runs Zorbex?', output: 'Ben Oru' };

  it('are stored once, shown beside the current facts, and not stored if the memory has the fact', async () => {
    const source = { document: 'staff.pdf', page: 3, conversation: 'c-17' };
    const given = { ...boss, kind: 'document', quote: 'Since May, Ben\nOru runs it.', source, confidence: 0.9 };
    const made = await propose(given, { ...boss, input: ' Who runs  Zorbex?' }, first[0]!, { input: 'Who else?' });
    assert.deepEqual(made, {
      created: 1,
      proposals: [
        { outcome: 'created', number: 1 },
        { outcome: 'open', number: 1 },
        { outcome: 'known', number: null },
        { outcome: 'known', number: null },
      ],
    });
    const moved = { kind: 'document', input: 'Where is Zorbex?', output: 'Bergen' };
    await propose(moved, { ...moved, output: 'Tromso' }, { ...moved, kind: 'person', output: 'Bodo' });
    const all = await listed();
    assert.deepEqual(
      all.map(({ kind }) => kind),
      ['document', 'conflict', 'conflict', 'person'],
    );
    const [plain, conflict] = all as [Proposal, Proposal];
    assert.deepEqual(plain.source, { ...source, index_id: null, file_id: null });
    assert.deepEqual([plain.quote, plain.confidence, plain.stands, plain.by], [given.quote, 0.9, [], 'operator']);
    assert.deepEqual(
      conflict.stands.map(({ output, since_version }: MemoryFact) => [output, since_version]),
      [['Oslo', 1]],
    );
    assert.deepEqual(conflict.others, [3, 4]);
    assert.deepEqual(await house.get('/proposals/2'), conflict);
  });

  it('refer to the fact whose question differs only in case, punctuation or white space', async () => {
    const written = { input: 'who founded  the zorbex', output: 'Ada Quist' };
    const said = { kind: 'document', input: 'Who founded Zorbex?', output: 'Ada Quist.' };
    const made = await propose(
      written,
      said,
      { input: 'where is ZORBEX?', output: 'Bergen' },
      { input: 'where is zorbex' },
    );
    assert.deepEqual(
      made.proposals.map(({ outcome }: { outcome: string }) => outcome),
      ['known', 'known', 'created', 'known'],
    );
    const [one] = await listed();
    assert.deepEqual([one!.withdraws, one!.stands.map(({ output }) => output)], ['Where is Zorbex?', ['Oslo']]);
    const facts = [
      { input: 'where is zorbex', output: 'Bergen' },
      { input: 'WHO FOUNDED ZORBEX?', output: 'Ada Quist' },
      { input: 'Who runs Zorbex?', output: 'Ben Oru' },
      { input: 'who runs zorbex', output: 'Cleo Marsh' },
    ];
    const { conflicts, known, fresh } = (await house.post('/conflicts', { facts })).body;
    assert.deepEqual(
      conflicts.map(({ at, others, stands }: { at: number; others: number[]; stands: MemoryFact | null }) => [
        at,
        others,
        stands?.input,
      ]),
      [
        [0, [], 'Where is Zorbex?'],
        [2, [3], undefined],
        [3, [2], undefined],
      ],
    );
    assert.deepEqual([known, fresh], [[1], []]);
    await house.post('/proposals/accept', { proposals: [{ number: 1 }] });
    await house.taught(2);
    assert.deepEqual(await house.facts(), { 'Who founded Zorbex?': 'Ada Quist', 'where is ZORBEX?': 'Bergen' });
  });

  it('become one change of the memory when they are accepted, edited or not', async () => {
    await propose(boss, { input: 'Where is Zorbex?', output: 'Bergen' }, { input: 'Who founded Zorbex?' });
    const accepted = await house.post('/proposals/accept', {
      proposals: [{ number: 1 }, { number: 2, output: 'Bergen, Norway' }, { number: 3 }],
      reason: 'they moved',
    });
    assert.equal(accepted.status, 200, JSON.stringify(accepted.body));
    const { number, added, changed, withdrawn, reason } = accepted.body;
    assert.deepEqual([number, added, changed, withdrawn, reason], [2, 1, 1, 1, 'they moved']);
    assert.equal((await house.taught(2)).state, 'published');
    assert.deepEqual(await house.facts(), { 'Who runs Zorbex?': 'Ben Oru', 'Where is Zorbex?': 'Bergen, Norway' });
    const all = await listed('state=all');
    assert.deepEqual(
      all.map(({ state, change, decided_by }) => [state, change, decided_by]),
      [
        ['accepted', 2, 'operator'],
        ['edited', 2, 'operator'],
        ['accepted', 2, 'operator'],
      ],
    );
    assert.deepEqual(all[1]!.accepted, { input: 'Where is Zorbex?', output: 'Bergen, Norway' });
    assert.equal((await listed('change=2&state=edited')).length, 1);
    const again = await house.post('/proposals/accept', { proposals: [{ number: 1 }] });
    assert.deepEqual([again.status, again.body.code], [409, 'proposal_decided']);
    assert.match(again.body.detail, /accepted already, by operator \(change 2\)/);
    assert.equal((await propose(boss)).proposals[0].outcome, 'known');
    const { rows } = (await server.call('GET', '/v1/audit?action=proposals')).body;
    assert.deepEqual(
      rows.map(({ action }: { action: string }) => action),
      ['proposals.accepted', 'proposals.created'],
    );
    assert.ok(!JSON.stringify(rows).includes('Bergen'));
    assert.equal((await server.call('GET', '/v1/audit/verify')).body.sound, true);
  });

  it('replace a fact that asks the same in other words', async () => {
    await propose({ input: 'In which city is Zorbex?', output: 'Bergen', withdraws: 'Where is Zorbex?' });
    assert.equal((await listed())[0]!.stands[0]!.output, 'Oslo');
    await house.post('/proposals/accept', { proposals: [{ number: 1 }] });
    await house.taught(2);
    assert.deepEqual(await house.facts(), { 'Who founded Zorbex?': 'Ada Quist', 'In which city is Zorbex?': 'Bergen' });
  });

  it('replace another fact that the reviewer names, and refuse one that is not there', async () => {
    await propose(
      { input: 'In which city is Zorbex?', output: 'Bergen' },
      { input: 'Where is Zorbex?', output: 'Bodo' },
    );
    await propose({ input: 'Who founded Zorbex?' });
    const accept = async (...proposals: object[]) => (await house.post('/proposals/accept', { proposals })).body;
    const unknown = await accept({ number: 1, replaces: 'Where is Zorbexx?' });
    assert.deepEqual(
      [unknown.code, unknown.detail[0].loc],
      ['proposals_invalid', ['body', 'proposals', 0, 'replaces']],
    );
    assert.match(unknown.detail[0].msg, /there is no fact with the question "Where is Zorbexx\?"/);
    const both = await accept({ number: 1, replaces: 'Where is Zorbex?' }, { number: 2 });
    assert.match(both.detail[0].msg, /the proposal 1 replaces the fact that the proposal 2 changes/);
    const nothing = await accept({ number: 3, replaces: 'Where is Zorbex?' });
    assert.match(nothing.detail[0].msg, /the proposal 3 withdraws a fact, and takes the place of none/);
    assert.deepEqual(await states(), ['open', 'open', 'open']);
    const change = await accept({ number: 1, replaces: ' Where is  Zorbex?' });
    assert.deepEqual([change.added, change.withdrawn], [1, 1]);
    await house.taught(2);
    assert.deepEqual(await house.facts(), { 'Who founded Zorbex?': 'Ada Quist', 'In which city is Zorbex?': 'Bergen' });
  });

  it('are open again when their change fails', async () => {
    await propose(boss);
    await house.post('/proposals/accept', { proposals: [{ number: 1, output: 'Ben Oru jr.' }] });
    assert.deepEqual((await propose(boss)).proposals, [{ outcome: 'open', number: 1 }], 'its change is not over');
    assert.deepEqual(await states(), ['edited']);
    assert.equal((await house.failed(2)).state, 'failed');
    const [back] = await listed();
    assert.deepEqual([back!.state, back!.change, back!.accepted, back!.decided_by], ['open', null, null, null]);
  });

  it('can be rejected with a reason, assigned and retracted; a rejected proposal is not stored again', async () => {
    const found = { ...boss, kind: 'document' };
    await propose(found, { input: 'Who else?', output: 'Cleo' }, { input: 'Who then?', output: 'Dora' });
    const assigned = await house.post('/proposals/assign', { numbers: [1, 2], assignee: 'Maya' });
    assert.deepEqual(assigned.body, { proposals: [1, 2] });
    assert.equal((await listed('assignee=Maya')).length, 2);
    assert.equal((await listed('assignee=')).length, 1);
    const refused = await house.post('/proposals/reject', { numbers: [1] });
    assert.equal(refused.body.code, 'validation');
    await house.post('/proposals/reject', { numbers: [1], reason: 'he left' });
    await house.post('/proposals/withdraw', { numbers: [2] });
    assert.deepEqual(await states(), ['rejected', 'withdrawn', 'open']);
    assert.equal((await listed('state=rejected'))[0]!.reason, 'he left');
    assert.deepEqual((await propose(found)).proposals, [{ outcome: 'rejected', number: 1 }]);
    assert.deepEqual((await propose({ ...boss, kind: 'person' })).proposals, [{ outcome: 'created', number: 4 }]);
    const gone = await house.post('/proposals/reject', { numbers: [3, 9], reason: 'so' });
    assert.deepEqual([gone.status, gone.body.code], [404, 'proposal_not_found']);
    assert.deepEqual(await states(), ['rejected', 'withdrawn', 'open', 'open'], 'all or none');
  });

  it('are refused by index if they conflict, and nothing is decided', async () => {
    const moved = { input: 'Where is Zorbex?', output: 'Bergen' };
    await propose(moved, { ...moved, output: 'Tromso' }, boss);
    const accept = async (...proposals: object[]) => (await house.post('/proposals/accept', { proposals })).body;
    const both = await accept({ number: 3 }, { number: 1 }, { number: 2 });
    assert.equal(both.code, 'proposals_invalid');
    assert.deepEqual(both.detail[0].loc, ['body', 'proposals', 2]);
    assert.match(both.detail[0].msg, /the proposal 2 and the proposal 1 are about the same question/);
    assert.match((await accept({ number: 1 }, { number: 1 })).detail[0].msg, /named twice/);
    assert.match((await accept({ number: 1, output: 'Oslo' })).detail[0].msg, /has the fact of the proposal 1 already/);
    assert.deepEqual(await states(), ['open', 'open', 'open']);
    assert.equal((await accept({ number: 1 })).number, 2);
    assert.equal((await accept({ number: 2 })).code, 'fact_in_change');
  });

  it('must match their quote, and refer only to documents of their own account', async () => {
    const refused = async (proposal: object) => {
      const answer = await propose(proposal);
      return answer.code === 'proposals_invalid' ? answer.detail[0].msg : answer.code;
    };
    const unquoted = 'the quote does not contain the answer';
    assert.equal(await refused({ ...boss, quote: 'Ben Orus runs it' }), unquoted);
    assert.equal(await refused({ ...boss, quote: 'ben oru runs it' }), unquoted);
    assert.equal(await refused({ ...boss, source: { index_id: 9 } }), 'there is no index 9');
    assert.equal(await refused({ ...boss, source: { file_id: 9 } }), 'a file_id needs its index_id');
    assert.equal(await refused({ ...boss, confidence: 2 }), 'validation');
    assert.equal(await refused({ input: ' ', output: 'x' }), 'validation');
    assert.equal(await refused({ input: 'What is \0?', output: 'x' }), 'validation');
    const member = await server.member('Support');
    for (const path of ['', '/1'])
      assert.equal(
        (await server.call('GET', `/v1/memories/house/proposals${path}`, { key: member.key })).body.code,
        'memory_not_found',
      );
    const odd = { input: 'What is 100%_?', output: "'; drop table memory_proposals; --" };
    assert.equal((await propose(odd)).created, 1);
    assert.equal((await listed('text=100%25_')).length, 1);
    assert.equal((await listed('text=1000')).length, 0);
    assert.equal((await propose(odd)).proposals[0].outcome, 'open');
  });

  it('report contradictions of new facts and overwrite nothing', async () => {
    const moved = { input: ' Where is  Zorbex?', output: 'Bergen' };
    const facts = [
      moved,
      first[0]!,
      boss,
      { input: 'Who is it?', output: 'Cleo' },
      { input: 'Who is it?', output: 'Dora' },
    ];
    const found = (await house.post('/conflicts', { facts })).body;
    assert.deepEqual([found.known, found.fresh], [[1], [2]]);
    assert.deepEqual(
      found.conflicts.map((one: { at: number; stands: { output: string } | null; others: number[] }) => [
        ...[one.at, one.stands?.output, one.others],
      ]),
      [
        [0, 'Oslo', []],
        [3, undefined, [4]],
        [4, undefined, [3]],
      ],
    );
    assert.ok(Date.parse(found.conflicts[0].stands.since) > 0);
    assert.equal((await listed()).length, 0);
    for (let twice = 0; twice < 2; twice++) {
      const { conflicts } = (await house.post('/conflicts', { facts, propose: true })).body;
      assert.deepEqual(
        conflicts.map(({ proposal }: { proposal: number }) => proposal),
        [1, 2, 3],
      );
    }
    assert.deepEqual(
      (await listed()).map(({ kind }) => kind),
      ['conflict', 'conflict', 'conflict'],
    );
    assert.equal((await house.facts())['Where is Zorbex?'], 'Oslo');
  });

  it('are paged, decided a thousand at a time, and decided once by concurrent reviewers', async () => {
    const many = Array.from({ length: 1000 }, (_, at) => ({ input: `What is part ${at}?`, output: `P-${at}` }));
    assert.equal((await propose(...many)).created, 1000);
    assert.equal((await house.post('/proposals', { proposals: [...many, boss] })).status, 422);
    const { proposals, next } = await house.get('/proposals?limit=10');
    assert.deepEqual([proposals.length, next], [10, 10]);
    assert.equal((await house.get(`/proposals?limit=10&after=${next}`)).proposals[0].number, 11);
    const body = { proposals: many.map((_, at) => ({ number: at + 1 })) };
    const answers = await Promise.all([1, 2].map(async () => await house.post('/proposals/accept', body)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409]);
    assert.equal((await listed('state=accepted&limit=1000')).length, 1000);
    await house.taught(2);
    assert.equal(Object.keys(await house.facts()).length, 1000);
  });
});
