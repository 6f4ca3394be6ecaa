// Rows out of CSV: a header row, then records. Commas, semicolons or tabs, told by the header; UTF-8, with or without a mark.
import { Readable } from 'node:stream';
import { Refusal } from '@lorekeep/contract';
import { parse } from 'csv-parse';
import { shownName } from '../http/shown-name.ts';
import type { Columns } from './columns.ts';
import { type FoundRow, longestRow } from './row.ts';

interface Parsed {
  record: string[];
  info: { lines: number };
}

const batchSize = 500;

export async function* csvRows(
  bytes: AsyncIterable<Buffer>,
  name: string,
  columns: Columns,
): AsyncGenerator<FoundRow[]> {
  const file = shownName(name);
  const unreadable = (reason: string) => new Refusal('file_unreadable', { file, reason });
  const texts = decoded(bytes, unreadable);
  const first = await texts.next();
  const start = first.done ? '' : first.value;
  async function* whole() {
    yield start;
    yield* texts;
  }
  const parser = parse({
    delimiter: delimiterOf(start),
    bom: true,
    info: true,
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: longestRow,
  });
  // A reader that stops early must not leave the source waiting, and an error of the source must reach the reader.
  const source = Readable.from(whole());
  source.on('error', (error) => parser.destroy(error));
  source.pipe(parser);

  let header: string[] | undefined;
  let rows = 0;
  let batch: FoundRow[] = [];
  try {
    for await (const { record, info } of parser as AsyncIterable<Parsed>) {
      if (!header) {
        header = headerOf(record, columns, unreadable);
        continue;
      }
      rows++;
      const place = { number: rows, line: info.lines };
      batch.push(
        record.length === header.length
          ? { ...place, value: rowOf(header, record) }
          : {
              ...place,
              value: undefined,
              problem: `has ${record.length} values where the header has ${header.length}`,
            },
      );
      if (batch.length >= batchSize) {
        yield batch;
        batch = [];
      }
    }
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw unreadable(csvProblem(error as { code?: string; message: string; lines?: number }));
  }
  yield batch;
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

/** The separator that stands most often in the header, outside quotes. */
function delimiterOf(start: string): string {
  const header = (start.split(/\r?\n/, 1)[0] ?? '').replace(/"[^"]*"/g, '');
  const count = (separator: string) => header.split(separator).length - 1;
  return [',', ';', '\t'].reduce((best, next) => (count(next) > count(best) ? next : best));
}

/** Columns without a name are the empty ones that spreadsheets leave at the end. */
function rowOf(header: string[], record: string[]): Record<string, unknown> {
  return Object.fromEntries(header.map((field, index) => [field, record[index]] as const).filter(([field]) => field));
}

function headerOf(record: string[], { input, output }: Columns, unreadable: (reason: string) => Refusal): string[] {
  const names = record.map((cell) => cell.trim());
  const is = (name: string, wanted: string) => name.toLowerCase() === wanted.toLowerCase();
  for (const wanted of [input, output]) {
    if (!names.some((name) => is(name, wanted))) {
      const found = names
        .slice(0, 20)
        .map((name) => `"${name.slice(0, 50)}"`)
        .join(', ');
      throw unreadable(
        `its header has no column "${wanted}" but ${found || 'nothing'}; name the columns input and output, or say their names with input_column and output_column`,
      );
    }
  }
  const twice = names.find((name, index) => name && names.findIndex((other) => is(other, name)) < index);
  if (twice) throw unreadable(`its header has the column "${twice.slice(0, 50)}" twice`);
  return names.map((name) =>
    // A column called input that is not the one asked for would stand in its place.
    is(name, input) ? 'input' : is(name, output) ? 'output' : name === 'input' || name === 'output' ? '' : name,
  );
}

function csvProblem({ code, message, lines }: { code?: string; message: string; lines?: number }): string {
  const where = lines ? ` near line ${lines}` : '';
  if (code === 'CSV_MAX_RECORD_SIZE') return `a row${where} is longer than ${longestRow} bytes`;
  if (code === 'CSV_QUOTE_NOT_CLOSED') return `a quote opened${where} is not closed`;
  if (code === 'CSV_INVALID_CLOSING_QUOTE' || code === 'INVALID_OPENING_QUOTE')
    return `a quote${where} stands inside a value; double it`;
  return message.slice(0, 200);
}
