// The facts that a document states in forms that need no model: rows of tables, key-value lines, headings with one value, sentences
// and definitions. Rather none than a wrong one: a question that the document answers in two ways is dropped.
import { setImmediate } from 'node:timers/promises';
import { isQuoted } from '../../files/quoted.ts';
import type { StoredPassage } from '../stored-passages.ts';
import { asName, type FoundFact, spaced } from './found-fact.ts';
import { headingFacts, keyValueFacts } from './lines.ts';
import { sentenceFacts } from './sentences.ts';
import { tableFacts } from './tables.ts';

export async function factsOfDocument(passages: StoredPassage[], fileName: string): Promise<FoundFact[]> {
  const sections = Map.groupBy(passages, ({ headings }) => headings.join('\n'));
  const found = new Map<string, FoundFact[]>();
  for (const [at, passage] of passages.entries()) {
    // Other requests have their turn in between.
    if (at % 25 === 24) await setImmediate();
    const stated = { passage, topic: topicOf(passage, fileName) };
    const alone = sections.get(passage.headings.join('\n'))!.length === 1;
    const facts = [
      ...[tableFacts(stated), keyValueFacts(stated)],
      ...[headingFacts(stated, alone), sentenceFacts(stated)],
    ];
    for (const fact of facts.flat()) {
      if (!isQuoted(fact.output, fact.quote)) continue;
      const key = fact.input.toLowerCase();
      found.set(key, [...(found.get(key) ?? []), fact]);
    }
  }
  return [...found.values()].flatMap((same) =>
    same.every(({ output }) => output === same[0]!.output) ? [same[0]!] : [],
  );
}

function topicOf({ title, headings, part }: StoredPassage, fileName: string): string | undefined {
  const bare = (part ?? fileName)
    .replace(/^.*\//, '')
    .replace(/\.[^.]{1,5}$/, '')
    .replaceAll('_', ' ');
  return [title, headings[0], bare].map((name) => asName(name) ?? asPackage(name)).find((name) => name !== undefined);
}

/** "color-convert", "sonic-boom README": a name of one word, written small. */
function asPackage(name: string | undefined): string | undefined {
  const bare = spaced(name ?? '').replace(
    /(?: (?:readme|build status|npm version))+$| (?:npm|codecov|build|coverage|ci)\b.*$/i,
    '',
  );
  return /^@?[a-z][a-z0-9]*(?:[-./][a-z0-9]+)+$/.test(bare) ? bare : undefined;
}
