// ./lorekeep bench proposals: how many facts documents propose without a model, per page of the manuals of bench retrieval and of
// twelve organisations (proposals/documents/), and the share of right ones by a sample that was read. `--characters 2500000` of each
// collection, `--sample 60` prints proposals that carry no label yet.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { DocumentReader, defaultPassageLimits, type Passage } from '@lorekeep/reader';
import { factsOfDocument } from '../server/src/documents/facts/facts.ts';
import { by, collections } from './retrieval/manuals.ts';

/** Characters per page: the manuals here have no pages. */
const pageCharacters = 3000;

/** Label of a proposal that was read. The file keeps only a digest of its text, which has other authors. */
interface Label {
  fact: string;
  right: boolean;
}

const { values } = parseArgs({
  options: { characters: { type: 'string', default: '2500000' }, sample: { type: 'string', default: '0' } },
});
const labels = new Map(
  readFileSync(join(import.meta.dirname, 'proposals/labels.jsonl'), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Label)
    .map((label) => [label.fact, label]),
);
const folder = await mkdtemp(join(tmpdir(), 'lorekeep-bench-'));
const reader = new DocumentReader({
  scratch: join(folder, 'reading'),
  passages: { tokenizer: join(import.meta.dirname, '../models/quill/tokenizer.json'), limits: defaultPassageLimits },
});
const documents = join(import.meta.dirname, 'proposals/documents');
const organisations = await Promise.all(
  (await readdir(documents)).map(async (name) => ({ name, text: await readFile(join(documents, name), 'utf8') })),
);
try {
  const manualsOf = await collections(join(folder, 'scratch'), Number(values.characters));
  for (const { name, manuals } of [...manualsOf, { name: 'organisations', manuals: organisations }]) {
    const found: { input: string; output: string; quote: string; confidence: number; manual: string }[] = [];
    for (const manual of manuals) {
      const passages: Passage[] = [];
      const path = join(folder, `manual${extname(manual.name) || '.md'}`);
      await writeFile(path, manual.text);
      for await (const one of reader.read({ path, name: manual.name })) if (one.type === 'passage') passages.push(one);
      found.push(...(await factsOfDocument(passages, manual.name)).map((fact) => ({ ...fact, manual: manual.name })));
    }
    const pages = manuals.reduce((sum, { text }) => sum + text.length, 0) / pageCharacters;
    const labelled = found.flatMap((one) => labels.get(keyOf(one)) ?? []);
    const right = labelled.filter((label) => label.right).length;
    process.stdout.write(
      `${name}: ${manuals.length} documents, ${pages.toFixed(0)} pages, ${found.length} proposals, ${(found.length / pages).toFixed(2)} a page; ` +
        `${right} of ${labelled.length} that were read are right${labelled.length > 0 ? ` (${(right / labelled.length).toFixed(3)})` : ''}\n`,
    );
    const unread = found.filter((one) => !labels.has(keyOf(one))).sort(by(keyOf));
    for (const { input, output, quote, confidence, manual } of unread.slice(0, Number(values.sample)))
      process.stdout.write(
        `${JSON.stringify({ fact: keyOf({ input, output }), input, output, confidence, manual, quote: quote.slice(0, 300) })}\n`,
      );
  }
} finally {
  await reader.close();
  await rm(folder, { recursive: true, force: true });
}

function keyOf({ input, output }: { input: string; output: string }): string {
  return createHash('sha256').update(`${input}\n${output}`).digest('hex').slice(0, 16);
}
