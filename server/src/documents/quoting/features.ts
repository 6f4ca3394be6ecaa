// Candidates of a quotation with their features: shared words, weighted by rarity; the expected answer type; the kind of the unit.
import { cellHolds, countsIn, countsWhat, type Expected, expectedOf, thingOf, withoutAsked } from './expected.ts';
import { lacksName, namesMissing } from './names.ts';
import { type QuotedPassage, type Unit, type UnitKind, unitsOf } from './units.ts';
import { bestLikeness, weightsOf, wordsOf } from './words.ts';

export interface Candidate {
  unit: Unit;
  /** Share of the question's words in the text, weighted by rarity. */
  held: number;
  /** Degree to which the text has the expected type, from 0 to 1. */
  fits: number;
  /** Values by the order of `featureNames`, without the similarity. */
  features: number[];
}

/** The last two are added when the embedder has compared the candidates. */
export const featureNames = [
  'held',
  'held by its own words',
  'held below the best candidate',
  'largest weight that is missing',
  'words missing in the whole passage',
  'type held',
  'no type expected',
  'type not held',
  'rank of the passage',
  'share of its words that are asked',
  'little besides the words asked',
  'another document than the one named',
  'pair',
  'heading',
  'cell',
  'row',
  'backwards',
  'words of the row asked',
  'words of the column asked',
  'further numbers',
  'thing asked',
  'thing missing',
  'tokens of the column asked',
  'names missing',
  'cell without the thing',
  'column is the thing',
  'length',
  'similarity',
  'similarity below the best candidate',
] as const;
export type FeatureName = (typeof featureNames)[number];

/** Weight of words in headings and in the sentence before, which supply omitted context. */
const headingWeight = 0.6;
const precedingWeight = 0.5;
const kinds: UnitKind[] = ['pair', 'heading', 'cell', 'row', 'backwards'];

/** Candidates that may answer, those with the most words of the question first. */
export function candidatesOf(
  question: string,
  asked: string[],
  passages: QuotedPassage[],
  form: string = question,
): Candidate[] {
  const units = unitsOf(passages, asked);
  const expected = expectedOf(form);
  const weights = weightsOf(
    asked,
    units.map(({ words, above }) => [...words, ...above]),
  );
  const all = weights.reduce((sum, weight) => sum + weight, 0) || 1;
  const naming = asked.filter((word) => units.some(({ document }) => document.includes(word)));
  const inPassage = passages.map((_, at) => {
    const words = [...new Set(units.filter(({ passage }) => passage === at).flatMap((unit) => allWords(unit)))];
    return asked.reduce((sum, word, place) => sum + (bestLikeness(word, words) >= 0.6 ? 0 : weights[place]! / all), 0);
  });
  const found = units.flatMap((unit) => {
    const fits = fit(unit, expected, form, passages[unit.passage]!);
    if (fits < 0 || !isOfRow(unit, asked, form) || lacksName(question, unit, passages)) return [];
    if (unit.kind === 'pair' && isRedundantPair(unit, asked, expected, form)) return [];
    const sum = (heldBy: (word: string) => number) =>
      asked.reduce((total, word, place) => total + weights[place]! * heldBy(word), 0) / all;
    const held = sum((word) => heldBy(word, unit));
    const missing = Math.max(0, ...asked.map((word, at) => (heldBy(word, unit) < 0.3 ? weights[at]! / all : 0)));
    const elsewhere = naming.some((word) => bestLikeness(word, [...unit.words, ...unit.above, ...unit.document]) < 0.6);
    return [{ unit, held, fits, missing, elsewhere, own: sum((word) => bestLikeness(word, unit.words)) }];
  });
  const thing = wordsOf(thingOf(form) ?? '').slice(-1);
  const maxHeld = Math.max(...found.map(({ held }) => held));
  return found
    .map(({ unit, held, fits, missing, elsewhere, own }) => {
      const thingHeld = thing.reduce((most, word) => Math.max(most, heldBy(word, unit)), 0);
      const about = unit.cell ? 0 : share(unit.words, asked);
      const features = [
        ...[held, own, held - maxHeld, missing, inPassage[unit.passage]!],
        ...[fits, Number(!expected), Number(expected !== undefined && fits === 0)],
        (passages.length - unit.passage) / passages.length,
        ...[about, Number(!unit.cell && unit.words.length * (1 - about) < 2), Number(elsewhere)],
        ...kinds.map((kind) => Number(unit.kind === kind)),
        unit.cell ? share(wordsOf(unit.cell.row), asked) : 0,
        unit.cell ? share(wordsOf(unit.cell.column ?? ''), asked) : 0,
        unit.cell ? 0 : Math.max(0, numbersOf(unit.text) - 1) / 5,
        ...[Number(thing.length > 0) * thingHeld, thing.length > 0 ? Number(thingHeld < 0.5) : 0],
        unit.cell ? tokensAsked(unit.cell.column ?? '', question) : 0,
        namesMissing(question, unit, passages[unit.passage]!),
        Number(unit.kind === 'cell' && thing.length > 0 && thingHeld < 0.5),
        Number(
          unit.kind === 'cell' && thing.some((word) => bestLikeness(word, wordsOf(unit.cell!.column ?? '')) >= 0.6),
        ),
        Math.log(1 + unit.text.length) / 6,
      ];
      return { unit, held, fits, features };
    })
    .sort((one, other) => other.held + other.fits / 3 - one.held - one.fits / 3);
}

