// CSV files: streams records as rows, with the header marked.

import { blocks, cleanText, type FileToRead, type Parsed, rowText } from '../block.ts';
import { damaged, Unreadable } from '../failures.ts';
import { CsvProblem, csvRecords } from './csv-records.ts';
import { csvShape } from './csv-shape.ts';
import { decodedFile, encodingOf, firstBytes } from './encoding.ts';

const maxRowLength = 4 * 1024 * 1024;

export async function* parseCsv(file: FileToRead): AsyncGenerator<Parsed> {
  const head = new TextDecoder(await encodingOf(file.path)).decode(await firstBytes(file.path, 64 * 1024));
  const ending = /\.([a-z0-9]+)$/i.exec(file.name)?.[1]?.toLowerCase() ?? '';
  const delimiter = csvShape(head, ending, file.bytes <= 64 * 1024) ?? ',';
  let first = true;
  let rows = 0;
  try {
    for await (const records of csvRecords(decodedFile(file), { delimiter, maxLength: maxRowLength }))
      for (const { cells: values, line } of records) {
        const cells = values.map((cell) => (cell === '' ? '' : cleanText(cell)));
        const header: boolean = first && namesColumns(cells);
        yield* blocks({ kind: 'row', text: rowText(cells), line, ...(header ? { header } : {}) });
        first &&= !header && ++rows < maxTitleRows && isTitle(cells);
      }
  } catch (error) {
    if (!(error instanceof CsvProblem)) throw error;
    throw error.code === 'length'
      ? new Unreadable('row_too_long', { line: error.line, limit: maxRowLength })
      : damaged(error);
  }
}

/** Maximum rows above the header, such as a title, a date or an empty row. */
export const maxTitleRows = 10;

export const isTitle = (cells: string[]): boolean => cells.filter((cell) => cell.trim() !== '').length <= 1;

/** A header has short names, no numbers and no duplicates. */
export function namesColumns(cells: string[]): boolean {
  const names = cells.map((cell) => cell.trim()).filter((cell) => cell !== '');
  return (
    names.length >= Math.min(2, cells.length) &&
    names.length > 0 &&
    new Set(names).size === names.length &&
    names.every((name) => name.length <= 100 && !/^[-+]?[\d.,%\s]+$/.test(name))
  );
}
