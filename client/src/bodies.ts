// Request bodies: JSON, JSON with streamed rows, and forms with streamed files. Streamed bodies are never whole in memory, except in a
// browser, which cannot send a stream.

type Bytes = Uint8Array<ArrayBuffer>;
type Content = AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>;

/** Bytes in memory or as a stream. A Node stream is an AsyncIterable. */
export type Source = Blob | Uint8Array | ReadableStream<Uint8Array> | AsyncIterable<string | Uint8Array>;

/** A file to upload: a path, a File or Blob, or a source with a name. */
export type Upload = string | URL | Blob | { name: string; content: Source | string };

/** Rows as a list or as a stream. */
export type Rows<Row> = Iterable<Row> | AsyncIterable<Row>;

export interface Prepared {
  headers: Record<string, string>;
  /** Opens the body for one attempt. */
  open(): NonNullable<RequestInit['body']>;
  /** Whether the body can be sent again: no source in it can be read only once. */
  again: boolean;
  /** Error of reading the source, as opposed to an error of the connection. */
  failure?: { error: unknown };
}

export function jsonBody(value: unknown): Prepared {
  const text = JSON.stringify(value);
  return { headers: { 'content-type': 'application/json' }, open: () => text, again: true };
}

/** An object whose lists of rows are streamed. */
export async function jsonStream(value: Record<string, unknown>, signal?: AbortSignal): Promise<Prepared> {
  const fields = Object.entries(value).filter(([, one]) => one !== undefined);
  const lists = fields.map(([, one]) => one).filter(isRows);
  const again = lists.every((rows) => Array.isArray(rows));
  if (again && lists.every((rows) => (rows as unknown[]).length <= maxRowsInOneText)) return jsonBody(value);
  const headers = { 'content-type': 'application/json' };
  if (inBrowser()) {
    const blob = await blobOf(jsonChunks(fields, signal), signal);
    return { headers, open: () => blob, again: true };
  }
  const prepared: Prepared = { headers, again, open: () => streamed(jsonChunks(fields, signal), prepared) };
  return prepared;
}

/** Maximum number of rows for which the body is one JSON text. */
const maxRowsInOneText = 1000;
const isRows = (value: unknown): value is Rows<unknown> =>
  typeof value === 'object' && value !== null && (Symbol.iterator in value || Symbol.asyncIterator in value);

/** Chunks of JSON. Short fields come first, so that the server has them before it reads the rows. */
async function* jsonChunks(fields: [string, unknown][], signal: AbortSignal | undefined): AsyncGenerator<string> {
  const ordered = [...fields].sort(([, a], [, b]) => Number(isRows(a)) - Number(isRows(b)));
  let text = '{';
  let separator = '';
  for (const [name, value] of ordered) {
    text += `${separator}${JSON.stringify(name)}:`;
    separator = ',';
    if (!isRows(value)) {
      text += JSON.stringify(value);
      continue;
    }
    text += '[';
    let between = '';
    for await (const row of value) {
      // Checked for each row, since a chunk holds many rows, and the consumer may have stopped reading.
      signal?.throwIfAborted();
      text += between + JSON.stringify(row);
      between = ',';
      if (text.length > chunkLength) {
        yield text;
        text = '';
      }
    }
    text += ']';
  }
  yield `${text}}`;
}

const chunkLength = 64 * 1024;

/** A form: the fields first, then the files. */
export async function formBody(
  value: Record<string, unknown>,
  fileParts: readonly string[],
  signal?: AbortSignal,
): Promise<Prepared> {
  const fields: [string, string][] = [];
  const files: [string, FileSource][] = [];
  for (const [name, given] of Object.entries(value)) {
    if (given === undefined || given === null) continue;
    for (const one of Array.isArray(given) ? given : [given]) {
      if (fileParts.includes(name)) files.push([name, await fileOf(one as Upload)]);
      else fields.push([name, String(one)]);
    }
  }
  return inBrowser() ? await browserForm(fields, files, signal) : streamedForm(fields, files);
}

interface FileSource {
  name: string;
  open(): Content;
  again: boolean;
  blob?: Blob;
}

