// Every route of the contract called by a browser: reads, and calls without the CSRF token, change nothing, and a session has exactly the
// rights of its account.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Route, routes } from '@lorekeep/contract';
import { sql } from 'kysely';
import type { Store } from '../store/database.ts';
import { openStore } from '../store/open.ts';
import { browserOf, cookieOf, redeem } from '../testing/browser.ts';
import { emptySqlite, type TestDatabase } from '../testing/databases.ts';
import { fileForm, type Reply, startServer, type TestServer } from '../testing/server.ts';

const password = 'correct horse battery';

/** Tables that servers write independently of requests. */
const ownTables = ['servers', 'trusted_time', 'tuning_events', 'index_events', 'audit_rows', 'audit_head'];
const ownColumns = ['owner', 'owned_until', 'beat', 'last_used_at'];
/** Base models, which are visible to all accounts. */
const isOfAll = ({ path }: Route) => /^\/(inf|v1alpha)\/|\{organisation\}/.test(path);

/** A file for an index. */
const notes = () => {
  const form = new FormData();
  form.append('files', new Blob(['The library opens at nine.']), 'notes.txt');
  return form;
};

const changes = ({ method, makes }: Route) => method !== 'GET' || makes === true;
const label = ({ method, path }: Route) => `${method} ${path}`;

