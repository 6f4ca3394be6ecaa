// Units of passages that can be quoted: sentences and the cells of tables, each with the text that it is compared by.

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
  /** Place of the passage among those that were found. */
  passage: number;
  /** Place in the text of the passage. */
  start: number;
  end: number;
  line: number;
  text: string;
  /** Text that it is embedded with: the innermost heading and, of a cell, its row and column. */
  compared: string;
  words: string[];
  /** Words of the headings above it, and of the question that it answers. */
  above: string[];
  /** Words of the file's name and of the document's title. */
  document: string[];
  sentence?: Sentence;
  cell?: Cell;
  /** A row that is asked for by what stands in it. */
  backwards?: true;
}

/** Units of a passage that are read: passages have a few hundred words, so only a contrived one has more. */
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
    // The questions of a list of questions say what the sentences after them answer.
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
