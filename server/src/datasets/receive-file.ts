// Receives one file of a multipart form and passes on its rows while it arrives.
import { open, rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Dataset, uploadFile } from '@lorekeep/contract';
import type { UploadLimits } from '../http/form.ts';
import { OneFile } from '../http/one-file.ts';
import { parsed } from '../http/validate.ts';
import type { Label } from './datasets.ts';
import { fileRows } from './file-rows.ts';
import type { ParquetSource } from './parquet-rows.ts';
import type { FoundRow } from './row.ts';

type StoreRows<Stored> = (rows: AsyncIterable<FoundRow[]>, label: () => Label) => Promise<Stored>;

export async function receiveFile<Stored extends Dataset>(
  request: IncomingMessage,
  limits: UploadLimits,
  store: StoreRows<Stored>,
): Promise<Stored> {
  const form = new DatasetForm(request, limits);
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
        name: name ?? (file.name || undefined),
        isPublic: is_public === undefined ? undefined : is_public === 'true',
      };
    });
  } finally {
    await form.close();
  }
}

class DatasetForm {
  readonly #form: OneFile;
  readonly #cleanups: (() => Promise<void>)[] = [];

  constructor(request: IncomingMessage, limits: UploadLimits) {
    this.#form = new OneFile(request, limits);
  }

  async file(): Promise<{ name: string; bytes: AsyncIterable<Buffer> }> {
    return await this.#form.file();
  }

  /** The rows, then the end of the form: fields after the file are read before anything is stored. */
  async *untilEnd(rows: AsyncIterable<FoundRow[]>): AsyncGenerator<FoundRow[]> {
    yield* rows;
    await this.#form.end();
    this.fields();
  }

  fields(): {
    name?: string | undefined;
    is_public?: 'true' | 'false' | undefined;
    input_column?: string | undefined;
    output_column?: string | undefined;
  } {
    return parsed(uploadFile.body!.omit({ file: true }), this.#form.fields);
  }

  /** Spools the bytes to a temporary file, which is unlinked while open, so that nothing of it remains however this process ends. */
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
    this.#form.close();
    for (const cleanup of this.#cleanups) await cleanup();
  }
}
