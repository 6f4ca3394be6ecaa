// Extractive answers: chooses the sentence or table cell of the found passages that answers a question, without the model. Each candidate
// has features (`features.ts`), whose weights were fitted on the documents of the bench (`weights.ts`). Without sufficient confidence
// nothing is quoted, since a wrong number is worse than none.

import { excerptOfCells, excerptOfUnit, type Quote } from './excerpt.ts';
import { expectedOf } from './expected.ts';
import { type Candidate, candidatesOf, named } from './features.ts';
import { lacksName } from './names.ts';
import type { QuotedPassage, Unit } from './units.ts';
import { confidenceOf, minConfidence } from './weights.ts';
import { questionWords } from './words.ts';

/** Computes the similarity of each text to the question. */
export type Likeness = (question: string, texts: string[]) => Promise<number[]>;

/** Maximum number of candidates compared by embedding. */
const maxCompared = 64;

export interface Ranked extends Candidate {
  confidence: number;
}

export async function quoteOf(
  question: string,
  passages: QuotedPassage[],
  likeness: Likeness,
): Promise<Quote | undefined> {
  const asked = questionWords(question);
  const ranked = await rankedBy(question, asked, passages, likeness);
  const needed = minConfidence(expectedOf(question));
  for (const one of ranked) {
    if (one.confidence < needed) return undefined;
    if (lacksName(question, one.unit, passages)) continue;
    const quote = excerptOf(one, ranked, passages, asked);
    if (quote) return quote;
  }
  return undefined;
}

export async function rankedBy(
  question: string,
  asked: string[],
  passages: QuotedPassage[],
  likeness: Likeness,
): Promise<Ranked[]> {
  const candidates = candidatesOf(question, asked, passages).slice(0, maxCompared);
  if (candidates.length === 0) return [];
  const alike = await likeness(
    question,
    candidates.map(({ unit }) => unit.compared),
  );
  const most = Math.max(...alike);
  return candidates
    .map((candidate, at) => {
      const features = [...candidate.features, alike[at]!, alike[at]! - most];
      return { ...candidate, features, confidence: confidenceOf(features) };
    })
    .sort((one, other) => other.confidence - one.confidence);
}

/** Undefined if the candidate is a cell, and another row matches the question equally, so that the question is ambiguous. */
export function excerptOf(
  one: Ranked,
  among: Ranked[],
  passages: QuotedPassage[],
  asked: string[],
): Quote | undefined {
  const { kind, passage, start, end, text } = one.unit;
  if (kind === 'row' || kind === 'heading') return { text, passage, start, end };
  if (kind !== 'cell' && kind !== 'backwards') return excerptOfUnit(one.unit, passages[passage]!, asked);
  const cells = inseparable(one, among, asked);
  return kind === 'backwards' || cells.every(({ line }) => line === one.unit.line) ? excerptOfCells(cells) : undefined;
}

/** Difference of confidence below which two cells with equal overlap count as ambiguous. */
const apart = 0.25;

/** The cell, and equally matching cells of its row or column. */
function inseparable({ unit, held, fits, confidence }: Ranked, among: Ranked[], asked: string[]): Unit[] {
  const { at } = unit.cell!;
  const beside = (other: Unit) => other.cell!.at === at || (unit.kind === 'cell' && other.line === unit.line);
  return among
    .filter(
      (other) =>
        other.unit.kind === unit.kind &&
        other.unit.passage === unit.passage &&
        beside(other.unit) &&
        other.fits === fits &&
        Math.abs(other.held - held) < 0.01 &&
        confidence - other.confidence < apart &&
        (unit.kind === 'backwards' || named(other.unit, asked) >= named(unit, asked)),
    )
    .map((other) => other.unit)
    .sort((one, other) => one.start - other.start);
}
