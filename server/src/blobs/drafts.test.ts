// Names of a sweep, as many as a database can be asked for at once.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { unknownOf } from './drafts.ts';

it('asks for many names in several statements, and tells all that are not known', async () => {
  const names = Array.from({ length: 40_000 }, (_, at) => `documents/${at}`);
  const asked: number[] = [];
  const unknown = await unknownOf(names, async (some) => {
    asked.push(some.length);
    return new Set(some.filter((name) => !name.endsWith('99')));
  });
  // SQLite takes 32,766 values.
  assert.ok(asked.every((count) => count <= 32_766));
  assert.deepEqual(
    unknown,
    names.filter((name) => name.endsWith('99')),
  );
});
