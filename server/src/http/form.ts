// A multipart form as it arrives: its fields, its files as streams, its end. Any failure of the sender or of the format fails whoever waits.
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import busboy, { type BusboyConfig, type BusboyHeaders } from '@fastify/busboy';
import { Refusal } from '@lorekeep/contract';
import { arriving, type Pace } from './bodies.ts';

export interface UploadLimits extends Pace {
  bytes: number;
}

interface FormHandlers {
  limits: NonNullable<BusboyConfig['limits']>;
  /** The refusal of a form that is not what it should be. */
  wrong(reason: string): Refusal;
  onField(name: string, value: string, truncated: boolean): void;
  /** Failures come from the form, never from the stream. */
  onFile(part: string, stream: Readable, fileName: string): void;
  onTooMany?(): void;
  /** More is read when it is over. */
  ready?(): Promise<void>;
}

export class Form {
  readonly #parser: busboy.BusboyInstance;
  readonly #end = Promise.withResolvers<void>();
  #failure: unknown;

  constructor(request: IncomingMessage, { bytes, ...pace }: UploadLimits, parts: FormHandlers) {
    this.#end.promise.catch(() => {});
    try {
      this.#parser = new busboy.Busboy({
        headers: request.headers as BusboyHeaders,
        // File names are paths of the sender: only shown, and never used as paths here.
        preservePath: false,
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
    this.#parser.on('finish', () => this.#end.resolve());
    this.#parser.on('error', (error) =>
      this.fail(
        /Unexpected end/.test(String(error))
          ? new Refusal('body_incomplete')
          : parts.wrong(String((error as Error).message)),
      ),
    );
    void this.#feed(arriving(request, pace), bytes, parts);
  }

  async #feed(body: AsyncIterable<Buffer>, limit: number, { ready }: FormHandlers): Promise<void> {
    let bytes = 0;
    try {
      for await (const chunk of body) {
        bytes += chunk.length;
        if (bytes > limit) throw new Refusal('body_too_large', { limit });
        if (this.#failure) return;
        // A form that has failed takes no more: then it is the failure that ends the waiting.
        if (!this.#parser.write(chunk)) await Promise.race([once(this.#parser, 'drain'), this.#end.promise]);
        await Promise.race([ready?.(), this.#end.promise]);
      }
      this.#parser.end();
    } catch (error) {
      this.fail(error);
    }
  }

  /** The failure of the form, if any: files are incomplete then. */
  get failure(): unknown {
    return this.#failure;
  }

  fail(error: unknown): void {
    this.#failure ??= error;
    this.#end.reject(this.#failure);
  }

  /** All of it has come; throws why not. */
  get ended(): Promise<void> {
    return this.#end.promise;
  }

  close(): void {
    this.fail(new Refusal('body_incomplete'));
    this.#parser.destroy();
  }
}
