// Rule-based extraction of facts from a document, without a model: rows of tables, key-value lines, headings with one value, questions
// with answers, sentences and definitions. Precision goes before recall: a question that the document answers in two ways is dropped.
import { setImmediate } from 'node:timers/promises';
import { isQuoted } from '../../files/quoted.ts';
import type { StoredPassage } from '../stored-passages.ts';
import { rowsOf } from './columns.ts';
import { definitionFacts } from './definitions.ts';
import { type FoundFact, spaced } from './found-fact.ts';
import { languageOf } from './language.ts';
import { headingFacts, keyValueFacts } from './lines.ts';
import { currencyOf } from './prices.ts';
import { questionFacts } from './questions.ts';
import { isKeyed, sectioned } from './sections.ts';
import { sentenceFacts } from './sentences.ts';
import { openHeader, tableFacts } from './tables.ts';
import { topicsOf } from './topic.ts';

export async function factsOfDocument(stored: StoredPassage[], fileName: string): Promise<FoundFact[]> {
  const passages = withTableHeaders(stored.flatMap(sectioned));
  const sections = Map.groupBy(passages, ({ headings }) => headings.join('\n'));
  const topicOf = topicsOf(stored, fileName);
  const about = { common: commonWords(passages), language: languageOf(passages), currency: currencyOf(passages) };
  const found = new Map<string, FoundFact[]>();
  for (const [at, passage] of passages.entries()) {
    // Yields, so that other requests run in between.
    if (at % 25 === 24) await setImmediate();
    const stated = { passage, topic: topicOf(passage), ...about };
    const alone = sections.get(passage.headings.join('\n'))!.length === 1;
    const facts = [
      ...[tableFacts(stated), keyValueFacts(stated)],
      ...[headingFacts(stated, alone), questionFacts(stated, alone), sentenceFacts(stated), definitionFacts(stated)],
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

/** Adds the header of a table to passages that were stored without it, since titles of sections split the table. */
function withTableHeaders(passages: StoredPassage[]): StoredPassage[] {
  let open: string | undefined;
  let above: StoredPassage | undefined;
  return passages.map((passage) => {
    const isSame = above?.headings.join('\n') === passage.headings.join('\n') && above?.part === passage.part;
    const header = passage.header ?? (isSame ? open : undefined);
    open = openHeader(passage.text, header);
    above = passage;
    return header === undefined ? passage : { ...passage, header };
  });
}

/** The number of key-value lines and of rows of tables from which nothing was found, so that a person knows where to look. */
export function skippedCounts(passages: StoredPassage[], found: readonly FoundFact[]): { lines: number; rows: number } {
  const quoted = new Set(found.flatMap(({ quote }) => quote.split('\n').map(spaced)));
  const over = { lines: 0, rows: 0 };
  for (const { text, header } of passages) {
    const rows = rowsOf(text);
    for (const [at, { line, row }] of rows.entries()) {
      if (quoted.has(spaced(line))) continue;
      if (isKeyed(line)) over.lines++;
      else if (row && (header !== undefined || rows[at - 1]?.row)) over.rows++;
    }
  }
  return over;
}

/** Words that occur in lower case somewhere in the document, so that their capitalized form is not a name. */
function commonWords(passages: StoredPassage[]): Set<string> {
  return new Set(passages.flatMap(({ text }) => text.match(/(?<![\p{L}\p{N}-])\p{Ll}\p{L}+/gu) ?? []));
}
