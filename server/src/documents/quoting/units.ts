// Quotable units of passages: sentences and table cells, each with the text that is compared.

import { type Sentence, sentencesOf } from './sentences.ts';
import { type Cell, cellsOf, cellText, isRow, rowText } from './tables.ts';
import { wordsOf } from './words.ts';

export interface QuotedPassage {
  text: string;
  title: string | null;
  headings: string[];
  header: string | null;
  /** Name of the file. */
  file: string;
}

export interface Unit {
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
  /** Words of the file name and of the document's title. */
  document: string[];
  sentence?: Sentence;
  cell?: Cell;
  /** Reverse lookup: the question asks for the row by a value in it. */
  backwards?: true;
}

/** Maximum number of units of a passage. Passages have a few hundred words, so only contrived ones have more. */
const maxUnits = 300;

export function unitsOf(passages: QuotedPassage[]): Unit[] {
  const seen = new Set<string>();
  return passages
    .flatMap((passage, at) => [...sentenceUnits(passage, at), ...cellUnits(passage, at)].slice(0, maxUnits))
    .filter(({ compared, backwards }) => {
      const key = `${compared}${backwards ?? ''}`;
      return !seen.has(key) && seen.add(key);
    });
}

const stemOf = (file: string) => file.replace(/\.[^.]*$/, '').replace(/[_-]+/g, ' ');

function sentenceUnits(passage: QuotedPassage, at: number): Unit[] {
  const lines = passage.text.split('\n');
  const heading = passage.headings.at(-1) ?? '';
  const above = wordsOf(passage.headings.join(' '));
  const document = wordsOf(`${stemOf(passage.file)} ${passage.title ?? ''}`);
  let question = '';
  return sentencesOf(passage.text).flatMap((sentence) => {
    if (isRow(lines[sentence.line]!) || passage.headings.includes(sentence.text)) return [];
    // In a FAQ, a question describes the sentences after it.
    if (/[?？¿]["')»]*$/.test(sentence.text)) {
      question = sentence.text;
      return [];
    }
    const { start, end, line, text } = sentence;
    const led = [heading, question].filter(Boolean).join(' ');
    return [
      {
        ...{ passage: at, start, end, line, text, sentence },
        compared: led === '' ? text : `${led}: ${text}`,
        words: wordsOf(text),
        document,
        above: question === '' ? above : [...above, ...wordsOf(question)],
      },
    ];
  });
}

function cellUnits(passage: QuotedPassage, at: number): Unit[] {
  const heading = passage.headings.at(-1) ?? '';
  const above = wordsOf(passage.headings.join(' '));
  const document = wordsOf(`${stemOf(passage.file)} ${passage.title ?? ''}`);
  return cellsOf(passage.text, passage.header).flatMap((cell) => {
    const { start, end, line } = cell;
    const base = { passage: at, start, end, line, above, document, cell };
    const compared = `${heading === '' ? '' : `${heading}: `}${cellText(cell)}`;
    const forwards: Unit = {
      ...{ ...base, text: cellText(cell), compared },
      words: wordsOf(`${cell.row} ${cell.column ?? cell.header}`),
    };
    if (cell.row === '') return [forwards];
    const backwards: Unit = {
      ...{ ...base, text: rowText(cell), compared: `${heading}: ${rowText(cell)}`, backwards: true as const },
      words: wordsOf(`${cell.value} ${cell.column ?? ''} ${cell.named ?? ''}`),
    };
    return [forwards, backwards];
  });
}
