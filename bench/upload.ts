// ./lorekeep bench upload [MEGABYTES [FORMAT ...]]: how fast rows go in, and the most memory that the server holds meanwhile.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

const root = resolve(import.meta.dirname, '..');
const key = 'operator-key-of-this-measurement';
const rowsOfAMegabyte = 6100;
const rowsAtOnce = 1000;

export const formats = ['json', 'jsonl', 'csv', 'parquet', 'parquet, one row group'] as const;
export type Format = (typeof formats)[number];

export interface Figures {
  rows: number;
  /** Bytes of the rows as they are stored, equal in every format. */
  bytes: number;
  seconds: number;
  peakBytes: number;
}

/** Uploads rows to a server of its own, with an empty home. */
export async function measureUpload(format: Format, megabytes: number): Promise<Figures> {
  const server = await startUploads();
  try {
    return await server.upload(format, megabytes);
  } finally {
    await server.end();
  }
}

/** A server with an empty home. Peaks of memory are the highest since its start. */
export interface UploadServer {
  upload(format: Format, megabytes: number): Promise<Figures>;
  end(): Promise<void>;
}

export async function startUploads(): Promise<UploadServer> {
  const home = await mkdtemp(join(tmpdir(), 'lorekeep-bench-'));
  const server = spawn(join(root, 'lorekeep'), ['up', '--home', home, '--port', '0', '--log-level', 'error'], {
    env: { ...process.env, LOREKEEP_ADMIN_KEY: key },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const end = async () => {
    server.kill();
    if (server.exitCode === null) await once(server, 'exit');
    await rm(home, { recursive: true, force: true });
  };
  const url = await addressOf(server.stdout).catch(async (error) => {
    await end();
    throw error;
  });
  return {
    end,
    upload: async (format, megabytes) => {
      const body = await bodyOf(format, megabytes, home);
      const started = performance.now();
      const id = await upload(url, format, body);
      const seconds = (performance.now() - started) / 1000;
      const { rows, bytes } = await dataset(url, id);
      return { rows, bytes, seconds, peakBytes: peakMemory(server.pid!) };
    },
  };
}

async function addressOf(output: Readable): Promise<string> {
  for await (const line of createInterface(output)) {
    const address = / is ready at (\S+)/.exec(line)?.[1];
    if (address) return address;
  }
  throw new Error('the server ended before it was ready');
}

async function bodyOf(format: Format, megabytes: number, folder: string): Promise<AsyncIterable<string | Buffer>> {
  const total = megabytes * rowsOfAMegabyte;
  if (format === 'json') return inList(chunks(total, (row) => JSON.stringify(row), ','));
  if (format === 'jsonl')
    return inForm(
      'rows.jsonl',
      chunks(total, (row) => JSON.stringify(row), '\n'),
    );
  if (format === 'csv')
    return inForm(
      'rows.csv',
      chunks(total, ({ input, output }) => `"${input}","${output}"`, '\n', 'input,output\n'),
    );
  const path = join(folder, 'rows.parquet');
  const groups = format === 'parquet' ? 'groups' : 'one-group';
  const python = join(root, '.setup/tools/bin/python');
  execFileSync(python, [join(import.meta.dirname, 'parquet_rows.py'), path, String(megabytes), groups]);
  return inForm('rows.parquet', createReadStream(path, { highWaterMark: 1 << 20 }));
}

function* chunks(
  total: number,
  text: (row: { input: string; output: string }) => string,
  between: string,
  first = '',
): Generator<string> {
  yield first;
  for (let start = 0; start < total; start += rowsAtOnce) {
    const count = Math.min(rowsAtOnce, total - start);
    yield (start > 0 ? between : '') +
      Array.from({ length: count }, (_, index) => text(row(start + index))).join(between);
  }
}

/** The rows of parquet_rows.py. */
function row(n: number): { input: string; output: string } {
  const series = ((n * 2654435761) % 2 ** 32).toString(16).padStart(8, '0');
  const sheet = ((n * 40503) % 2 ** 16).toString(16).padStart(4, '0');
  return {
    input: `What is the service interval of part ${n}, series ${series}?`,
    output: `Part ${n} is due every ${(n % 977) + 23} hours; its torque is ${(n * 48271) % 991} Nm, as sheet ${sheet} states.`,
  };
}

async function* inList(rows: Iterable<string>): AsyncGenerator<string> {
  yield '{"upload_base_path":"local","data":[';
  yield* rows;
  yield ']}';
}

const boundary = 'rows-of-a-measurement';

async function* inForm(
  name: string,
  content: Iterable<string> | AsyncIterable<Buffer>,
): AsyncGenerator<string | Buffer> {
  yield `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\n`;
  yield* content;
  yield `\r\n--${boundary}--\r\n`;
}

async function upload(url: string, format: Format, body: AsyncIterable<string | Buffer>): Promise<string> {
  const sent = request(`${url}${format === 'json' ? '/v1/local-data' : '/v1/datasets'}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': format === 'json' ? 'application/json' : `multipart/form-data; boundary=${boundary}`,
    },
  });
  const answered = once(sent, 'response');
  await pipeline(Readable.from(body), sent);
  const [response] = await answered;
  const text = (await Array.fromAsync(response as AsyncIterable<Buffer>)).join('');
  if (response.statusCode !== 200) throw new Error(`${format}: ${response.statusCode} ${text}`);
  return JSON.parse(text).dataset_id;
}

async function dataset(url: string, id: string): Promise<{ rows: number; bytes: number }> {
  const response = await fetch(`${url}/v1/datasets/${id}`, { headers: { authorization: `Bearer ${key}` } });
  return (await response.json()) as { rows: number; bytes: number };
}

/** Peak resident memory of a process, as Linux counts it. */
function peakMemory(pid: number): number {
  return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
}

if (process.argv[1] === import.meta.filename) {
  const [megabytes = '1000', ...words] = process.argv.slice(2);
  const selected = words.length > 0 ? formats.filter((format) => words.includes(format)) : formats;
  for (const format of selected) {
    const { rows, bytes, seconds, peakBytes } = await measureUpload(format, Number(megabytes));
    const speed = `${(bytes / 1e6 / seconds).toFixed(0)} MB/s`.padStart(9);
    const figures = `${rows} rows, ${(bytes / 1e6).toFixed(0)} MB in ${seconds.toFixed(1)} s`;
    process.stdout.write(
      `${format.padEnd(23)}${speed}   peak memory ${(peakBytes / 1e6).toFixed(0)} MB   (${figures})\n`,
    );
  }
}
