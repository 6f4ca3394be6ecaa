// Reads rows from an uploaded file. Its format is detected from the content first, then from the name.
import { isUtf8 } from 'node:buffer';
import { Refusal } from '@lorekeep/contract';
import { looksLike } from '@lorekeep/reader';
import { quotedName } from '../http/quoted-name.ts';
import type { Columns } from './columns.ts';
import { csvRows } from './csv-rows.ts';
import { JsonRows } from './json-rows.ts';
import { type ParquetSource, parquetRows } from './parquet-rows.ts';
import { type FoundRow, maxRowLength, rowFromJson, tooLong } from './row.ts';

export interface UploadedFile {
  name: string;
  bytes: AsyncIterable<Buffer>;
  /** Stores the bytes for random access, for formats that need it. The owner of the storage cleans it up. */
  spool(bytes: AsyncIterable<Buffer>): Promise<ParquetSource>;
}

/** Batches of rows, with the names of the columns already turned into "input" and "output". */
export async function* fileRows(file: UploadedFile, columns: Columns): AsyncGenerator<FoundRow[]> {
  const { head, all } = await peek(file.bytes, 512);
  switch (kindOf(head, file.name)) {
    case 'parquet':
      yield* parquetRows(await file.spool(all), file.name, columns);
      return;
    case 'json':
      yield* renamed(jsonRows(all), columns);
      return;
    case 'jsonl':
      yield* renamed(lineRows(all), columns);
      return;
    case 'csv':
      yield* csvRows(all, file.name, columns);
  }
}

/** Whether the file is in UTF-16 or not text at all. A single NUL is a character like any other. */
const isBinary = (head: Buffer) => head.filter((byte) => byte === 0).length * 10 > head.length;

/** Formats by file name extension. */
const formatsByExtension: Record<string, string> = {
  csv: 'CSV',
  tsv: 'CSV',
  json: 'JSON',
  jsonl: 'JSON lines',
  ndjson: 'JSON lines',
  jsonlines: 'JSON lines',
  parquet: 'Parquet',
};

function kindOf(head: Buffer, name: string): 'parquet' | 'json' | 'jsonl' | 'csv' {
  const text = head
    .toString('latin1')
    .replace(/^\xef\xbb\xbf/, '')
    .trimStart();
  const ending = /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase();
  if (head.subarray(0, 4).toString('latin1') === 'PAR1') return 'parquet';
  const kind = looksLike(head.toString('latin1')) ?? (isBinary(head) ? 'a binary file' : undefined);
  if (kind) {
    const promised = ending && formatsByExtension[ending];
    const looks = promised ? `is not ${promised}: it begins like ${kind}` : `begins like ${kind}`;
    throw new Refusal('file_type_unsupported', { file: quotedName(name), looks });
  }
  if (text.startsWith('[')) return 'json';
  if (text.startsWith('{')) return 'jsonl';
  if (ending === 'jsonl' || ending === 'jsonlines' || ending === 'ndjson' || ending === 'json') return 'jsonl';
  if (ending === 'parquet')
    throw new Refusal('file_unreadable', { file: quotedName(name), reason: 'it does not start as Parquet files do' });
  return 'csv';
}

async function* jsonRows(bytes: AsyncIterable<Buffer>): AsyncGenerator<FoundRow[]> {
  const reader = new JsonRows();
  for await (const chunk of bytes) yield reader.feed(chunk);
  reader.finish();
}

/** Reads JSON lines. Blank lines are skipped, and count as lines but not as rows. */
async function* lineRows(bytes: AsyncIterable<Buffer>): AsyncGenerator<FoundRow[]> {
  let carry: Buffer[] = [];
  let carryBytes = 0;
  let lines = 0;
  let rows = 0;
  const row = (line: Buffer): FoundRow[] => {
    lines++;
    const bytes = lines === 1 && line.subarray(0, 3).toString('latin1') === '\xef\xbb\xbf' ? line.subarray(3) : line;
    if (bytes.toString('latin1').trim() === '') return [];
    rows++;
    if (bytes.length > maxRowLength) return [tooLong(rows)];
    const found = isUtf8(bytes)
      ? rowFromJson(rows, bytes)
      : { number: rows, value: undefined, problem: 'is not UTF-8 text' };
    return [lines === rows ? found : { ...found, line: lines }];
  };
  for await (const chunk of bytes) {
    const found: FoundRow[] = [];
    let from = 0;
    for (let end = chunk.indexOf(0x0a); end >= 0; end = chunk.indexOf(0x0a, from)) {
      const part = chunk.subarray(from, end);
      found.push(...row(carry.length > 0 ? Buffer.concat([...carry, part]) : part));
      carry = [];
      carryBytes = 0;
      from = end + 1;
    }
    carry.push(chunk.subarray(from));
    carryBytes += chunk.length - from;
    if (carryBytes > maxRowLength) {
      yield [...found, tooLong(rows + 1)];
      return;
    }
    yield found;
  }
  if (carryBytes > 0) yield row(Buffer.concat(carry));
}

/** Renames the two columns if the upload names others. */
async function* renamed(batches: AsyncIterable<FoundRow[]>, { input, output }: Columns): AsyncGenerator<FoundRow[]> {
  if (input === 'input' && output === 'output') {
    yield* batches;
    return;
  }
  for await (const batch of batches) {
    yield batch.map((row) => {
      if (typeof row.value !== 'object' || row.value === null) return row;
      const { [input]: question, [output]: answer, ...rest } = row.value as Record<string, unknown>;
      return { ...row, value: { ...rest, input: question, output: answer } };
    });
  }
}

/** Reads the first bytes, and returns an iterable that still yields all of them, in its first chunk. */
async function peek(
  bytes: AsyncIterable<Buffer>,
  count: number,
): Promise<{ head: Buffer; all: AsyncIterable<Buffer> }> {
  const iterator = bytes[Symbol.asyncIterator]();
  const chunks: Buffer[] = [];
  let size = 0;
  while (size < count) {
    const { done, value } = await iterator.next();
    if (done) break;
    chunks.push(value);
    size += value.length;
  }
  const read = Buffer.concat(chunks);
  async function* all() {
    try {
      yield read;
      for (;;) {
        const { done, value } = await iterator.next();
        if (done) return;
        yield value;
      }
    } finally {
      await iterator.return?.();
    }
  }
  return { head: read.subarray(0, count), all: all() };
}
