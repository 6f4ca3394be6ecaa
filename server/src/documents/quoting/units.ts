// Quotable units of passages: sentences and table cells, each with the text that is compared.

import { type Sentence, sentencesOf } from './sentences.ts';
import { type Cell, cellsOf, cellText, isLabelled, isRow, rowText } from './tables.ts';
import { bestLikeness, wordsOf } from './words.ts';

export interface QuotedPassage {
  text: string;
  title: string | null;
  headings: string[];
  header: string | null;
  /** Name of the file. */
  file: string;
}

/** Kind of a unit. `pair`: a sentence with the one before. `backwards`: a reverse lookup of the row by a value in it. */
export type UnitKind = 'sentence' | 'pair' | 'heading' | 'cell' | 'row' | 'backwards';

export interface Unit {
  kind: UnitKind;
  /** Index of the passage in the search results. */
  passage: number;
  /** Offset in the text of the passage. */
  start: number;
  end: number;
  line: number;
  text: string;
  /** Text to embed, with the innermost heading and, for a cell, its row and column. */
  compared: string;
  words: string[];
  /** Words of the headings, and of the FAQ question before it. */
  above: string[];
  /** Words of the sentence before it, and of the sentence that introduces its list. */
  before: string[];
  /** Words of the file name and of the document's title. */
  document: string[];
  /** Both sentences of a pair. */
  parts?: [string, string];
  /** The sentence that introduces the list of this item, in a pair with it. */
  lead?: string;
  /** The part that has to hold the answer: the value of a cell, the second sentence of a pair. */
  answer: string;
  cell?: Cell;
}

/** Maximum number of units of a passage. Passages have a few hundred words, so only contrived ones have more. */
const maxUnits = 400;

export function unitsOf(passages: QuotedPassage[], asked: string[]): Unit[] {
  const seen = new Set<string>();
  return passages
    .flatMap((passage, at) =>
      [...sentenceUnits(passage, at), ...headingUnits(passage, at), ...tableUnits(passage, at, asked)].slice(
        0,
        maxUnits,
      ),
    )
    .filter(({ compared, kind }) => {
      const key = `${kind} ${compared}`;
      return !seen.has(key) && seen.add(key);
    });
}