async function fileOf(upload: Upload): Promise<FileSource> {
  if (typeof upload === 'string' || upload instanceof URL) return await fileOnDisk(upload);
  if (upload instanceof Blob) {
    const name = 'name' in upload && typeof upload.name === 'string' ? upload.name : 'file';
    return { name, open: () => chunksOf(upload.stream()), again: true, blob: upload };
  }
  const { name, content } = upload;
  if (typeof content === 'string' || content instanceof Uint8Array)
    return { name, open: () => [content], again: true, blob: new Blob([content as string | Bytes]) };
  if (content instanceof Blob) return { name, open: () => chunksOf(content.stream()), again: true, blob: content };
  return { name, open: () => ('getReader' in content ? chunksOf(content) : content), again: false };
}

async function fileOnDisk(path: string | URL): Promise<FileSource> {
  const fs = builtin<typeof import('node:fs')>('node:fs');
  const paths = builtin<typeof import('node:path')>('node:path');
  const urls = builtin<typeof import('node:url')>('node:url');
  if (!fs || !paths || !urls)
    throw new TypeError(`There are no paths of files here: send a File or Blob instead of "${path}".`);
  const found = typeof path === 'string' ? path : urls.fileURLToPath(path);
  // Checked before the request, so that a missing file is reported as such and not as a failed request.
  await fs.promises.access(found, fs.constants.R_OK);
  return { name: paths.basename(found), open: () => fs.createReadStream(found), again: true };
}

/** A built-in module of Node, Deno or Bun, without an import that bundlers for browsers would resolve. */
function builtin<Module>(name: string): Module | undefined {
  const { process } = globalThis as { process?: { getBuiltinModule?: (name: string) => unknown } };
  return process?.getBuiltinModule?.(name) as Module | undefined;
}

const inBrowser = () => 'document' in globalThis || 'importScripts' in globalThis;

/** A browser streams a Blob from its storage; a stream is first collected into a Blob. */
async function browserForm(
  fields: [string, string][],
  files: [string, FileSource][],
  signal: AbortSignal | undefined,
): Promise<Prepared> {
  const form = new FormData();
  for (const [name, text] of fields) form.append(name, text);
  for (const [name, { blob, open, name: fileName }] of files) {
    form.append(name, blob ?? (await blobOf(open(), signal)), fileName);
  }
  return { headers: {}, open: () => form, again: true };
}

/** Collects the content into a Blob. The signal can abort this, since a source may be slow or endless. */
async function blobOf(content: Content, signal: AbortSignal | undefined): Promise<Blob> {
  const whole = streamed(content).pipeThrough(new TransformStream(), signal && { signal });
  try {
    return await new Response(whole).blob();
  } catch (error) {
    // The error that a browser throws is not always the signal's reason.
    signal?.throwIfAborted();
    throw error;
  }
}

function streamedForm(fields: [string, string][], files: [string, FileSource][]): Prepared {
  const boundary = `lorekeep-${crypto.randomUUID()}`;
  const prepared: Prepared = {
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    again: files.every(([, { again }]) => again),
    open: () => streamed(parts(), prepared),
  };
  async function* parts(): AsyncGenerator<string | Uint8Array> {
    for (const [name, text] of fields)
      yield `--${boundary}\r\nContent-Disposition: form-data; name="${quoted(name)}"\r\n\r\n${text}\r\n`;
    for (const [name, file] of files) {
      yield `--${boundary}\r\nContent-Disposition: form-data; name="${quoted(name)}"; filename="${quoted(file.name)}"\r\n` +
        'Content-Type: application/octet-stream\r\n\r\n';
      yield* file.open();
      yield '\r\n';
    }
    yield `--${boundary}--\r\n`;
  }
  return prepared;
}

/** Escapes a name for a header, as browsers do. */
const quoted = (name: string) => name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');

/** A stream with backpressure. */
function streamed(content: Content, prepared?: Prepared): ReadableStream<Bytes> {
  const chunks = Symbol.asyncIterator in content ? content[Symbol.asyncIterator]() : content[Symbol.iterator]();
  const encoder = new TextEncoder();
  return new ReadableStream<Bytes>(
    {
      async pull(controller) {
        try {
          const { done, value } = await chunks.next();
          if (done) controller.close();
          else controller.enqueue(typeof value === 'string' ? encoder.encode(value) : (value as Bytes));
        } catch (error) {
          if (prepared) prepared.failure = { error };
          throw error;
        }
      },
      async cancel() {
        await chunks.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}

/** Chunks of a stream, for browsers without `for await` on streams. */
export async function* chunksOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    // After an early exit the rest of the stream is discarded.
    await reader.cancel().catch(() => {});
  }
}
