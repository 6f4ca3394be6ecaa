// Tables in characters: a row a record, read as a stream, with the row of names marked as the header.
import { Readable } from 'node:stream';
import { parse } from 'csv-parse';
import { blocks, cleanText, type FileToRead, type Found, rowText } from '../block.ts';
import { damaged, Unreadable } from '../failures.ts';
import { csvShape } from './csv-shape.ts';
import { decodedFile, encodingOf, headOf } from './encoding.ts';

const longestRow = 4 * 1024 * 1024;

export async function* parseCsv(file: FileToRead): AsyncGenerator<Found> {
  const head = new TextDecoder(await encodingOf(file.path)).decode(await headOf(file.path, 64 * 1024));
  const ending = /\.([a-z0-9]+)$/i.exec(file.name)?.[1]?.toLowerCase() ?? '';
  const delimiter = csvShape(head, ending, file.bytes <= 64 * 1024) ?? ',';
  const parser = parse({
    delimiter,
    bom: true,
    info: true,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    max_record_size: longestRow,
  });
  const source = Readable.from(decodedFile(file.path));
  source.on('error', (error) => parser.destroy(error));
  source.pipe(parser);
  let line = 1;
  let first = true;
  try {
    for await (const { record, info } of parser as AsyncIterable<{ record: string[]; info: { lines: number } }>) {
      const cells = record.map(cleanText);
      const header = first && namesColumns(cells);
      yield* blocks({ kind: 'row', text: rowText(cells), line, ...(header ? { header } : {}) });
      first = false;
      line = info.lines + 1;
    }
  } catch (error) {
    if ((error as { code?: string }).code === 'CSV_MAX_RECORD_SIZE')
      throw new Unreadable('row_too_long', { line, limit: longestRow });
    throw damaged(error);
  } finally {
    source.destroy();
  }
}

/** Names are short, there is no number among them, and none stands there twice. */
export function namesColumns(cells: string[]): boolean {
  const names = cells.map((cell) => cell.trim()).filter((cell) => cell !== '');
  return (
    names.length >= Math.min(2, cells.length) &&
    names.length > 0 &&
    new Set(names).size === names.length &&
    names.every((name) => name.length <= 100 && !/^[-+]?[\d.,%\s]+$/.test(name))
  );
}