const allWords = ({ words, above, document }: Unit) => [...words, ...above, ...document];
const numbersOf = (text: string) => [...text.matchAll(/\d[\d.,:]*/gu)].length;

const heldBy = (word: string, { words, above, document, before }: Unit): number =>
  Math.max(
    bestLikeness(word, words),
    headingWeight * Math.max(bestLikeness(word, above), bestLikeness(word, document)),
    precedingWeight * bestLikeness(word, before),
  );

/** Degree to which the text has the expected type; 0 as well if it may be worded differently; -1 if it cannot be the answer. */
function fit(unit: Unit, expected: Expected | undefined, question: string, { headings }: QuotedPassage): number {
  if (!expected) return 0;
  const { kind, text, answer, cell, above } = unit;
  const without = expected.required ? -1 : 0;
  // A whole row states more numbers than the one that is asked for.
  if (kind === 'row' && expected.kind !== 'name') return -1;
  if (kind === 'cell') {
    const { row, column, header } = cell!;
    const names = { column: column ?? '', around: `${row} ${header} ${headings.join(' ')}` };
    const held = cellHolds(expected, question, answer, names);
    const counts = expected.kind !== 'number' || countsIn(question, [...unit.words, ...above, ...wordsOf(answer)]);
    return held > 0 && counts ? held : expected.kind === 'person' ? -1 : without;
  }
  const said = withoutAsked(answer, question, expected);
  const held = Number(expected.holds(said)) || (expected.mayHold?.(said) ? 0.5 : 0);
  if (held === 0) return without;
  const counts = kind === 'backwards' || kind === 'row' || expected.kind !== 'number' || countsWhat(question, text);
  return counts ? held * (expected.weighs ?? 1) : without;
}

/** Whether one sentence of a pair has all question words of the pair, and the expected type. */
function isRedundantPair({ parts }: Unit, asked: string[], expected: Expected | undefined, question: string): boolean {
  const holds = (text: string) => !expected || expected.holds(withoutAsked(text, question, expected));
  const held = (text: string) => {
    const words = wordsOf(text);
    return asked.filter((word) => bestLikeness(word, words) >= 0.6).length;
  };
  const both = held(parts!.join(' '));
  return parts!.some((part) => held(part) === both && holds(part));
}

/** Whether a cell matches: the question is about its row, or, for a reverse lookup, about the value in it. */
function isOfRow({ kind, cell }: Unit, asked: string[], question: string): boolean {
  if (!cell) return true;
  if (kind !== 'backwards') return cell.row === '' || share(wordsOf(cell.row), asked) > 0;
  return (
    /(?<!\p{L})(?:which|what|who|welche[rs]?|wer|quel(?:le)?s?|qui|qué|quién|cuál(?:es)?)(?!\p{L})/iu.test(question) &&
    share(wordsOf(cell.value), asked) >= 0.5
  );
}

/** Number of tokens of a column's name that the question has, less those that it lacks. Names of models differ by one letter. */
function tokensAsked(column: string, question: string): number {
  const tokens = column.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const said = new Set(question.toLowerCase().match(/[\p{L}\p{N}]+/gu));
  return tokens.reduce((sum, token) => sum + (said.has(token) ? 1 : -0.5), 0) / 3;
}

/** Share of the words of row and column that the question has. */
export const named = ({ cell }: Unit, asked: string[]): number =>
  share(wordsOf(`${cell!.row} ${cell!.column ?? ''}`), asked);

const share = (words: string[], asked: string[]): number =>
  words.length === 0 ? 0 : words.filter((word) => bestLikeness(word, asked) >= 0.6).length / words.length;
