// Receives the files of a multipart form, each to the disk as it comes: a file of any size costs the same memory. Nothing is kept unless all came.
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { type Metadata, metadataSchema, mostFiles, Refusal } from '@lorekeep/contract';
import type { Blobs, Draft } from '../blobs/blobs.ts';
import { Form, type UploadLimits } from '../http/form.ts';
import { parseJson } from '../http/json.ts';
import { invalid } from '../http/validate.ts';

export interface ReceivedFile {
  name: string;
  sha256: string;
  bytes: number;
  draft: Draft;
}

export interface Received {
  fields: Record<string, string>;
  metadata: Metadata;
  files: ReceivedFile[];
}

const known = new Set(['model_name', 'name', 'metadata']);
const longestName = 500;
const most = {
  fields: 20,
  fieldNameSize: 100,
  fieldSize: 100_000,
  files: mostFiles + 1,
  parts: mostFiles + 22,
  headerPairs: 50,
};

/** `keep` takes over what came; when it throws, or anything before it, no file is left. `room` is how many bytes may still be stored. */
export async function receiveDocuments<Result>(
  request: IncomingMessage,
  blobs: Blobs,
  limits: UploadLimits,
  room: { bytes: number; full(): Refusal },
  keep: (received: Received) => Promise<Result>,
): Promise<Result> {
  const form = new DocumentForm(request, blobs, limits, room);
  try {
    return await keep(await form.received());
  } catch (error) {
    await form.discard();
    throw error;
  }
}

class DocumentForm {
  readonly #blobs: Blobs;
  readonly #room: { bytes: number; full(): Refusal };
  readonly #fields: Record<string, string> = {};
  readonly #files: Promise<ReceivedFile>[] = [];
  readonly #drafts: Draft[] = [];
  readonly #form: Form;
  #bytes = 0;

  constructor(request: IncomingMessage, blobs: Blobs, limits: UploadLimits, room: { bytes: number; full(): Refusal }) {
    this.#blobs = blobs;
    this.#room = room;
    this.#form = new Form(request, limits, {
      most,
      wrong: invalidForm,
      onField: (name, value, truncated) => this.#onField(name, value, truncated),
      onFile: (part, stream, fileName) => this.#onFile(part, stream, fileName),
      onTooMany: () => this.#form.fail(tooMany()),
    });
  }

  #onField(name: string, value: string, truncated: boolean): void {
    if (!known.has(name))
      this.#form.fail(invalidForm(`it has a field "${name.slice(0, 100)}" that this call does not know`));
    else if (truncated) this.#form.fail(invalidForm(`its field "${name}" is too long`));
    else this.#fields[name] = value;
  }

  #onFile(part: string, stream: Readable, fileName: string): void {
    if (part !== 'files' && part !== 'file') {
      this.#form.fail(invalidForm(`its part "${part.slice(0, 100)}" is a file; files belong in parts "files"`));
      return;
    }
    if (this.#files.length >= mostFiles) {
      this.#form.fail(tooMany());
      return;
    }
    const file = this.#write(stream, shownName(fileName));
    file.catch((error) => this.#form.fail(error));
    this.#files.push(file);
  }

  async #write(stream: Readable, name: string): Promise<ReceivedFile> {
    // What comes before there is a draft waits in the stream.
    const draft = await this.#blobs.draft('documents');
    this.#drafts.push(draft);
    const digest = createHash('sha256');
    let bytes = 0;
    try {
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        bytes += chunk.length;
        this.#bytes += chunk.length;
        if (this.#bytes > this.#room.bytes) throw this.#room.full();
        digest.update(chunk);
        await draft.write(chunk);
      }
      // A form that failed ends its streams as well: what came is not the whole file then.
      if (this.#form.failure) throw this.#form.failure;
      await draft.keep();
      return { name, sha256: digest.digest('hex'), bytes, draft };
    } catch (error) {
      stream.resume();
      throw this.#form.failure ?? error;
    }
  }

  async received(): Promise<Received> {
    await this.#form.ended;
    const files = await Promise.all(this.#files);
    if (this.#form.failure) throw this.#form.failure;
    if (files.length === 0) throw invalidForm('there is no file in them');
    return { fields: this.#fields, metadata: this.#metadata(), files };
  }

  #metadata(): Metadata {
    const { metadata } = this.#fields;
    if (!metadata) return {};
    const result = metadataSchema.safeParse(parseJson(Buffer.from(metadata)));
    if (!result.success) throw invalid(result.error.issues, 'metadata');
    return result.data;
  }

  async discard(): Promise<void> {
    this.#form.fail(new Refusal('body_incomplete'));
    await Promise.all(this.#files.map((file) => Promise.race([file, this.#gone]).catch(() => {})));
    await Promise.all(this.#drafts.map((draft) => draft.discard().catch(() => {})));
  }

  /** A stream whose form has failed may never end. */
  readonly #gone = new Promise<void>((resolve) => setTimeout(resolve, 100).unref());
}

const invalidForm = (reason: string) => new Refusal('documents_invalid', { reason });
const tooMany = () => invalidForm(`there are more than ${mostFiles} of them`);

function shownName(name: string | undefined): string {
  const last = (name ?? '').split(/[\\/]/).at(-1)!;
  const clean = [...last.toWellFormed().replace(/\p{Cc}/gu, '')].slice(0, longestName).join('').trim();
  return clean === '' || clean === '.' || clean === '..' ? 'unnamed' : clean;
}
