// Receives the files of a multipart form and streams each to disk, so that memory use is constant. Nothing is kept unless all files
// arrived.
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { type Metadata, maxFiles, metadataSchema, Refusal, withoutInvisible } from '@lorekeep/contract';
import type { Blobs, Draft } from '../blobs/blobs.ts';
import { Form, type UploadLimits } from '../http/form.ts';
import { parseJson } from '../http/json.ts';
import { parsed } from '../http/validate.ts';
import { inParallel } from '../inference/parallel.ts';

export interface ReceivedFile {
  name: string;
  sha256: string;
  bytes: number;
  draft: Draft;
}

export interface Received {
  fields: Record<string, string>;
  /** Undefined if the form has none. */
  metadata: Metadata | undefined;
  files: ReceivedFile[];
}

const knownFields = new Set(['model_name', 'name', 'metadata']);
const maxNameLength = 500;
/** Number of files written concurrently: each takes a file descriptor, and each waiting file takes memory. */
const maxConcurrentWrites = 16;
const formLimits = {
  fields: 20,
  fieldNameSize: 100,
  fieldSize: 100_000,
  files: maxFiles + 1,
  parts: maxFiles + 22,
  headerPairs: 50,
};

/** `keep` receives the files. If it or anything before it throws, no file is left. `quota` is the remaining storage. */
export async function receiveDocuments<Result>(
  request: IncomingMessage,
  blobs: Blobs,
  limits: UploadLimits,
  quota: { bytes: number; full(): Refusal },
  keep: (received: Received) => Promise<Result>,
): Promise<Result> {
  const form = new DocumentForm(request, blobs, limits, quota);
  try {
    return await keep(await form.received());
  } catch (error) {
    await form.discard();
    throw error;
  }
}

class DocumentForm {
  readonly #blobs: Blobs;
  readonly #quota: { bytes: number; full(): Refusal };
  readonly #fields: Record<string, string> = {};
  readonly #files: Promise<ReceivedFile>[] = [];
  readonly #drafts: Draft[] = [];
  readonly #streams = new Set<Readable>();
  readonly #turns = new Slots(maxConcurrentWrites);
  readonly #form: Form;
  #bytes = 0;

  constructor(request: IncomingMessage, blobs: Blobs, limits: UploadLimits, quota: { bytes: number; full(): Refusal }) {
    this.#blobs = blobs;
    this.#quota = quota;
    this.#form = new Form(request, limits, {
      limits: formLimits,
      wrong: invalidForm,
      onField: (name, value, truncated) => this.#onField(name, value, truncated),
      onFile: (part, stream, fileName) => this.#onFile(part, stream, fileName),
      onTooMany: () => this.#form.fail(tooManyFiles()),
      ready: async () => await this.#turns.free(),
      paths: true,
    });
  }

  #onField(name: string, value: string, truncated: boolean): void {
    if (!knownFields.has(name))
      this.#form.fail(invalidForm(`it has a field "${name.slice(0, 100)}" that this call does not know`));
    else if (truncated) this.#form.fail(invalidForm(`its field "${name}" is too long`));
    else this.#fields[name] = value;
  }

  #onFile(part: string, stream: Readable, fileName: string): void {
    if (part !== 'files' && part !== 'file') {
      this.#form.fail(invalidForm(`its part "${part.slice(0, 100)}" is a file; files belong in parts "files"`));
      return;
    }
    if (this.#files.length >= maxFiles) {
      this.#form.fail(tooManyFiles());
      return;
    }
    this.#streams.add(stream);
    const file = this.#turns.take(() => this.#write(stream, storedFileName(fileName)));
    file.catch((error) => this.#form.fail(error));
    this.#files.push(file);
  }

  async #write(stream: Readable, name: string): Promise<ReceivedFile> {
    if (this.#form.failure) throw this.#form.failure;
    // Bytes that arrive before the draft exists wait in the stream.
    const draft = await this.#blobs.draft('documents');
    this.#drafts.push(draft);
    const digest = createHash('sha256');
    let bytes = 0;
    try {
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        bytes += chunk.length;
        this.#bytes += chunk.length;
        if (this.#bytes > this.#quota.bytes) throw this.#quota.full();
        digest.update(chunk);
        await draft.write(chunk);
      }
      // A failed form also ends its streams, so the file may be incomplete.
      if (this.#form.failure) throw this.#form.failure;
      await draft.keep();
      const sha256 = digest.digest('hex');
      // Nameless files are told apart by their contents, so that none replaces another.
      return { name: name || `unnamed ${sha256.slice(0, 16)}`, sha256, bytes, draft };
    } catch (error) {
      stream.resume();
      throw this.#form.failure ?? error;
    } finally {
      this.#streams.delete(stream);
    }
  }

  async received(): Promise<Received> {
    await this.#form.ended;
    const files = await Promise.all(this.#files);
    if (this.#form.failure) throw this.#form.failure;
    if (files.length === 0) throw invalidForm('there is no file in them');
    return { fields: this.#fields, metadata: this.#metadata(), files };
  }

  #metadata(): Metadata | undefined {
    const { metadata } = this.#fields;
    if (!metadata) return undefined;
    return parsed(metadataSchema, parseJson(Buffer.from(metadata)), 'metadata');
  }

  async discard(): Promise<void> {
    this.#form.fail(new Refusal('body_incomplete'));
    // The streams of a failed form would never end by themselves.
    for (const stream of this.#streams) stream.destroy();
    await Promise.allSettled(this.#files);
    await inParallel(this.#drafts, maxConcurrentWrites, async (draft) => await draft.discard().catch(() => {}));
  }
}

/** Limits concurrency; further tasks wait in order. */
class Slots {
  #left: number;
  readonly #waiting: (() => void)[] = [];
  #free = Promise.withResolvers<void>();

  constructor(limit: number) {
    this.#left = limit;
  }

  async take<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#left > 0) this.#left--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#left++;
      if (this.#waiting.length === 0) {
        this.#free.resolve();
        this.#free = Promise.withResolvers<void>();
      }
    }
  }

  /** Resolves when the queue is empty. */
  async free(): Promise<void> {
    if (this.#waiting.length > 0) await this.#free.promise;
  }
}

const invalidForm = (reason: string) => new Refusal('documents_invalid', { reason });
const tooManyFiles = () =>
  invalidForm(
    `there are more than ${maxFiles} of them; send the rest in further requests to /v1/indexes/{id}/files of the same index`,
  );

/**
 * The name of a file: its path relative to the sent folder; of a path on the sender's disk, or out of the folder, the last part alone.
 * Empty if nothing is left of it.
 */
function storedFileName(path: string): string {
  const parts = withoutInvisible(path.toWellFormed().normalize('NFC'))
    .split(/[\\/]/)
    .map((part) => part.trim());
  const isOutside = /^(?:[\\/]|\p{L}:)/u.test(path) || parts.includes('..');
  const inside = (isOutside ? parts.slice(-1) : parts).filter((part) => !['', '.', '..'].includes(part));
  while (inside.length > 1 && inside.join('/').length > maxNameLength) inside.shift();
  return [...inside.join('/')].slice(0, maxNameLength).join('').trim();
}
