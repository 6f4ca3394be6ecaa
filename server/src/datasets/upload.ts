// Receives one file of a multipart form and hands on its rows while it arrives.
import { once } from 'node:events';
import { open, rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import busboy, { type BusboyHeaders } from '@fastify/busboy';
import { type Dataset, Refusal, uploadFile } from '@lorekeep/contract';
import { arriving } from '../http/bodies.ts';
import { invalid } from '../http/validate.ts';
import { shownName } from './columns.ts';
import type { Label } from './datasets.ts';
import { fileRows } from './file-rows.ts';
import type { ParquetSource } from './parquet-rows.ts';
import type { FoundRow } from './row.ts';

export interface UploadLimits {
  bytes: number;
  pauseSeconds: number;
  wholeSeconds: number;
}

type StoreRows<Stored> = (rows: AsyncIterable<FoundRow[]>, label: () => Label) => Promise<Stored>;

export async function receiveFile<Stored extends Dataset>(
  request: IncomingMessage,
  limits: UploadLimits,
  store: StoreRows<Stored>,
): Promise<Stored> {
  const form = new Form(request, limits);
  try {
    const file = await form.file();
    const { input_column: input = 'input', output_column: output = 'output' } = form.fields();
    const rows = fileRows(
      { name: file.name, bytes: file.bytes, spool: (bytes) => form.spool(bytes) },
      { input, output },
    );
    return await store(form.untilEnd(rows), () => {
      const { name, is_public } = form.fields();
      return {
        name: name || file.name || undefined,
        isPublic: is_public === undefined ? undefined : is_public === 'true',
      };
    });
  } finally {
    await form.close();
  }
}

/** A multipart form as it arrives: fields, one file, the end. Any failure of the sender or of the format fails whoever waits. */
class Form {
  readonly #fields: Record<string, string> = {};
  readonly #parser: busboy.BusboyInstance;
  readonly #file = Promise.withResolvers<{ name: string; stream: Readable }>();
  readonly #end = Promise.withResolvers<void>();
  readonly #cleanups: (() => Promise<void>)[] = [];
  #files = 0;
  #stream: Readable | undefined;
  #failure: unknown;

  constructor(request: IncomingMessage, { bytes, pauseSeconds, wholeSeconds }: UploadLimits) {
    this.#file.promise.catch(() => {});
    this.#end.promise.catch(() => {});
    try {
      this.#parser = new busboy.Busboy({
        headers: request.headers as BusboyHeaders,
        // File names are paths of the sender: only shown, and never used as paths here.
        preservePath: false,
        limits: { fields: 20, fieldNameSize: 100, fieldSize: 10_000, files: 2, parts: 22, headerPairs: 50 },
      });
    } catch (error) {
      throw new Refusal('upload_invalid', { reason: (error as Error).message.replace(/\.$/, '') });
    }
    this.#parser.on('field', (name, value) => {
      this.#fields[name] = value;
    });
    this.#parser.on('file', (name, stream, fileName) => this.#onFile(name, stream, fileName));
    this.#parser.on('finish', () => {
      this.#file.reject(new Refusal('upload_invalid', { reason: 'it has no file' }));
      this.#end.resolve();
    });
    this.#parser.on('error', (error) =>
      this.#fail(
        /Unexpected end/.test(String(error))
          ? new Refusal('body_incomplete')
          : new Refusal('upload_invalid', { reason: String((error as Error).message) }),
      ),
    );
    void this.#feed(arriving(request, pauseSeconds, wholeSeconds), bytes);
  }

  async #feed(body: AsyncIterable<Buffer>, limit: number): Promise<void> {
    let bytes = 0;
    try {
      for await (const chunk of body) {
        bytes += chunk.length;
        if (bytes > limit) throw new Refusal('body_too_large', { limit });
        if (this.#failure) return;
        // A form that has failed takes no more: then it is the failure that ends the waiting.
        if (!this.#parser.write(chunk)) await Promise.race([once(this.#parser, 'drain'), this.#end.promise]);
      }
      this.#parser.end();
    } catch (error) {
      this.#fail(error);
    }
  }

  #onFile(name: string, stream: Readable, fileName: string): void {
    stream.on('error', () => {});
    const wrong = (reason: string) => this.#fail(new Refusal('upload_invalid', { reason }));
    if (name !== 'file') {
      wrong(`its part ${shownName(name)} is a file; the file belongs in the part "file"`);
      return;
    }
    if (++this.#files > 1) {
      wrong('it has more than one file');
      return;
    }
    this.#stream = stream;
    this.#file.resolve({ name: fileName ?? '', stream });
  }

  #fail(error: unknown): void {
    this.#failure ??= error;
    this.#file.reject(error);
    this.#end.reject(error);
    this.#stream?.destroy(error as Error);
  }

  async file(): Promise<{ name: string; bytes: AsyncIterable<Buffer> }> {
    const { name, stream } = await this.#file.promise;
    return { name: [...name.replace(/\p{Cc}/gu, '')].slice(0, 200).join(''), bytes: this.#bytes(stream) };
  }

  async *#bytes(stream: Readable): AsyncGenerator<Buffer> {
    try {
      // A reader that has seen enough leaves the rest to flow past: the end of the form comes after it.
      yield* stream.iterator({ destroyOnReturn: false });
    } catch (error) {
      throw this.#failure ?? error;
    }
    if (this.#failure) throw this.#failure;
  }

  /** The rows, and then the end of the form: fields that come after the file, or a second file, are known before anything is kept. */
  async *untilEnd(rows: AsyncIterable<FoundRow[]>): AsyncGenerator<FoundRow[]> {
    yield* rows;
    this.#stream?.resume();
    await this.#end.promise;
    this.fields();
  }

  fields(): {
    name?: string | undefined;
    is_public?: 'true' | 'false' | undefined;
    input_column?: string | undefined;
    output_column?: string | undefined;
  } {
    const result = uploadFile.body!.omit({ file: true }).safeParse(this.#fields);
    if (!result.success) throw invalid(result.error.issues, 'body');
    return result.data;
  }

  /** Puts the bytes into a nameless file: it is unlinked while it is open, so nothing is left of it however this process ends. */
  async spool(bytes: AsyncIterable<Buffer>): Promise<ParquetSource> {
    const path = join(tmpdir(), `lorekeep-upload-${process.pid}-${crypto.randomUUID()}`);
    const file = await open(path, 'wx+', 0o600);
    this.#cleanups.push(() => file.close());
    await rm(path);
    let byteLength = 0;
    for await (const chunk of bytes) {
      for (let at = 0; at < chunk.length; )
        at += (await file.write(chunk, at, chunk.length - at, byteLength + at)).bytesWritten;
      byteLength += chunk.length;
    }
    return {
      byteLength,
      slice: async (start, end) => {
        const size = Math.max(0, Math.min(end ?? byteLength, byteLength) - start);
        const buffer = new ArrayBuffer(size);
        let at = 0;
        while (at < size) {
          const { bytesRead } = await file.read(new Uint8Array(buffer), at, size - at, start + at);
          if (bytesRead === 0) break;
          at += bytesRead;
        }
        return buffer;
      },
    };
  }

  async close(): Promise<void> {
    this.#fail(new Refusal('body_incomplete'));
    this.#parser.destroy();
    for (const cleanup of this.#cleanups) await cleanup();
  }
}
