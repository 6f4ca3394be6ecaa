// Deduplication: the number of texts embedded for many files with equal content, measured by the account's usage.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultEmbedder } from '../../models/models.ts';
import { startWithEngine } from '../../testing/engine.ts';
import { startServer } from '../../testing/server.ts';
import { built, filesOf } from '../testing/indexes.ts';
import { embeddedToMeasure } from './calibrate.ts';

test('the same text in many new files is embedded once, and found in each of them', async () => {
  const copies = 20;
  const asked = await startWithEngine({ slots: '0' });
  const files = Array.from(
    { length: copies },
    (_, at) => [`${at}.txt`, 'Dana Reyes approves travel.'] as [string, string],
  );
  const id = await built(asked, files);
  // A server writes usage at shutdown at the latest.
  await asked.stop();
  const server = await startServer({ home: asked.home });
  try {
    const { body } = await server.call('GET', '/v1/usage');
    const ours = body.usage.find(({ model_name }: { model_name: string }) => model_name === defaultEmbedder);
    assert.equal(ours.requests, 1 + copies + embeddedToMeasure.elsewhere);
    for (const file of await filesOf(server, id)) {
      const search = { query: 'who approves travel', mode: 'text', filter: { file_ids: [file.id] } };
      const found = await server.call('POST', `/v1/indexes/${id}/search`, { body: search });
      assert.equal(found.body.passages.length, 1);
    }
  } finally {
    await server.end();
  }
});
