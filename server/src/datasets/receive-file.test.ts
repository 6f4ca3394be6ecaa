// Form fields of a file upload over HTTP.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { fileForm, startServer, type TestServer } from '../testing/server.ts';

let server: TestServer;
before(async () => {
  server = await startServer();
});
after(async () => await server.end());

test('the name of an uploaded file is validated and trimmed as in JSON requests', async () => {
  const upload = async (name: string) => {
    const body = fileForm('rows.jsonl', '{"input": "a", "output": "b"}\n', { name });
    return await server.call('POST', '/v1/datasets', { body });
  };
  for (const name of ['a\u0000b', '', ' ', 'n'.repeat(201)]) {
    const { status, body } = await upload(name);
    assert.equal(status, 422, JSON.stringify(body));
    assert.match(JSON.stringify(body.detail), /name/);
  }
  assert.deepEqual((await server.call('GET', '/v1/datasets')).body.datasets, []);
  assert.equal((await upload(' Rows ')).body.name, 'Rows');
});
