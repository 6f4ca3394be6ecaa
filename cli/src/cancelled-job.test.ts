// A cancelled job makes no model, so no command prints the name that its model was to get.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { noEngine } from '../../server/src/erasures/testing/no-engine.ts';
import { adminKey, startServer, type TestServer } from '../../server/src/testing/server.ts';
import { run } from './testing/program.ts';

describe('a cancelled job', () => {
  let server: TestServer;
  let job: string;
  before(async () => {
    server = await startServer({}, noEngine());
    const { body } = await server.call('POST', '/v1/train', {
      body: { model_name: 'lorekeep/quill', data: [{ input: 'Who?', output: 'Ada' }], custom_model_name: 'zorbex' },
    });
    job = String(body.job_id);
  });
  after(async () => await server.end());

  const lorekeep = async (...words: string[]) =>
    await run(words, { LOREKEEP_BASE_URL: server.url, LOREKEEP_API_KEY: adminKey });

  it('is shown with the name of its model only while it can make one', async () => {
    assert.match((await lorekeep('jobs', 'show', job)).out, /^model {2}zorbex, once it is over$/m);
    assert.match((await lorekeep('jobs', 'list')).out, / zorbex$/m);
    assert.equal((await lorekeep('jobs', 'cancel', job)).code, 0);
    const { code, out, error } = await lorekeep('jobs', 'watch', job);
    assert.deepEqual([code, out], [6, '']);
    assert.match(error, /was cancelled/);
    assert.match((await lorekeep('jobs', 'show', job)).out, /^model {2}none$/m);
    assert.doesNotMatch((await lorekeep('jobs', 'list')).out, /zorbex/);
  });
});
