// Streaming parser for multipart forms: fields, files as streams, and the end. A failure of the sender or the format rejects all waiters.
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import busboy, { type BusboyConfig, type BusboyHeaders } from '@fastify/busboy';
import { Refusal } from '@lorekeep/contract';
import { type Pace, streamBody } from './bodies.ts';

export interface UploadLimits extends Pace {
  bytes: number;
}

interface FormHandlers {
  limits: NonNullable<BusboyConfig['limits']>;
  /** The refusal of an invalid form. */
  wrong(reason: string): Refusal;
  onField(name: string, value: string, truncated: boolean): void;
  /** The stream of a file. Failures are reported by the form, never by the stream. */
  onFile(part: string, stream: Readable, fileName: string): void;
  onTooMany?(): void;
  /** Backpressure: the form is read on when this resolves. */
  ready?(): Promise<void>;
  /** Whether names of files keep the folders that the sender gives. */
  paths?: boolean;
}

export class Form {
  readonly #parser: busboy.BusboyInstance;
  readonly #end = Promise.withResolvers<void>();
  /** Aborted at the end and at a failure, which both end a wait. Its listeners are removed, as reactions to a promise never are. */
  readonly #over = new AbortController();
  #failure: unknown;

  constructor(request: IncomingMessage, { bytes, ...pace }: UploadLimits, parts: FormHandlers) {
    this.#end.promise.catch(() => {});
    try {
      this.#parser = new busboy.Busboy({
        headers: request.headers as BusboyHeaders,
        // File names may be paths of the sender. They are only displayed, never used as paths.
        preservePath: parts.paths ?? false,
        limits: parts.limits,
      });
    } catch (error) {
      throw parts.wrong((error as Error).message.replace(/\.$/, ''));
    }
    this.#parser.on('field', (name, value, _truncatedName, truncated) => parts.onField(name, value, truncated));
    this.#parser.on('file', (part, stream, fileName) => {
      stream.on('error', () => {});
      parts.onFile(part, stream, fileName ?? '');
    });
    for (const event of ['filesLimit', 'partsLimit']) this.#parser.on(event, () => parts.onTooMany?.());
    this.#parser.on('finish', () => {
      this.#end.resolve();
      this.#over.abort();
    });
    this.#parser.on('error', (error) =>
      this.fail(
        /Unexpected end/.test(String(error))
          ? new Refusal('body_incomplete')
          : parts.wrong(String((error as Error).message)),
      ),
    );
    void this.#feed(streamBody(request, pace), bytes, parts);
  }

  async #feed(body: AsyncIterable<Buffer>, limit: number, { ready }: FormHandlers): Promise<void> {
    let bytes = 0;
    try {
      for await (const chunk of body) {
        bytes += chunk.length;
        if (bytes > limit) throw new Refusal('body_too_large', { limit });
        if (this.#failure) return;
        if (!this.#parser.write(chunk)) await this.#unlessOver(once(this.#parser, 'drain'));
        if (ready) await this.#unlessOver(ready());
      }
      this.#parser.end();
    } catch (error) {
      this.fail(error);
    }
  }

  /** Waits until the promise is settled or the form is over. Throws the form's failure: nothing more is read then. */
  async #unlessOver(wait: Promise<unknown>): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const { signal } = this.#over;
    const over = () => resolve();
    signal.addEventListener('abort', over, { once: true });
    wait.then(over, reject);
    if (signal.aborted) over();
    await promise.finally(() => signal.removeEventListener('abort', over));
    if (this.#failure) throw this.#failure;
  }

  /** The failure of the form, if any. Its files are then incomplete. */
  get failure(): unknown {
    return this.#failure;
  }

  fail(error: unknown): void {
    this.#failure ??= error;
    this.#end.reject(this.#failure);
    this.#over.abort();
  }

  /** Resolves when the form is complete; rejects with its failure. */
  get ended(): Promise<void> {
    return this.#end.promise;
  }

  close(): void {
    this.fail(new Refusal('body_incomplete'));
    this.#parser.destroy();
  }
}
