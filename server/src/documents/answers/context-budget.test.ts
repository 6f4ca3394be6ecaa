// Context budget: the part of the found passages that goes into the prompt.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { checkout } from '../../config/settings.ts';
import { passageCharacters } from '../../models/passage-characters.ts';
import { fitting, roomFor, shrinkPassageBudget } from './context-budget.ts';

const passages = (count: number, text = 'The library opens at nine. '.repeat(30)) =>
  Array.from({ length: count }, () => ({ text, context: 'Hours' }));
const asked = { around: 100, maxTokens: 1024 };
const all = Number.POSITIVE_INFINITY;

test('a model gets as many whole passages as should fit beside the answer', () => {
  assert.deepEqual(fitting(passages(3), asked, { context: 2048, characters: all }), { used: 3, characters: all });
  const { used } = fitting(passages(100), asked, { context: 2048, characters: all });
  assert.ok(used > 4 && used < 100, String(used));
  assert.ok(fitting(passages(100, '图'.repeat(810)), asked, { context: 2048, characters: all }).used < used);
  assert.ok(fitting(passages(100), asked, { context: 8192, characters: all }).used > used);
});

test('a model that handles little text gets excerpts of a few passages', () => {
  const { used, characters } = fitting(passages(100), asked, { context: 2048, characters: 900 });
  assert.equal(characters, 900);
  assert.ok(used > 1 && characters / used >= 100, String(used));
});

test('the room for the answer is the requested one, or a share of the context', () => {
  assert.equal(roomFor({ ...asked, maxTokens: 16 }, 2048), 16);
  assert.equal(roomFor(asked, 2048), 512);
  assert.equal(roomFor(asked, 128), 64);
});

test('shrinking drops passages, then shortens the best one, then gives up', () => {
  const found = passages(40);
  let part: ReturnType<typeof shrinkPassageBudget> = { used: 40, characters: all };
  const seen: number[] = [];
  for (; part; part = shrinkPassageBudget(part, found)) seen.push(Math.min(part.characters, 810) * part.used);
  assert.deepEqual(
    seen,
    seen.toSorted((one, other) => other - one),
  );
  assert.equal(seen.at(-1), 101);
});

test("a model's folder states how many characters of passages it can use", async () => {
  const folder = await mkdtemp(join(tmpdir(), 'lorekeep-model-'));
  try {
    assert.equal(await passageCharacters(folder), all);
    await writeFile(join(folder, 'lorekeep.json'), '{"passage_characters": 4000}');
    assert.equal(await passageCharacters(folder), 4000);
    assert.ok((await passageCharacters(join(checkout, 'models/quill'))) < 2000);
  } finally {
    await rm(folder, { recursive: true });
  }
});