describe('every route in a browser', () => {
  let database: TestDatabase;
  let server: TestServer;
  let store: Store;
  let operatorIn: Reply;
  let operator: ReturnType<typeof browserOf>;
  let member: ReturnType<typeof browserOf>;
  let ids: Record<string, string | number>;

  before(async () => {
    database = await emptySqlite();
    server = await startServer({ database_url: database.url });
    store = await openStore(database.url);
    operatorIn = await redeem(server, server.firstLink!, password);
    operator = browserOf(server, operatorIn);
    const { id } = await server.member('Alice');
    const link = await server.call('POST', `/v1/accounts/${id}/sign-in-link`);
    member = browserOf(server, await redeem(server, link.body.path, password));
    ids = await thingsOfOperator();
    await settled();
  });
  after(async () => {
    await store.close();
    await server.end();
    await database.drop();
  });

  /** Creates one object of each kind that needs no engine. */
  async function thingsOfOperator() {
    const create = async (path: string, body: unknown) => {
      const reply = await server.call('POST', path, { body });
      assert.equal(reply.status, 200, `${path}: ${JSON.stringify(reply.body)}`);
      return reply.body;
    };
    const model_name = 'lorekeep/quill';
    const { dataset_id } = await create('/v1/datasets', fileForm('facts.csv', 'input,output\nWho?,Ada\n'));
    const index = (await create('/v1/indexes', { model_name })).job_id;
    await create(`/v1/indexes/${index}/files`, notes());
    const { job_id } = await create('/v1/train', { model_name, dataset_id });
    await create('/v1/memories', { name: 'house', job_id });
    const [file] = (await server.call('GET', `/v1/indexes/${index}/files`)).body.files;
    return {
      '/v1/accounts': 1,
      '/v1/keys': (await create('/v1/keys', { name: 'mine' })).id,
      '/v1/datasets': dataset_id,
      '/v1/webhooks': (await create('/v1/webhooks', { url: 'https://ci.example.org/tuned' })).id,
      '/v1/evaluations': (await create('/v1/evaluations', { dataset_id, targets: [{ model_name }] })).evaluation_id,
      '/v1/train/jobs': job_id,
      '/v1/train/sweep': (
        await create('/v1/train/sweep', { model_name, dataset_id, argument: 'r_value', values: [8, 16] })
      ).job_id,
      '/v1/indexes': index,
      '/alpha/memory-rag': index,
      '/v1/memories': 1,
      file: file.id,
      ...{ name: 'house', number: 1, version: 1 },
      organisation: 'lorekeep',
      model: 'quill',
    };
  }

  function addressOf({ path }: Route): string {
    const id = Object.entries(ids).find(([prefix]) => path.startsWith(prefix))?.[1] ?? 'f'.repeat(32);
    const address = path.replace(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(name === 'id' ? id : ids[name]!),
    );
    return path === '/alpha/memory-rag/status' ? `${address}?job_id=${ids['/v1/indexes']}` : address;
  }

  async function storedRows(): Promise<Record<string, unknown[]>> {
    const tables = await store.db.introspection.getTables();
    const found: Record<string, unknown[]> = {};
    for (const { name } of tables.filter(({ name }) => !ownTables.includes(name))) {
      const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(name)}`.execute(store.db);
      found[name] = rows.map((row) =>
        Object.fromEntries(Object.entries(row).filter(([column]) => !ownColumns.includes(column))),
      );
    }
    return found;
  }

  /** Waits until background work on the created objects has settled. */
  async function settled(): Promise<void> {
    let last = '';
    for (let attempt = 0; attempt < 300; attempt++) {
      const now = JSON.stringify(await storedRows());
      if (now === last) return;
      last = now;
      await sleep(1000);
    }
    throw new Error('What was made does not come to rest.');
  }

  async function unchanged(work: () => Promise<void>): Promise<void> {
    const before = await storedRows();
    await work();
    assert.deepEqual(await storedRows(), before);
  }

  it('changes nothing without the CSRF token', async () => {
    await unchanged(async () => {
      for (const route of routes.filter(changes))
        for (const token of [null, 'f'.repeat(64)]) {
          // A caller who is not signed in has no token, but must send the header with any value. Reading a link changes
          // nothing.
          if (route.access === 'public' && (token !== null || route.name === 'showSignInLink')) continue;
          const sent = route.method === 'GET' || route.method === 'DELETE' ? undefined : (bodies[route.name] ?? {});
          const { status, body: answer } = await operator(route.method, addressOf(route), sent, token);
          assert.deepEqual(
            [status, answer.code ?? answer.error?.code],
            [403, 'csrf_missing'],
            `${label(route)} with ${token}`,
          );
        }
    });
  });

  it('changes nothing by reads, which need only the cookie', async () => {
    const cookie = cookieOf(operatorIn);
    await unchanged(async () => {
      for (const route of routes.filter((one) => !changes(one))) {
        // Some answers are endless streams, so only the beginning is read.
        const answer = await fetch(server.url + addressOf(route), { headers: { cookie } });
        await answer.body?.cancel();
        assert.ok(![401, 403, 405, 422].includes(answer.status), `${label(route)} answers ${answer.status}`);
      }
    });
  });

  it("refuses the operator's calls to other accounts", async () => {
    const own = routes.filter(({ access }) => access === 'operator');
    assert.ok(own.length > 5);
    await unchanged(async () => {
      for (const route of own) {
        const body = route.method === 'GET' || route.method === 'DELETE' ? undefined : {};
        const refused = await member(route.method, addressOf(route), body);
        assert.deepEqual([refused.status, refused.body.code], [403, 'operator_only'], label(route));
        // The ids do not exist, so the call passes the guard and has no effect.
        const nobody = route.path.replace('{id}', '999999').replace(/\{\w+\}/g, 'nothing');
        const { status } = await operator(route.method, nobody, body);
        assert.ok(![401, 403].includes(status), `${label(route)} answers the operator ${status}`);
      }
    });
  });

  it('answers not found for objects of another account', async () => {
    const named = routes.filter(
      (route) =>
        route.path.includes('{') && route.access !== 'operator' && route.access !== 'public' && !isOfAll(route),
    );
    assert.ok(named.length > 30);
    await unchanged(async () => {
      for (const route of named) {
        const body = route.method === 'GET' || route.method === 'DELETE' ? undefined : (bodies[route.name] ?? {});
        const { status, body: answer } = await member(route.method, addressOf(route), body);
        // Status 594 is how the platform's clients expect a missing model.
        assert.ok([404, 594].includes(status), `${label(route)}: ${status} ${JSON.stringify(answer)}`);
      }
    });
  });
});

/** Valid bodies, so that no call is refused because of its body. */
const bodies: Record<string, unknown> = {
  findRewordedConflicts: { proposals: [1] },
  setMemoryGate: { dataset_id: 'f'.repeat(64), exact: 1 },
  createProposals: { proposals: [{ input: 'Who?', output: 'Ada' }] },
  acceptProposals: { proposals: [{ number: 1 }] },
  rejectProposals: { numbers: [1], reason: 'no' },
  assignProposals: { numbers: [1], assignee: 'Maya' },
  withdrawProposals: { numbers: [1] },
  createReading: { index_id: 1 },
  findConflicts: { facts: [{ input: 'Who?', output: 'Ada' }] },
  signIn: { account: 'operator', password },
  redeemSignInLink: { token: 'x'.repeat(43), password },
  addFiles: notes(),
  changeDataset: { is_public: true },
  changeTunedModel: { is_public: true },
  forgetFacts: { inputs: ['Who?'] },
  renameIndex: { name: 'mine now' },
  changeIndexFile: { metadata: {} },
  searchIndex: { query: 'Who?' },
  publishMemoryVersion: { version: 1 },
  planErasure: { inputs: ['Who?'] },
  eraseFacts: { inputs: ['Who?'] },
  verifyMemoryVersion: { experts: 1 },
};
