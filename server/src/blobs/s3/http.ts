// Signed requests to the storage. Each attempt has an idle timeout. Transient failures (no answer, throttling, errors of the storage) are
// retried with backoff within a time limit: a storage that is slow or gone leads to a clear error.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Credentials } from './credentials.ts';
import { AnswerError, type Asked, isCredentialError, isTransientError, problemOf, unavailable } from './problem.ts';
import { encoded, type Keys, queryOf, signed } from './sign.ts';
import { textOf } from './xml.ts';

export interface HttpOptions {
  endpoint: URL;
  bucket: string;
  region: string;
  /** Path-style addressing: the bucket is the first part of the path, not of the host name. */
  pathStyle: boolean;
  credentials: Credentials;
  /** Aborts requests in flight and all later ones. */
  closing: AbortSignal;
}

export interface RetryPolicy {
  attempts: number;
  /** Time limit for retries in milliseconds. */
  all: number;
  /** Idle timeout in milliseconds. An upload gets additional time for its bytes at 100 kB/s. */
  silence: number;
  /** Backoff in milliseconds before the second attempt; it doubles with each further one. */
  backoff: number;
}

export const defaultTimeouts: RetryPolicy = { attempts: 6, all: 30_000, silence: 15_000, backoff: 200 };
const minBytesPerMs = 100;

export interface Call {
  method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /** Key of the object. Without a key the request concerns the bucket. */
  key?: string;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  body?: Uint8Array<ArrayBuffer>;
}

export interface Answer {
  headers: Headers;
  text: string;
}

export interface OpenAnswer {
  status: number;
  headers: Headers;
  chunks: AsyncIterable<Uint8Array>;
}

export class Http {
  readonly asked: Asked;
  readonly #options: HttpOptions;
  readonly #patience: RetryPolicy;
  readonly #base: { url: string; host: string; path: string };

  constructor(options: HttpOptions, patienceOf: Partial<RetryPolicy> = {}) {
    this.#options = options;
    this.#patience = { ...defaultTimeouts, ...patienceOf };
    const { endpoint, bucket, region, pathStyle, credentials } = options;
    const host = pathStyle ? endpoint.host : `${bucket}.${endpoint.host}`;
    const root = endpoint.pathname.replace(/\/+$/, '');
    this.#base = { url: `${endpoint.protocol}//${host}`, host, path: pathStyle ? `${root}/${bucket}` : root };
    this.asked = { endpoint: endpoint.origin, bucket, region, keys: credentials.place };
  }

  /** Reads the whole answer. Throws an AnswerError if the storage refuses, and `storage_unavailable` if it cannot be used. */
  async call(call: Call): Promise<Answer> {
    return await this.#withRetries(call, async (response, watch) => {
      const text = await response.text();
      watch(0);
      // A long operation is answered with 200 before it ends, and may then report an error in the body.
      if (call.method === 'POST' && /<Error>/.test(text)) throw answerError(500, text);
      return { headers: response.headers, text };
    });
  }

  /** Returns the head of an answer and the stream of its bytes. An interrupted answer throws an error that `isTransientError` accepts. */
  async open(call: Call): Promise<OpenAnswer> {
    return await this.#withRetries(call, async (response, watch) => ({
      status: response.status,
      headers: response.headers,
      chunks: this.#chunks(response, watch),
    }));
  }

  async *#chunks(response: Response, watch: Watch): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of response.body ?? []) {
        // The idle timeout applies to the storage only; the consumer may be slow.
        watch(0);
        yield chunk;
        watch(this.#patience.silence);
      }
    } finally {
      watch(0);
    }
  }

  async #withRetries<Result>(call: Call, use: (response: Response, watch: Watch) => Promise<Result>): Promise<Result> {
    const { attempts, all, backoff } = this.#patience;
    const { credentials } = this.#options;
    const begun = performance.now();
    for (let attempt = 1; ; attempt++) {
      let keys: Keys | undefined;
      try {
        keys = credentials.current();
        return await this.#attempt(call, keys, use);
      } catch (error) {
        const isRefused = error instanceof AnswerError && !isTransientError(error);
        if (keys && isCredentialError(error) && attempt < attempts && credentials.haveChangedSince(keys)) continue;
        if (isRefused && isOfObject(error)) throw error;
        const pause = backoff * 2 ** (attempt - 1) * (0.5 + Math.random());
        const isLast = attempt === attempts || performance.now() - begun + pause > all || this.#options.closing.aborted;
        if (isRefused || !isTransientError(error) || isLast) throw unavailable(problemOf(error, this.asked));
        await sleep(pause, undefined, { signal: this.#options.closing }).catch(() => {});
      }
    }
  }

  async #attempt<Result>(
    call: Call,
    keys: Keys,
    use: (response: Response, watch: Watch) => Promise<Result>,
  ): Promise<Result> {
    const { method, key, query = {}, headers = {}, body } = call;
    const stopping = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const watch: Watch = (milliseconds) => {
      clearTimeout(timer);
      if (milliseconds > 0)
        timer = setTimeout(() => stopping.abort(new DOMException('silence', 'TimeoutError')), milliseconds);
    };
    const { url, host, path: base } = this.#base;
    const path = (key === undefined ? base : `${base}/${encoded(key)}`) || '/';
    const queried = queryOf(query);
    const sent = signed({ method, host, path, query: queried, headers, body }, keys, this.#options.region);
    watch(this.#patience.silence + (body?.length ?? 0) / minBytesPerMs);
    try {
      const response = await fetch(`${url}${path}${queried && `?${queried}`}`, {
        ...{ method, signal: AbortSignal.any([stopping.signal, this.#options.closing]), redirect: 'manual' },
        headers: { ...sent, 'accept-encoding': 'identity' },
        body: body ?? null,
      });
      watch(this.#patience.silence);
      if (response.status >= 300) throw answerError(response.status, await response.text().finally(() => watch(0)));
      return await use(response, watch);
    } catch (error) {
      watch(0);
      throw error;
    }
  }
}

type Watch = (milliseconds: number) => void;

/** An error about the object (such as not found), which the caller handles, as opposed to one about the storage. */
const isOfObject = ({ status, code }: AnswerError): boolean =>
  ([404, 409, 412, 416].includes(status) && code !== 'NoSuchBucket') || code === 'NotImplemented';

function answerError(status: number, text: string): AnswerError {
  const code = textOf(text, 'Code') ?? (status === 404 ? 'NoSuchKey' : '');
  return new AnswerError(status, code, textOf(text, 'Message') ?? '');
}
