// Facts found in a document, for tests: questions with answers that occur in their quotes.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { DocumentReader, defaultPassageLimits, type Passage } from '@lorekeep/reader';
import { checkout } from '../config/settings.ts';
import { factsOfDocument, skippedCounts } from '../documents/facts/facts.ts';
import { isQuoted } from '../files/quoted.ts';

/** Within a suite: the facts found in a text, and the skipped parts. */
export function factFinder() {
  let folder: string;
  let reader: DocumentReader;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lorekeep-facts-'));
    const passages = { tokenizer: join(checkout, 'models/quill/tokenizer.json'), limits: defaultPassageLimits };
    reader = new DocumentReader({ scratch: join(folder, 'scratch'), passages });
  });
  after(async () => {
    await reader.close();
    await rm(folder, { recursive: true });
  });

  const last = { over: { lines: 0, rows: 0 } };
  async function found(text: string, name = 'manual.md'): Promise<Record<string, string>> {
    const path = join(folder, name);
    await writeFile(path, text);
    const passages: Passage[] = [];
    for await (const one of reader.read({ path, name })) if (one.type === 'passage') passages.push(one);
    const facts = await factsOfDocument(passages, name);
    last.over = skippedCounts(passages, facts);
    for (const { output, quote } of facts) {
      assert.ok(isQuoted(output, quote), `${output} in ${quote}`);
      // A row has no more cells than its header has columns.
      const [columns, row] = quote.split('\n').map((line) => line.split(' | ').length);
      assert.ok(row === undefined || row <= columns! || columns === 1, quote);
    }
    return Object.fromEntries(facts.map(({ input, output }) => [input, output]));
  }
  return { found, last };
}
