// Extractive answers: chooses the sentence or table cell of the found passages that answers a question, without the model. Each candidate
// has features (`features.ts`), whose weights were fitted on the documents of the bench (`weights.ts`). Without sufficient confidence
// nothing is quoted, since a wrong number is worse than none.

import { excerptOfCells, excerptOfUnit, type Quote } from './excerpt.ts';
import { asksForm, expectedOf } from './expected.ts';
import { type Candidate, candidatesOf, named } from './features.ts';
import type { QuotedPassage, Unit } from './units.ts';
import { confidenceOf, minProbability } from './weights.ts';
import { bestLikeness, questionWords, wordsOf } from './words.ts';

/** Computes the similarity of each text to the question. */
export type Likeness = (question: string, texts: string[]) => Promise<number[]>;

/** Maximum number of candidates compared by embedding. */
const maxCompared = 64;

export interface Ranked extends Candidate {
  /** Logarithm of the odds of this candidate against "none". */
  confidence: number;
}

export async function quoteOf(
  question: string,
  passages: QuotedPassage[],
  likeness: Likeness,
): Promise<Quote | undefined> {
  const asked = questionWords(question);
  const order = await rankedBy(question, asked, passages, likeness);
  return quoteFrom(asksForm(question) ? order : sectionsFirst(order, passages, asked), question, passages, asked);
}

/** Confidence that the first sentence of a section gains if a search consists of the words of its heading. */
const headingGain = 2.5;

/** A search such as "staff discount" asks for the section of that name, whose first sentence says what it is about. */
function sectionsFirst(order: Ranked[], passages: QuotedPassage[], asked: string[]): Ranked[] {
  const holds = (words: string[], others: string[]) => others.every((word) => bestLikeness(word, words) >= 0.8);
  const named = passages.map(({ headings }) => {
    const words = wordsOf(headings.at(-1) ?? '');
    return words.length > 0 && holds(words, asked) && holds(asked, words);
  });
  const first = passages.map((_, at) => {
    const own = order.filter(({ unit }) => unit.kind === 'sentence' && unit.passage === at);
    return Math.min(...own.map(({ unit }) => unit.start));
  });
  const gains = ({ unit: { kind, passage, start } }: Ranked) =>
    named[passage] && kind === 'sentence' && start === first[passage];
  return order
    .map((one) => (gains(one) ? { ...one, confidence: one.confidence + headingGain } : one))
    .sort((one, other) => other.confidence - one.confidence);
}

/** The quote of the best candidate, if it is probable enough. `own` are the words that a follow-up added. */
export function quoteFrom(
  ranked: Ranked[],
  question: string,
  passages: QuotedPassage[],
  asked: string[],
  own: string[] = asked,
): Quote | undefined {
  const needed = minProbability(expectedOf(question));
  for (const one of ranked) {
    if (probabilityOf(one, ranked) < needed) return undefined;
    const quote = excerptOf(one, ranked, passages, asked, own);
    if (quote) return quote;
  }
  return undefined;
}

/**
 * Probability that the text of a candidate answers, alone or with the sentence before it, against all others and none. Cells of one row
 * that match equally are quoted together, and count together.
 */
export function probabilityOf(one: Ranked, ranked: Ranked[]): number {
  const { passage, start, end } = one.unit;
  let [same, all] = [0, 1];
  for (const other of ranked) {
    const odds = Math.exp(other.confidence);
    all += odds;
    const overlaps = other.unit.passage === passage && other.unit.start < end && start < other.unit.end;
    if (overlaps || isBeside(one, other)) same += odds;
  }
  return same / all;
}

/** Share of the question's words without which a condition of the question may choose among the cells of a row. */
const minHeldTogether = 0.6;

/** Whether two cells are of one row and match equally, with most of what is asked. */
const isBeside = (one: Ranked, other: Ranked): boolean =>
  one.unit.kind === 'cell' &&
  one.held >= minHeldTogether &&
  other.unit.kind === 'cell' &&
  other.unit.passage === one.unit.passage &&
  other.unit.line === one.unit.line &&
  isEqual(one, other);

