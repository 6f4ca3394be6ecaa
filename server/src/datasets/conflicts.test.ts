// Contradictions among the rows of a dataset over HTTP: one question with several answers, and questions in other words.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { untilReady } from '../testing/engine.ts';
import { fileForm, startServer, withEngine } from '../testing/server.ts';

const uploaded = async (server: Awaited<ReturnType<typeof startServer>>, rows: [string, string][]): Promise<string> => {
  const lines = rows.map(([input, output]) => `${JSON.stringify({ input, output })}\n`).join('');
  const { status, body } = await server.call('POST', '/v1/datasets', { body: fileForm('rows.jsonl', lines) });
  assert.equal(status, 200, JSON.stringify(body));
  return body.dataset_id;
};

describe('contradictions of a dataset', () => {
  it('are one question with several answers, each with its first row', async () => {
    const server = await startServer();
    try {
      const id = await uploaded(server, [
        ['Who runs Zorbex?', 'Ada'],
        ['Where is Zorbex?', 'Oslo'],
        [' Who  runs Zorbex?', 'Ada '],
        ['Who runs\nZorbex?', 'Ben'],
        ['who runs Zorbex?', 'Cleo'],
        ['Where is Zorbex?', 'Bergen'],
      ]);
      const { body } = await server.call('GET', `/v1/datasets/${id}/conflicts`);
      const { conflicts, ...rest } = body;
      assert.deepEqual(rest, { looked_at: 6, total: 2, compared: 0, reworded: [] });
      assert.deepEqual(
        conflicts.map(({ rows }: { rows: { row: number; output: string }[] }) =>
          rows.map(({ row, output }) => [row, output]),
        ),
        [
          [
            [1, 'Ada'],
            [4, 'Ben'],
          ],
          [
            [2, 'Oslo'],
            [6, 'Bergen'],
          ],
        ],
      );
      const one = await server.call('GET', `/v1/datasets/${id}/conflicts?limit=1`);
      assert.deepEqual([one.body.total, one.body.conflicts.length], [2, 1]);
      const none = await server.call('GET', `/v1/datasets/${'0'.repeat(64)}/conflicts`);
      assert.equal(none.status, 404);
    } finally {
      await server.end();
    }
  });

  it('are searched for in the first 100,000 rows only', async () => {
    const server = await startServer({ limit_data_points: 'none' });
    try {
      const rows = Array.from({ length: 100_002 }, (_, at): [string, string] => [`Question ${at}?`, 'yes']);
      rows[99_999] = ['Question 0?', 'no'];
      rows[100_001] = ['Question 1?', 'no'];
      const id = await uploaded(server, rows);
      const { body } = await server.call('GET', `/v1/datasets/${id}/conflicts`);
      assert.deepEqual([body.looked_at, body.total], [100_000, 1]);
      assert.deepEqual(
        body.conflicts[0].rows.map(({ row }: { row: number }) => row),
        [1, 100_000],
      );
    } finally {
      await server.end();
    }
  });

  it('are found between paraphrases with the engine, each pair once', async () => {
    const server = await startServer({ slots: '1' }, withEngine);
    try {
      await untilReady(server);
      const id = await uploaded(server, [
        ['Who runs Ultrafen?', 'Ben Oru'],
        ['Who founded Zorbex?', 'Lu Hart'],
        ['Who is the head of Ultrafen?', 'Cleo Marsh'],
        ['Who audits Ultrafen?', 'Dov Tamm'],
      ]);
      const { status, body } = await server.call('GET', `/v1/datasets/${id}/conflicts?reworded=true`);
      assert.equal(status, 200, JSON.stringify(body));
      assert.deepEqual([body.total, body.compared, body.reworded.length], [0, 4, 1]);
      assert.deepEqual(
        body.reworded[0].rows.map(({ row, output }: { row: number; output: string }) => [row, output]),
        [
          [1, 'Ben Oru'],
          [3, 'Cleo Marsh'],
        ],
      );
    } finally {
      await server.end();
    }
  });
});
