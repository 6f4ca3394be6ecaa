// Reads rows from CSV: a header row, then records. The header determines the separator (comma, semicolon, tab). UTF-8, optional BOM.
import { Refusal } from '@lorekeep/contract';
import { CsvProblem, csvRecords } from '@lorekeep/reader';
import { quotedName } from '../http/quoted-name.ts';
import type { Columns } from './columns.ts';
import { type FoundRow, maxRowLength } from './row.ts';

export async function* csvRows(
  bytes: AsyncIterable<Buffer>,
  name: string,
  columns: Columns,
): AsyncGenerator<FoundRow[]> {
  const file = quotedName(name);
  const unreadable = (reason: string) => new Refusal('file_unreadable', { file, reason });
  const texts = decoded(bytes, unreadable);
  const first = await texts.next();
  const start = first.done ? '' : first.value;
  async function* whole() {
    yield start;
    yield* texts;
  }
  let header: string[] | undefined;
  let rows = 0;
  try {
    for await (const records of csvRecords(whole(), { delimiter: delimiterOf(start), maxLength: maxRowLength })) {
      const batch: FoundRow[] = [];
      for (const { cells, line } of records) {
        if (!header) {
          header = headerOf(cells, columns, unreadable);
          continue;
        }
        const place = { number: ++rows, line };
        const problem = `has ${cells.length} ${cells.length === 1 ? 'value' : 'values'} where the header has ${header.length}`;
        batch.push(
          cells.length === header.length
            ? { ...place, value: rowOf(header, cells) }
            : { ...place, value: undefined, problem },
        );
      }
      yield batch;
    }
  } catch (error) {
    if (!(error instanceof CsvProblem)) throw error;
    throw unreadable(
      error.code === 'length' ? `a row near line ${error.line} is longer than ${maxRowLength} bytes` : error.message,
    );
  }
}

async function* decoded(bytes: AsyncIterable<Buffer>, unreadable: (reason: string) => Refusal): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const chunk of bytes) yield decoder.decode(chunk, { stream: true });
    yield decoder.decode();
  } catch (error) {
    if (error instanceof TypeError) throw unreadable('it is not UTF-8 text; in a spreadsheet, save it as "CSV UTF-8"');
    throw error;
  }
}

/** The most frequent separator in the header, outside quotes. */
function delimiterOf(start: string): string {
  const header = (start.split(/[\r\n]/, 1)[0] ?? '').replace(/"[^"]*"/g, '');
  const count = (separator: string) => header.split(separator).length - 1;
  return [',', ';', '\t'].reduce((best, next) => (count(next) > count(best) ? next : best));
}

/** Drops columns without a name: spreadsheets leave empty ones at the end. */
function rowOf(header: string[], record: string[]): Record<string, unknown> {
  return Object.fromEntries(header.map((field, index) => [field, record[index]] as const).filter(([field]) => field));
}

function headerOf(record: string[], { input, output }: Columns, unreadable: (reason: string) => Refusal): string[] {
  const names = record.map((cell) => cell.trim());
  const is = (name: string, column: string) => name.toLowerCase() === column.toLowerCase();
  for (const column of [input, output]) {
    if (!names.some((name) => is(name, column))) {
      const found = names
        .slice(0, 20)
        .map((name) => `"${name.slice(0, 50)}"`)
        .join(', ');
      throw unreadable(
        `its header has no column "${column}" but ${found || 'nothing'}; name the columns input and output, or say their names with input_column and output_column`,
      );
    }
  }
  const twice = names.find((name, index) => name && names.findIndex((other) => is(other, name)) < index);
  if (twice) throw unreadable(`its header has the column "${twice.slice(0, 50)}" twice`);
  return names.map((name) =>
    // Drops another column named input or output, which would replace the selected one.
    is(name, input) ? 'input' : is(name, output) ? 'output' : name === 'input' || name === 'output' ? '' : name,
  );
}
