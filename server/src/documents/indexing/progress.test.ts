// Progress of an index while its files are read.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isOver } from '@lorekeep/contract';
import { pdfFile } from '../../../../reader/src/testing/pdf-file.ts';
import { until } from '../../testing/until.ts';
import { type Site, sitesOfSuite } from '../testing/workplace.ts';

describe('the progress of an index', () => {
  const open = sitesOfSuite();
  const atRest = async (one: Site, id: number) =>
    await until('it is at rest', async () => isOver((await one.indexes.show(one.caller, id)).status));

  it('names the pages of the file that is read, not of one before it', async () => {
    const one = await open();
    one.runner.start();
    const page = (text: string) => [{ text, x: 72, y: 72 }];
    const id = await one.create({
      'a.md': 'The gate opens at six.',
      'b.pdf': new Uint8Array(pdfFile([page('The first gate.'), page('The second gate.')])),
    });
    await atRest(one, id);
    const [, pdf] = (await one.files.list(one.caller, id, 10, undefined)).files;
    const events = await one.store.db
      .selectFrom('index_events')
      .select(['text', 'data'])
      .where('kind', '=', 'pages')
      .execute();
    assert.equal(events[0]?.text, '1 page of b.pdf read');
    for (const { data } of events) assert.deepEqual(JSON.parse(data), { file_id: pdf!.id });
  });
});
