// Operations on the objects of a bucket below a prefix: the part of S3 that the product needs. Names are relative to the prefix.

import { type Call, Http, type HttpOptions, type OpenAnswer, type RetryPolicy } from './http.ts';
import { AnswerError, problemOf, StorageProblem, unavailable } from './problem.ts';
import { elementsOf, textOf, xmlText } from './xml.ts';

export interface Item {
  name: string;
  bytes: number;
  /** Time in milliseconds, by the clock of the storage. */
  modified: number;
}

export interface Upload {
  name: string;
  id: string;
  begun: number;
}

/** Maximum number of times that an answer may break off without a new byte. */
const maxBreaks = 5;
const maxConcurrent = 8;

export class Bucket {
  readonly #http: Http;
  readonly #prefix: string;

  /** A prefix is empty or ends in a slash. */
  constructor(options: HttpOptions, prefix: string, patience: Partial<RetryPolicy> = {}) {
    this.#http = new Http(options, patience);
    this.#prefix = prefix;
  }

  get asked() {
    return this.#http.asked;
  }

  #call(call: Call) {
    return this.#http.call({ ...call, ...(call.key !== undefined && { key: this.#prefix + call.key }) });
  }

  /** Streams the object, and resumes after an interrupted answer. Throws ENOENT like a file. */
  async *read(name: string, range?: { start: number; end: number }): AsyncGenerator<Uint8Array> {
    const end = range?.end ?? '';
    let at = range?.start ?? 0;
    let tag: string | null = null;
    for (let breaks = 0; ; ) {
      const isPart = range !== undefined || at > 0;
      const headers: Record<string, string> = {
        ...(isPart && { range: `bytes=${at}-${end}` }),
        ...(tag && { 'if-match': tag }),
      };
      const answer: OpenAnswer | undefined = await this.#http
        .open({ method: 'GET', key: this.#prefix + name, headers })
        .catch((error) => {
          if (error instanceof AnswerError && error.status === 416) return undefined;
          throw asFileError(error, name);
        });
      // There is nothing after this offset.
      if (!answer) return;
      if (isPart && answer.status !== 206)
        throw unavailable(
          new StorageProblem('unfit', `${this.asked.endpoint} does not support reading parts of objects (Range).`),
        );
      tag = answer.headers.get('etag');
      try {
        for await (const chunk of answer.chunks) {
          breaks = 0;
          at += chunk.length;
          yield chunk;
        }
        return;
      } catch (error) {
        if (++breaks >= maxBreaks) throw unavailable(problemOf(error, this.asked));
        if (typeof end === 'number' && at > end) return;
      }
    }
  }

  async text(name: string): Promise<string> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of this.read(name)) chunks.push(chunk);
    return Buffer.concat(chunks).toString();
  }

  /** Undefined if there is no such object. */
  async size(name: string): Promise<number | undefined> {
    try {
      const { headers } = await this.#call({ method: 'HEAD', key: name });
      return Number(headers.get('content-length'));
    } catch (error) {
      if (error instanceof AnswerError && error.status === 404) return undefined;
      throw error;
    }
  }

  async put(name: string, body: Uint8Array<ArrayBuffer>): Promise<void> {
    await this.#call({ method: 'PUT', key: name, body });
  }

  /** Creates an object (If-None-Match). False if one of this name exists. */
  async putNew(name: string, body: Uint8Array<ArrayBuffer>): Promise<boolean> {
    try {
      await this.#call({ method: 'PUT', key: name, body, headers: { 'if-none-match': '*' } });
      return true;
    } catch (error) {
      if (error instanceof AnswerError && error.status === 412) return false;
      throw error;
    }
  }

  async remove(name: string): Promise<void> {
    await this.#call({ method: 'DELETE', key: name }).catch((error) => {
      if (!(error instanceof AnswerError && error.status === 404)) throw error;
    });
  }

  async removeAll(prefix: string): Promise<void> {
    await forEachConcurrently(this.list(prefix), async ({ name }) => await this.remove(name));
  }

  async *list(prefix: string): AsyncGenerator<Item> {
    for await (const page of this.#pages(prefix, {}))
      for (const one of elementsOf(page, 'Contents'))
        yield {
          name: textOf(one, 'Key')!.slice(this.#prefix.length),
          bytes: Number(textOf(one, 'Size')),
          modified: Date.parse(textOf(one, 'LastModified')!),
        };
  }

  /** The distinct names up to the next slash (common prefixes). */
  async *folders(prefix: string): AsyncGenerator<string> {
    for await (const page of this.#pages(prefix, { delimiter: '/' }))
      for (const one of elementsOf(page, 'CommonPrefixes'))
        yield textOf(one, 'Prefix')!.slice(this.#prefix.length + prefix.length, -1);
  }

  async *#pages(prefix: string, more: Record<string, string>): AsyncGenerator<string> {
    const query = { 'list-type': '2', prefix: this.#prefix + prefix, ...more };
    for (let token: string | undefined; ; ) {
      const { text } = await this.#call({
        method: 'GET',
        query: { ...query, ...(token && { 'continuation-token': token }) },
      });
      yield text;
      token = textOf(text, 'NextContinuationToken');
      if (textOf(text, 'IsTruncated') !== 'true' || !token) return;
    }
  }

  async begin(name: string): Promise<string> {
    const { text } = await this.#call({ method: 'POST', key: name, query: { uploads: '' } });
    return textOf(text, 'UploadId')!;
  }

  /** Uploads a part; returns its ETag. */
  async part(name: string, id: string, number: number, body: Uint8Array<ArrayBuffer>): Promise<string> {
    const query = { partNumber: String(number), uploadId: id };
    const { headers } = await this.#call({ method: 'PUT', key: name, query, body });
    return headers.get('etag') ?? '';
  }

  /** Completes the upload: joins the parts to one object. */
  async complete(name: string, id: string, tags: string[]): Promise<void> {
    const parts = tags.map((tag, at) => `<Part><PartNumber>${at + 1}</PartNumber><ETag>${xmlText(tag)}</ETag></Part>`);
    const body = Buffer.from(
      `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${parts.join('')}</CompleteMultipartUpload>`,
    );
    await this.#call({ method: 'POST', key: name, query: { uploadId: id }, body }).catch(async (error) => {
      // The upload was completed, and only the answer was lost.
      if (error instanceof AnswerError && error.status === 404 && (await this.size(name)) !== undefined) return;
      throw error;
    });
  }

  async abort(name: string, id: string): Promise<void> {
    await this.#call({ method: 'DELETE', key: name, query: { uploadId: id } }).catch((error) => {
      if (!(error instanceof AnswerError && error.status === 404)) throw error;
    });
  }

  /** Multipart uploads that were neither completed nor aborted. */
  async *uploads(prefix: string): AsyncGenerator<Upload> {
    const query = { uploads: '', prefix: this.#prefix + prefix };
    for (let marks: Record<string, string> = {}; ; ) {
      const { text } = await this.#call({ method: 'GET', query: { ...query, ...marks } });
      for (const one of elementsOf(text, 'Upload'))
        yield {
          name: textOf(one, 'Key')!.slice(this.#prefix.length),
          id: textOf(one, 'UploadId')!,
          begun: Date.parse(textOf(one, 'Initiated') ?? '') || 0,
        };
      const [key, id] = ['NextKeyMarker', 'NextUploadIdMarker'].map((name) => textOf(text, name));
      if (textOf(text, 'IsTruncated') !== 'true' || !key) return;
      marks = { 'key-marker': key, ...(id && { 'upload-id-marker': id }) };
    }
  }

  /** Whether the bucket keeps removed objects as earlier versions. False if the storage has no versioning. */
  async keepsVersions(): Promise<boolean> {
    const { text } = await this.#call({ method: 'GET', query: { versioning: '' } }).catch(() => ({ text: '' }));
    return textOf(text, 'Status') === 'Enabled';
  }
}

/** Runs with bounded concurrency. After the first failure it starts nothing new and waits for what was begun. */
export async function forEachConcurrently<Value>(
  values: AsyncIterable<Value> | Iterable<Value>,
  work: (value: Value) => Promise<void>,
): Promise<void> {
  const busy = new Set<Promise<void>>();
  let failure: { error: unknown } | undefined;
  for await (const value of values) {
    const one = work(value)
      .catch((error) => {
        failure ??= { error };
      })
      .finally(() => busy.delete(one));
    busy.add(one);
    if (busy.size >= maxConcurrent) await Promise.race(busy);
    if (failure) break;
  }
  await Promise.all(busy);
  if (failure) throw failure.error;
}

function asFileError(error: unknown, name: string): unknown {
  if (!(error instanceof AnswerError)) return error;
  if (error.status === 404)
    return Object.assign(new Error(`there is no object ${name}`, { cause: error }), { code: 'ENOENT' });
  // The object was replaced while it was read.
  return Object.assign(new Error(`the object ${name} cannot be read: ${error.message}`, { cause: error }), {
    code: 'EIO',
  });
}