const stemOf = (file: string) => file.replace(/\.[^.]*$/, '').replace(/[_-]+/g, ' ');
const documentWords = ({ file, title }: QuotedPassage) => wordsOf(`${stemOf(file)} ${title ?? ''}`);
const aboveWords = ({ headings }: QuotedPassage) => wordsOf(headings.join(' '));
const withHeading = (heading: string, text: string) => (heading === '' ? text : `${heading}: ${text}`);
const introductionEnd = /[:：]["')»]*$/u;

function sentenceUnits(passage: QuotedPassage, at: number): Unit[] {
  const lines = passage.text.split('\n');
  const heading = passage.headings.at(-1) ?? '';
  const above = aboveWords(passage);
  const document = documentWords(passage);
  let question = '';
  let lead: Sentence | undefined;
  let term: Sentence | undefined;
  let previous: Sentence | undefined;
  return sentencesOf(passage.text).flatMap((sentence): Unit[] => {
    if (
      (isRow(lines[sentence.line]!) && !isLabelled(lines[sentence.line]!)) ||
      passage.headings.includes(sentence.text)
    ) {
      previous = undefined;
      lead = undefined;
      return [];
    }
    // In a FAQ, a question describes the sentences after it.
    if (/[?？¿]["')»]*$/.test(sentence.text)) {
      question = sentence.text;
      previous = undefined;
      return [];
    }
    const { start, end, line, text } = sentence;
    const neighbour = previous?.line === line ? previous : undefined;
    if (term && line > term.line + 1) term = undefined;
    if (isTerm(sentence, lines)) {
      term = sentence;
      previous = undefined;
      return [];
    }
    if (lead && line > lead.line && !isItem(lines[line]!, lines[line - 1])) lead = undefined;
    const leading = neighbour ?? term ?? lead;
    const led = [heading, question].filter(Boolean).join(' ');
    const unit: Unit = {
      ...{ kind: 'sentence', passage: at, start, end, line, text, answer: text, document },
      compared: withHeading(led, text),
      words: wordsOf(text),
      before: wordsOf([lead?.text, term?.text, neighbour?.text].filter(Boolean).join(' ')),
      above: question === '' ? above : [...above, ...wordsOf(question)],
    };
    previous = sentence;
    if (introductionEnd.test(text)) lead = sentence;
    if (!leading || leading === sentence || text.length + leading.text.length > maxPairLength) return [unit];
    return [unit, pairOf(unit, leading, led, { adjoins: leading === neighbour, isTerm: leading === term })];
  });
}

/** A sentence with the one before it, or with the line that introduces it, which is not adjacent. */
function pairOf(
  unit: Unit,
  leading: Sentence,
  led: string,
  { adjoins, isTerm }: { adjoins: boolean; isTerm: boolean },
): Unit {
  const lead = isTerm ? `${leading.text}:` : leading.text;
  const text = `${lead} ${unit.text}`;
  const words = { text, parts: [leading.text, unit.text] as [string, string], words: wordsOf(text) };
  const pair: Unit = { ...unit, kind: 'pair', compared: withHeading(led, text), ...words };
  return adjoins ? { ...pair, start: leading.start } : { ...pair, lead };
}

const maxPairLength = 380;

/** Whether a line is a term of a definition list: a few words without a mark at their end, above a line of sentences. */
function isTerm({ text, line }: Sentence, lines: string[]): boolean {
  const next = lines[line + 1]?.trim() ?? '';
  return (
    lines[line]!.trim() === text &&
    /^["“]?\p{Lu}[^.!?:;]*[^.!?:;,]$/u.test(text) &&
    text.split(/\s+/).length <= 8 &&
    /[.!?]$/.test(next) &&
    !isRow(next) &&
    !/^(?:[-*•–]|\d|\()/.test(next)
  );
}

/** Whether a line belongs to the list that a sentence before it introduces. Readers of some formats drop the marks of items. */
const isItem = (line: string, before: string | undefined) =>
  /^\s*(?:[-*•–]|\d{1,2}[.)]|\(?\p{Ll}\))\s/u.test(line) || (before !== undefined && line.length < 160);

/** Sentences with the heading above them, since a heading may state the answer: "4.6.0 – 21 May". */
function headingUnits(passage: QuotedPassage, at: number): Unit[] {
  const lines = passage.text.split('\n');
  const document = documentWords(passage);
  return passage.headings
    .slice(-2)
    .filter((heading) => /\d\.\d.*\d|(?<!\d)(?:1[5-9]|20)\d\d(?!\d)/.test(heading))
    .flatMap((heading) =>
      sentencesOf(passage.text)
        .filter(
          (sentence) =>
            !passage.headings.includes(sentence.text) &&
            !isRow(lines[sentence.line]!) &&
            !isTerm(sentence, lines) &&
            sentence.text.length <= maxPairLength,
        )
        .map(({ start, end, line, text }) => ({
          ...{
            kind: 'heading' as const,
            passage: at,
            start,
            end,
            line,
            before: [],
            above: [],
            document,
            answer: heading,
          },
          ...{ text: `${heading}: ${text}`, compared: `${heading}: ${text}`, words: wordsOf(`${heading} ${text}`) },
        })),
    );
}

function tableUnits(passage: QuotedPassage, at: number, asked: string[]): Unit[] {
  const heading = passage.headings.at(-1) ?? '';
  const shared = { passage: at, above: aboveWords(passage), before: [], document: documentWords(passage) };
  const cells = cellsOf(passage.text, passage.header).map((cell) => ({ ...cell, row: rowOf(cell, asked) }));
  const units = cells.flatMap((cell): Unit[] => {
    const { start, end, line, row, column, header, value, named } = cell;
    const base = { ...shared, start, end, line, cell };
    const text = cellText(cell);
    const forwards: Unit = {
      ...{ ...base, kind: 'cell', text, answer: value },
      compared: withHeading(heading, column === null && header !== '' ? `${header}: ${text}` : text),
      words: wordsOf(`${row} ${column ?? header}`),
    };
    if (row === '') return [forwards];
    const backwards: Unit = {
      ...{ ...base, kind: 'backwards', text: rowText(cell), compared: `${heading}: ${rowText(cell)}`, answer: row },
      words: wordsOf(`${value} ${column ?? ''} ${named ?? ''}`),
    };
    return [forwards, backwards];
  });
  return [...units, ...rowUnits(cells, heading, shared)];
}

const maxRowLength = 240;

/** Whole rows of tables with a header, for questions that name the row and no column. */
function rowUnits(
  cells: Cell[],
  heading: string,
  shared: Pick<Unit, 'passage' | 'above' | 'before' | 'document'>,
): Unit[] {
  const rows = Map.groupBy(
    cells.filter(({ column }) => column !== null),
    ({ line, row }) => `${line} ${row}`,
  );
  return [...rows.values()].flatMap((row): Unit[] => {
    const [first] = row;
    const text = `${first!.row}, ${row.map(({ column, value }) => `${column}: ${value}`).join('; ')}`;
    if (row.length < 2 || first!.row === '' || text.length > maxRowLength) return [];
    const place = { start: first!.start, end: row.at(-1)!.end, line: first!.line };
    const answer = row.map(({ value }) => value).join(' ');
    return [
      {
        ...shared,
        ...place,
        kind: 'row',
        text,
        compared: withHeading(heading, text),
        words: wordsOf(text),
        answer,
        cell: first!,
      },
    ];
  });
}

/**
 * The name of a row by the words of the question: its first cell, or another cell of words that the question names. A size or the like
 * that the question states tells rows of one name apart: "Garden hose, 50 m".
 */
function rowOf({ row, others, sizes }: Cell, asked: string[]): string {
  const held = (text: string) => {
    const words = wordsOf(text);
    return words.length === 0 ? 0 : words.filter((word) => bestLikeness(word, asked) >= 0.6).length / words.length;
  };
  if (row === '') return row;
  const stated = sizes.filter((size) => !row.includes(size) && wordsOf(size).every((word) => asked.includes(word)));
  if (held(row) > 0) return [row, ...stated].join(', ');
  const named = others.filter((other) => !/^\P{L}*\d/u.test(other) && held(other) >= 0.5);
  return named.length === 0 ? row : [...named, ...stated].join(', ');
}
