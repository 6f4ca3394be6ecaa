// Reads rows from Parquet, a few pages at a time: a row group may exceed the memory, so each column is decoded page by page and the columns
// are zipped. Every size stated in the file is bounded before memory is allocated for it.
import { Refusal } from '@lorekeep/contract';
import {
  type AsyncBuffer,
  type ColumnMetaData,
  type Compressors,
  type FileMetaData,
  parquetMetadataAsync,
  parquetRead,
} from 'hyparquet';
import { parquetHeader } from 'hyparquet/src/column.js';
import { compressors } from 'hyparquet-compressors';
import { quotedName } from '../http/quoted-name.ts';
import type { Columns } from './columns.ts';
import { exactSchema, parsers } from './parquet-values.ts';
import type { FoundRow } from './row.ts';

/** A file with random access. */
export interface ParquetSource {
  byteLength: number;
  slice(start: number, end: number): Promise<ArrayBuffer>;
}

const maxPageBytes = 64 << 20;
const maxFooterBytes = 64 << 20;
const maxValuesOfPage = 4 << 20;
const maxColumns = 64;
/** Pages are decoded together up to this many unpacked bytes and values: enough to be fast, few enough to bound memory. */
const batchBytes = 256 << 10;
const batchValues = 10_000;
/** Rows that are yielded together: few enough to be collected in the young generation. */
const batchRows = 1000;

export async function* parquetRows(source: ParquetSource, name: string, columns: Columns): AsyncGenerator<FoundRow[]> {
  const unreadable = (reason: string, cause?: unknown) =>
    new Refusal('file_unreadable', { file: quotedName(name), reason }, { cause });
  try {
    const metadata = await readMetadata(source, unreadable);
    const selected = wantedColumns(metadata, columns, unreadable);
    let number = 0;
    for (const group of metadata.row_groups) {
      if (Number(group.num_rows) === 0) continue;
      const readers = selected.map(({ path, as }) => {
        const column = group.columns.find((candidate) => candidate.meta_data?.path_in_schema[0] === path)?.meta_data;
        if (!column) throw unreadable(`a row group lacks the column "${path}"`);
        return { as, values: new ValueBuffer(columnValues(source, metadata, column, unreadable)) };
      });
      for (let left = Number(group.num_rows); left > 0; ) {
        const available = await Promise.all(readers.map(({ values }) => values.available()));
        const count = Math.min(batchRows, left, ...available);
        if (count === 0) throw unreadable('a column has fewer values than the file says');
        const taken = readers.map(({ as, values }) => ({ as, values: values.take(count) }));
        yield Array.from({ length: count }, (_, index) => ({
          number: ++number,
          value: Object.fromEntries(taken.map(({ as, values }) => [as, values[index]])),
        }));
        left -= count;
      }
      for (const { values } of readers)
        if ((await values.available()) > 0) throw unreadable('a column has more values than the file says');
    }
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw unreadable(`it is damaged (${(error as Error).message.slice(0, 150)})`, error);
  }
}

async function readMetadata(source: ParquetSource, unreadable: (reason: string) => Refusal): Promise<FileMetaData> {
  if (source.byteLength < 12) throw unreadable('it is cut off');
  const tail = new DataView(await source.slice(source.byteLength - 8, source.byteLength));
  if (tail.getUint32(4, true) !== 0x31524150)
    throw unreadable('it does not end as Parquet files do: it is cut off or encrypted');
  const length = tail.getUint32(0, true);
  if (length > maxFooterBytes || length > source.byteLength - 12)
    throw unreadable('its footer is larger than the file');
  return await parquetMetadataAsync(source as AsyncBuffer, { initialFetchSize: length + 8 });
}

/** The two selected columns as `input` and `output`, and every other flat column under its own name. */
function wantedColumns(
  metadata: FileMetaData,
  { input, output }: Columns,
  unreadable: (reason: string) => Refusal,
): { path: string; as: string }[] {
  const root = metadata.schema[0]?.num_children ?? 0;
  const flat = metadata.schema
    .slice(1)
    .filter((element) => element.type !== undefined && element.repetition_type !== 'REPEATED');
  const topLevel = new Set(
    metadata.row_groups[0]?.columns
      .filter((column) => column.meta_data?.path_in_schema.length === 1)
      .map((column) => column.meta_data!.path_in_schema[0]!) ?? flat.map((element) => element.name),
  );
  const names = flat.map((element) => element.name).filter((name) => topLevel.has(name));
  for (const column of [input, output]) {
    if (!names.includes(column)) {
      const found = names
        .slice(0, 20)
        .map((column) => `"${column.slice(0, 50)}"`)
        .join(', ');
      throw unreadable(
        `it has no column "${column}" but ${found || 'none that is flat'}; say the names with input_column and output_column`,
      );
    }
  }
  if (root > maxColumns * 16 || names.length > maxColumns) throw unreadable(`it has more than ${maxColumns} columns`);
  return (
    names
      // Drops another column named input or output, which would replace the selected one.
      .filter((path) => path === input || path === output || (path !== 'input' && path !== 'output'))
      .map((path) => ({ path, as: path === input ? 'input' : path === output ? 'output' : path }))
  );
}

