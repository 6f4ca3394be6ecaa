// Text of a quotation: the chosen sentence, with the sentence before if it begins with a pronoun, with the list that it introduces, and
// with the heading if that names the subject. The length is bounded.
import { sentencesOf } from './sentences.ts';
import { isRow } from './tables.ts';
import type { QuotedPassage, Unit } from './units.ts';
import { bestLikeness, wordsOf } from './words.ts';

export interface Quote {
  /** The answer. */
  text: string;
  /** Index of its passage in the search results. */
  passage: number;
  /** Offsets of the quoted words in the text of the passage. */
  start: number;
  end: number;
}

const maxLength = 400;
const maxCells = 5;
const pronoun =
  /^(?:it|its|they|their|them|he|she|his|her|this|that|these|those|such|then|otherwise|er|es|sie|dies\w*|diese[rsnm]?|dabei|danach|dafür|dann|sonst|il|elle|ils|elles|cela|ceci|ce|cette|ces|él|ella|ellos|ellas|esto|esta|este|estos|estas|eso)(?![\p{L}'’])/iu;

/** Joins cells of one row under its name; rows found by a reverse lookup are listed. */
export function excerptOfCells(cells: Unit[]): Quote {
  const quotedCells = cells.slice(0, maxCells);
  const [first] = quotedCells;
  const place = { passage: first!.passage, start: first!.start, end: quotedCells.at(-1)!.end };
  const others = quotedCells
    .slice(1)
    .map(({ cell, kind, text }) => (kind === 'backwards' || !cell!.column ? text : `${cell!.column}: ${cell!.value}`));
  const text = [first!.text, ...others].join('; ');
  return { ...place, text: text.length <= maxLength ? text : `${text.slice(0, maxLength - 2).toWellFormed()} …` };
}

export function excerptOfUnit(unit: Unit, passage: QuotedPassage, asked: string[]): Quote {
  const { start, end } = widened(unit, passage.text);
  const part = bounded(passage.text.slice(start, end), asked);
  const said = unit.lead === undefined ? part : { ...part, text: `${unit.lead} ${part.text.replace(/^[-*•–] /, '')}` };
  const place = { passage: unit.passage, start: start + said.from, end: start + said.from + said.length };
  const heading = headingFor(passage, said.text, asked);
  return { ...place, text: heading === undefined ? said.text : `${heading}: ${said.text}` };
}

/** Whether a sentence restricts or completes the one before: "Rain date: 13 July.", "Otherwise nothing is refunded." */
const qualifies = (text: string): boolean =>
  text.length <= 90 &&
  /^(?:(?:otherwise|instead|except|exceptions?|but|unless|without|if not|sonst|ausgenommen|außer|sauf|sinon|excepto|salvo)(?!\p{L})|\p{Lu}[\p{L} -]{1,25}: )/iu.test(
    text,
  );

function widened({ kind, start, end, line, text }: Unit, whole: string): { start: number; end: number } {
  const sentences = sentencesOf(whole);
  const at = sentences.findIndex((sentence) => sentence.start === start);
  const before = sentences[at - 1];
  let [from, until] = [start, end];
  if (pronoun.test(text) && before && before.line === line && end - before.start <= maxLength) from = before.start;
  const after = sentences[at + 1];
  if (kind === 'sentence' && after && after.line === line && after.end - from <= maxLength && qualifies(after.text))
    until = after.end;
  if (!/[:：]$/.test(text)) return { start: from, end: until };
  for (const next of sentences.slice(at + 1)) {
    if (next.end - from > maxLength || isRow(next.text)) break;
    until = next.end;
  }
  return { start: from, end: until };
}

/** The innermost heading, if it has a word of the question that the quoted words lack, and their line does not begin with it. */
function headingFor({ headings }: QuotedPassage, said: string, asked: string[]): string | undefined {
  const heading = headings.at(-1);
  if (heading === undefined || heading.length > 80 || said.startsWith(heading)) return undefined;
  const words = wordsOf(said);
  const missing = wordsOf(heading).some((word) => bestLikeness(word, asked) >= 0.8 && bestLikeness(word, words) < 0.6);
  return missing || pronoun.test(said) ? heading.replace(/[?:.]+$/, '') : undefined;
}

/** Truncates a very long sentence to the part around the words of the question. */
function bounded(said: string, asked: string[]): { text: string; from: number; length: number } {
  if (said.length <= maxLength) return { text: said, from: 0, length: said.length };
  const room = maxLength - 4;
  const starts = Array.from({ length: Math.ceil(said.length / 50) }, (_, at) => at * 50);
  const held = starts.map((from) => {
    const words = wordsOf(said.slice(from, from + room));
    return asked.filter((word) => bestLikeness(word, words) >= 0.6).length;
  });
  const maxHeld = Math.max(...held);
  const good = starts.filter((_, at) => held[at] === maxHeld);
  // The middle match has context on both sides.
  const from = good[Math.floor(good.length / 2)]!;
  const begin = from === 0 ? 0 : from + Math.max(0, said.slice(from, from + 40).indexOf(' ') + 1);
  const rest = said.slice(begin, begin + room);
  const last = begin + rest.length >= said.length ? rest.length : Math.max(room - 60, rest.lastIndexOf(' '));
  const part = rest.slice(0, last).toWellFormed();
  const text = `${begin > 0 ? '… ' : ''}${part.replace(/\s+/g, ' ').trim()}${begin + last < said.length ? ' …' : ''}`;
  return { text, from: begin, length: part.length };
}