const isEqual = (one: Ranked, other: Ranked): boolean =>
  other.fits === one.fits &&
  Math.abs(other.held - one.held) < 0.01 &&
  one.confidence - other.confidence < minConfidenceGap;

export async function rankedBy(
  question: string,
  asked: string[],
  passages: QuotedPassage[],
  likeness: Likeness,
): Promise<Ranked[]> {
  return await ranked(question, candidatesOf(question, asked, passages), likeness);
}

export async function ranked(question: string, found: Candidate[], likeness: Likeness): Promise<Ranked[]> {
  const candidates = found.slice(0, maxCompared);
  if (candidates.length === 0) return [];
  const alike = await likeness(question, candidates.map(textOf));
  const most = Math.max(...alike);
  return candidates
    .map((candidate, at) => {
      const features = [...candidate.features, alike[at]!, alike[at]! - most];
      return { ...candidate, features, confidence: confidenceOf(features) };
    })
    .sort((one, other) => other.confidence - one.confidence);
}

const textOf = ({ unit }: Candidate): string => unit.compared;

/** The texts that are compared with a question, to embed those of several questions at once. */
export const comparedTexts = (found: Candidate[]): string[] => found.slice(0, maxCompared).map(textOf);

/** Undefined if the candidate is a cell, and another row matches the question equally, so that the question is ambiguous. */
export function excerptOf(
  one: Ranked,
  among: Ranked[],
  passages: QuotedPassage[],
  asked: string[],
  own: string[] = asked,
): Quote | undefined {
  const { kind, passage, start, end, text } = one.unit;
  if (kind === 'row' && among.some((other) => isRival(other, one))) return undefined;
  if (kind === 'row' || kind === 'heading') return { text, passage, start, end };
  if (kind !== 'cell' && kind !== 'backwards') return excerptOfUnit(one.unit, passages[passage]!, asked);
  const cells = tiedCells(one, among, asked, own);
  return kind === 'backwards' || cells.every(({ line }) => line === one.unit.line) ? excerptOfCells(cells) : undefined;
}

/** Difference of confidence below which two cells with equal overlap count as ambiguous. */
const minConfidenceGap = 0.25;

/** Whether another row matches the question as well as this one. */
const isRival = (other: Ranked, { unit, held, confidence }: Ranked): boolean =>
  other.unit.kind === 'row' &&
  other.unit.line !== unit.line &&
  Math.abs(other.held - held) < 0.01 &&
  confidence - other.confidence < minConfidenceGap;

/** The cell, and equally matching cells of its row or column. */
function tiedCells(one: Ranked, among: Ranked[], asked: string[], own: string[]): Unit[] {
  const { unit } = one;
  const { at } = unit.cell!;
  const ofRow = (other: Unit) => unit.kind === 'cell' && other.line === unit.line;
  // "Price and size" names both columns, although one of them is no price.
  const namedToo = (other: Unit) =>
    ofRow(other) && areDistinct(other, unit) && [unit, other].every((either) => isColumnNamed(either, own));
  return among
    .filter(
      (other) =>
        other.unit.kind === unit.kind &&
        other.unit.passage === unit.passage &&
        (other.unit.cell!.at === at || ofRow(other.unit)) &&
        (namedToo(other.unit) || isTied(other)),
    )
    .map((other) => other.unit)
    .sort((before, after) => before.start - after.start);

  function isTied(other: Ranked): boolean {
    return isEqual(one, other) && (unit.kind === 'backwards' || named(other.unit, asked) >= named(unit, asked));
  }
}

/** Words of a column's name, of which a unit in brackets is no part. */
const columnWords = ({ cell }: Unit): string[] => wordsOf((cell!.column ?? '').replace(/\([^)]*\)/g, ''));

/** Whether each of two columns has a word of its own: "Lagoon 22 P" does not name "Lagoon 22" as well. */
function areDistinct(...columns: [Unit, Unit]): boolean {
  const [one, other] = columns.map(columnWords) as [string[], string[]];
  return one.some((word) => !other.includes(word)) && other.some((word) => !one.includes(word));
}

function isColumnNamed(unit: Unit, asked: string[]): boolean {
  const words = columnWords(unit);
  return words.length > 0 && words.every((word) => bestLikeness(word, asked) >= 0.8);
}
