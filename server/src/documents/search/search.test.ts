// Search over HTTP in each mode, and its answer if the question cannot be embedded.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { defaultEmbedder } from '../../models/models.ts';
import { startWithEngine } from '../../testing/engine.ts';
import { startServer, type TestServer } from '../../testing/server.ts';
import { built } from '../testing/indexes.ts';

const library =
  '# Library\n\nThe Brimoor library opens at 9 am.\n\n# Valves\n\nThe code of the red valve is RV-2207.\n';

describe('a search by words alone', () => {
  let server: TestServer;
  let id: number;
  before(async () => {
    const asked = await startWithEngine({ slots: '0' });
    id = await built(asked, { 'library.md': library });
    await asked.stop();
    server = await startServer({ home: asked.home });
  });
  after(async () => await server.end());

  const search = async (query: string, more: object = {}) =>
    await server.call('POST', `/v1/indexes/${id}/search`, { body: { query, mode: 'text', ...more } });

  it('works without an engine', async () => {
    const { body } = await server.call('GET', '/inf/models');
    assert.ok(body.data.every((model: { id: string }) => model.id !== defaultEmbedder));
    const found = await search('the code of the red valve');
    assert.equal(found.status, 200, JSON.stringify(found.body));
    assert.deepEqual(
      found.body.passages.map(({ heading, score }: { heading: string; score: number }) => [heading, score]),
      [['Valves', 1]],
    );
    assert.deepEqual([found.body.retrieval.found, found.body.retrieval.best], [true, null]);
    assert.equal((await search('the code of the red valve', { rerank: true })).body.passages[0].heading, 'Valves');
  });

  it('scores by the share of words, and reports if too few of them occur anywhere', async () => {
    const { body } = await search('blue valve of the old steam engine');
    assert.deepEqual(
      body.passages.map(({ score }: { score: number }) => score),
      [0.2],
    );
    assert.equal(body.retrieval.found, false);
    assert.deepEqual((await search('xylophone')).body.passages, []);
  });
});
