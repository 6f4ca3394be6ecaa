// Extractive answers: chooses the sentence or table cell of the found passages that answers a question, without the model. The score is
// made of the similarity to the question, shared rare words, and the expected answer type. Without sufficient confidence nothing is
// quoted, since a wrong number is worse than none.

import { excerptOfCells, excerptOfUnit, type Quote } from './excerpt.ts';
import { cellHolds, countsWhat, type Expected, expectedOf } from './expected.ts';
import { lacksName } from './names.ts';
import { type QuotedPassage, type Unit, unitsOf } from './units.ts';
import { best, questionWords, weightsOf, wordsOf } from './words.ts';

/** Computes the similarity of each text to the question. */
export type Likeness = (question: string, texts: string[]) => Promise<number[]>;

/** Maximum number of sentences compared by embedding. */
const maxCompared = 48;
const likenessWeighs = 0.55;
const wordsWeigh = 0.35;
const expectedWeighs = 0.12;
/** Weight of the passage's rank in the search results. */
const rankWeighs = 0.04;
/** Bonus for a sentence about the question, and penalty for one with little besides the question's words. */
const closeWeighs = 0.05;
const emptyWeighs = 0.08;
/** Penalty for another document than the one that the question names. */
const otherDocumentWeighs = 0.15;
/** Weight of words in headings and in the sentence before, which supply omitted context. */
const aboveWeighs = 0.6;
const beforeWeighs = 0.5;
/** Minimum scores for a quotation. With hardly a common word the similarity has to be higher. */
const minScore = 0.4;
const minScoreWithoutWords = 0.52;
const fewWords = 0.2;
/** Score difference below which two cells with equal overlap count as ambiguous. */
const apart = 0.05;

interface Scored {
  unit: Unit;
  /** Share of the question's words in the text, weighted by rarity. */
  held: number;
  fits: number;
  score: number;
}

export async function quoteOf(
  question: string,
  passages: QuotedPassage[],
  likeness: Likeness,
): Promise<Quote | undefined> {
  const asked = questionWords(question);
  const compared = scoredByWords(question, asked, passages)
    .filter(({ unit, fits }) => fits >= 0 && isOfRow(unit, asked, question))
    .sort(byScore)
    .slice(0, maxCompared);
  if (compared.length === 0) return undefined;
  const texts = compared.map(({ unit }) => unit.compared);
  for (const [at, alike] of (await likeness(question, texts)).entries()) compared[at]!.score += likenessWeighs * alike;
  compared.sort(byScore);
  for (const one of compared) {
    if (one.score < (one.held < fewWords ? minScoreWithoutWords : minScore)) return undefined;
    const passage = passages[one.unit.passage]!;
    if (lacksName(question, passage, passages)) return undefined;
    if (!one.unit.cell) return excerptOfUnit(one.unit, passage, asked);
    const cells = inseparable(one, compared, asked);
    // Another row matches the question equally, so the question is ambiguous.
    if (one.unit.backwards || cells.every(({ line }) => line === one.unit.line)) return excerptOfCells(cells);
  }
  return undefined;
}

const byScore = (one: Scored, other: Scored) => other.score - one.score;

function scoredByWords(question: string, asked: string[], passages: QuotedPassage[]): Scored[] {
  const units = unitsOf(passages);
  const expected = expectedOf(question);
  const weights = weightsOf(
    asked,
    units.map(({ words, above }) => [...words, ...above]),
  );
  const all = weights.reduce((sum, weight) => sum + weight, 0) || 1;
  const naming = asked.filter((word) => units.some(({ document }) => document.includes(word)));
  return units.map((unit, at): Scored => {
    const before = units[at - 1];
    const beside = before && before.passage === unit.passage && before.line === unit.line ? before.words : [];
    const held = asked.reduce((sum, word, place) => sum + weights[place]! * heldBy(word, unit, beside), 0) / all;
    const fits = fit(unit, expected, question);
    const rank = (passages.length - unit.passage) / passages.length;
    const elsewhere = naming.some((word) => best(word, [...unit.words, ...unit.above, ...unit.document]) < 0.6);
    const score =
      wordsWeigh * held +
      expectedWeighs * fits +
      rankWeighs * rank +
      (unit.cell ? 0 : closeness(unit, asked)) -
      (elsewhere ? otherDocumentWeighs : 0);
    return { unit, held, fits, score };
  });
}

const heldBy = (word: string, { words, above, document }: Unit, beside: string[]): number =>
  Math.max(
    best(word, words),
    aboveWeighs * Math.max(best(word, above), best(word, document)),
    beforeWeighs * best(word, beside),
  );

/** Score of the share of a sentence that repeats the question; negative if it adds nothing. */
function closeness({ words }: Unit, asked: string[]): number {
  const about = share(words, asked);
  return words.length * (1 - about) < 2 ? -emptyWeighs : closeWeighs * about;
}

/** 1 if the text has the expected type, 0 if no type is expected or it may be worded differently, -1 if it cannot be the answer. */
function fit({ text, cell, backwards }: Unit, expected: Expected | undefined, question: string): number {
  if (!expected) return 0;
  const without = expected.required ? -1 : 0;
  if (cell && !backwards) {
    // A column of currencies names no price.
    if (expected.kind === 'money' && /^\p{Lu}{3}$/u.test(cell.value)) return without;
    if (expected.holds(cell.value) || expected.holds(cell.column ?? '')) return 1;
    return cellHolds(expected, cell.value) ? 0.5 : without;
  }
  if (!expected.holds(backwards ? cell!.row : text)) return without;
  return cell || countsWhat(question, text) ? (expected.weighs ?? 1) : without;
}

/** Whether a cell matches: the question is about its row, or, for a reverse lookup, about the value in it. */
function isOfRow({ cell, backwards }: Unit, asked: string[], question: string): boolean {
  if (!cell) return true;
  if (!backwards) return cell.row === '' || wordsOf(cell.row).some((word) => best(word, asked) >= 0.6);
  return (
    /(?<!\p{L})(?:which|what|who|welche[rs]?|wer|quel(?:le)?s?|qui|qué|quién|cuál(?:es)?)(?!\p{L})/iu.test(question) &&
    share(wordsOf(cell.value), asked) >= 0.5
  );
}

/** The cell, and equally matching cells of its row or column. */
function inseparable({ unit, held, fits, score }: Scored, among: Scored[], asked: string[]): Unit[] {
  const { at } = unit.cell!;
  const named = ({ cell }: Unit) => share(wordsOf(`${cell!.row} ${cell!.column ?? ''}`), asked);
  const beside = (other: Unit) => other.cell!.at === at || (!unit.backwards && other.line === unit.line);
  return among
    .filter(
      (other) =>
        other.unit.cell &&
        other.unit.passage === unit.passage &&
        other.unit.backwards === unit.backwards &&
        beside(other.unit) &&
        other.fits === fits &&
        Math.abs(other.held - held) < 0.01 &&
        score - other.score < apart &&
        (unit.backwards || named(other.unit) >= named(unit)),
    )
    .map((other) => other.unit)
    .sort((one, other) => one.start - other.start);
}

const share = (words: string[], asked: string[]): number =>
  words.length === 0 ? 0 : words.filter((word) => best(word, asked) >= 0.6).length / words.length;
