// Lookup of the names of a sweep, within the limit of values of a database statement.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { unknownNames } from './drafts.ts';

it('a sweep looks up many names in batches and finds all unknown ones', async () => {
  const names = Array.from({ length: 40_000 }, (_, at) => `documents/${at}`);
  const asked: number[] = [];
  const unknown = await unknownNames(names, async (some) => {
    asked.push(some.length);
    return new Set(some.filter((name) => !name.endsWith('99')));
  });
  // SQLite accepts 32,766 values per statement.
  assert.ok(asked.every((count) => count <= 32_766));
  assert.deepEqual(
    unknown,
    names.filter((name) => name.endsWith('99')),
  );
});