/** The values of one column of one row group, page by page. */
async function* columnValues(
  source: ParquetSource,
  metadata: FileMetaData,
  column: ColumnMetaData,
  unreadable: (reason: string) => Refusal,
): AsyncGenerator<unknown[]> {
  let at = Number(column.dictionary_page_offset || column.data_page_offset);
  if (Number(column.data_page_offset) < at) at = Number(column.data_page_offset);
  const end = at + Number(column.total_compressed_size);
  if (at < 4 || end > source.byteLength) throw unreadable('a column lies outside the file');
  let dictionary: Uint8Array | undefined;
  let pages: Uint8Array[] = [];
  let bytes = 0;
  let values = 0;
  while (at < end) {
    const page = await readPage(source, at, end, unreadable);
    at += page.bytes.length;
    if (page.isDictionary) {
      dictionary = page.bytes;
      continue;
    }
    pages.push(page.bytes);
    bytes += page.unpacked;
    values += page.values;
    if (bytes >= batchBytes || values >= batchValues || at >= end) {
      if (values > 0) yield await decode(metadata, column, dictionary, pages, values);
      pages = [];
      bytes = values = 0;
    }
  }
}

async function readPage(source: ParquetSource, at: number, end: number, unreadable: (reason: string) => Refusal) {
  const window = new DataView(await source.slice(at, Math.min(end, at + 8192)));
  const reader = { view: window, offset: 0 };
  const header = parquetHeader(reader);
  const size = reader.offset + header.compressed_page_size;
  const data = header.data_page_header ?? header.data_page_header_v2 ?? header.dictionary_page_header;
  if (!data || !(header.compressed_page_size >= 0) || at + size > end) throw unreadable('a page is cut off');
  if (header.uncompressed_page_size > maxPageBytes || size > maxPageBytes)
    throw unreadable(`a page is larger than ${maxPageBytes} bytes`);
  if (!(data.num_values >= 0) || data.num_values > maxValuesOfPage)
    throw unreadable(`a page has more than ${maxValuesOfPage} values`);
  return {
    bytes: new Uint8Array(await source.slice(at, at + size)),
    unpacked: header.uncompressed_page_size,
    isDictionary: header.dictionary_page_header !== undefined,
    values: data.num_values,
  };
}

/** Decodes some pages with the library, as an in-memory file that holds only these pages. */
async function decode(
  metadata: FileMetaData,
  column: ColumnMetaData,
  dictionary: Uint8Array | undefined,
  pages: Uint8Array[],
  values: number,
): Promise<unknown[]> {
  const mark = new TextEncoder().encode('PAR1');
  const parts = [mark, ...(dictionary ? [dictionary] : []), ...pages];
  const buffer = new ArrayBuffer(parts.reduce((sum, part) => sum + part.length, 0));
  let end = 0;
  for (const part of parts) {
    new Uint8Array(buffer).set(part, end);
    end += part.length;
  }
  const { dictionary_page_offset: _, ...rest } = column;
  const meta_data: ColumnMetaData = {
    ...rest,
    num_values: BigInt(values),
    total_compressed_size: BigInt(buffer.byteLength - mark.length),
    data_page_offset: BigInt(mark.length + (dictionary?.length ?? 0)),
    ...(dictionary && { dictionary_page_offset: BigInt(mark.length) }),
  };
  const path = column.path_in_schema[0]!;
  const { schema, exact } = exactSchema(metadata, path);
  const found: unknown[] = [];
  await parquetRead({
    file: { byteLength: buffer.byteLength, slice: (from, to) => buffer.slice(from, to) },
    metadata: {
      ...metadata,
      schema,
      num_rows: BigInt(values),
      row_groups: [
        {
          columns: [{ file_offset: 0n, meta_data }],
          total_byte_size: BigInt(buffer.byteLength),
          num_rows: BigInt(values),
        },
      ],
    },
    columns: [path],
    compressors: boundedCompressors,
    parsers,
    onChunk: ({ columnData }) => {
      for (const value of columnData) found.push(exact(value));
    },
  });
  if (found.length !== values) throw new Error(`a page states ${values} values and holds ${found.length}`);
  return found;
}

/** Decompressors that refuse pages above the size limit (decompression bombs). */
const boundedCompressors: Compressors = Object.fromEntries(
  Object.entries(compressors).map(([name, unpack]) => [
    name,
    (input: Uint8Array, length: number) => {
      if (length > maxPageBytes) throw new Error('a page unpacks to too much');
      return unpack!(input, length);
    },
  ]),
);

/** Buffers values that arrive in batches of one size and are taken in another. */
class ValueBuffer {
  readonly #source: AsyncGenerator<unknown[]>;
  #values: unknown[] = [];
  #at = 0;

  constructor(source: AsyncGenerator<unknown[]>) {
    this.#source = source;
  }

  async available(): Promise<number> {
    while (this.#at >= this.#values.length) {
      const { done, value } = await this.#source.next();
      if (done) return 0;
      this.#values = value;
      this.#at = 0;
    }
    return this.#values.length - this.#at;
  }

  take(count: number): unknown[] {
    const taken = this.#values.slice(this.#at, this.#at + count);
    this.#at += count;
    return taken;
  }
}
