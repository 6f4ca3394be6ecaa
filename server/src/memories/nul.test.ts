// Texts with NUL, which databases do not store, are refused in every input of facts, in reasons, and in names in paths.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEveryDatabase } from '../testing/databases.ts';
import { House } from './testing/house.ts';

onEveryDatabase('a text with NUL', (make) => {
  it('is refused by every call that stores it, and leaves nothing behind', async () => {
    const house = await House.of(make, [{ input: 'Where is Zorbex?', output: 'Oslo' }]);
    try {
      const bad = 'x\u0000';
      const fact = { input: 'A?', output: 'b' };
      const document = { kind: 'document', name: 'a.pdf' };
      const { model_name } = await house.get('');
      const calls: [string, object][] = [
        ...[
          { ...fact, input: bad },
          { ...fact, output: bad },
          { ...fact, subject: bad },
          { ...fact, source: { ...document, name: bad } },
          { ...fact, source: { ...document, quote: bad } },
        ].map((add): [string, object] => ['/memories/house/changes', { add: [add] }]),
        ['/memories/house/changes', { change: [{ input: 'Where is Zorbex?', output: bad }] }],
        ['/memories/house/changes', { add: [fact], reason: bad }],
        ['/memories/house/publish', { version: 1, reason: bad }],
        ['/memories/house/erasures', { inputs: ['Where is Zorbex?'], reason: bad }],
        ['/memories/house/proposals', { proposals: [{ ...fact, input: bad }] }],
        ['/memories/house/proposals', { proposals: [{ ...fact, output: bad }] }],
        ['/memories/house/proposals', { proposals: [{ ...fact, quote: bad }] }],
        ['/memories', { name: 'other', model_name, reason: bad }],
        ['/memories', { name: 'other', model_name: bad }],
        ['/memories', { name: bad, model_name }],
        ['/local-data', { data: [{ ...fact, output: bad }] }],
        ['/train', { model_name: 'lorekeep/quill', data: [{ ...fact, input: bad }] }],
      ];
      for (const [path, body] of calls) {
        const { status, body: answer } = await house.server.call('POST', `/v1${path}`, { body });
        assert.equal(status, 422, `${path} ${JSON.stringify(body)}: ${JSON.stringify(answer)}`);
      }
      for (const path of ['/memories/a%00b', '/memories/x%00/facts', '/models/x%00/facts']) {
        const { status, body } = await house.server.call('GET', `/v1${path}`);
        assert.equal(status, 422, `${path}: ${JSON.stringify(body)}`);
      }
      // OpenAI-compatible calls answer 400 to an invalid name, and 404 for an unknown model.
      assert.equal((await house.server.call('GET', '/v1/models/x%00')).status, 400);
      for (const name of ['model_name', 'model'])
        assert.match(
          JSON.stringify(
            (await house.server.call('POST', '/v1/completions', { body: { [name]: bad, prompt: 'x' } })).body,
          ),
          /must not hold a NUL character/,
        );
      assert.equal((await house.server.call('DELETE', '/v1/memories/a%00b')).status, 422);
      assert.equal((await house.get('/changes')).changes.length, 1);
    } finally {
      await house.end();
    }
  });
});
