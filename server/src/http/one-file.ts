// Reads a form with one part "file": the file as a stream, and the fields before and after it.
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Refusal, withoutInvisible } from '@lorekeep/contract';
import { Form, type UploadLimits } from './form.ts';
import { quotedName } from './quoted-name.ts';

const formLimits = { fields: 20, fieldNameSize: 100, fieldSize: 10_000, files: 2, parts: 22, headerPairs: 50 };
const wrong = (reason: string) => new Refusal('upload_invalid', { reason });

export class OneFile {
  /** The fields received so far. */
  readonly fields: Record<string, string> = {};
  readonly #form: Form;
  readonly #file = Promise.withResolvers<{ name: string; stream: Readable }>();
  #stream: Readable | undefined;

  constructor(request: IncomingMessage, limits: UploadLimits) {
    this.#file.promise.catch(() => {});
    this.#form = new Form(request, limits, {
      limits: formLimits,
      wrong,
      onField: (name, value) => {
        this.fields[name] = value;
      },
      onFile: (part, stream, fileName) => this.#onFile(part, stream, fileName),
    });
    this.#form.ended.then(
      () => this.#file.reject(wrong('it has no file')),
      (error) => {
        this.#file.reject(error);
        this.#stream?.destroy(error);
      },
    );
  }

  #onFile(part: string, stream: Readable, fileName: string): void {
    const problem =
      part !== 'file'
        ? `its part ${quotedName(part)} is a file; the file belongs in the part "file"`
        : this.#stream && 'it has more than one file';
    if (problem) {
      this.#form.fail(wrong(problem));
      return;
    }
    this.#stream = stream;
    this.#file.resolve({ name: [...withoutInvisible(fileName)].slice(0, 200).join(''), stream });
  }

  async file(): Promise<{ name: string; bytes: AsyncIterable<Buffer> }> {
    const { name, stream } = await this.#file.promise;
    return { name, bytes: this.#bytes(stream) };
  }

  async *#bytes(stream: Readable): AsyncGenerator<Buffer> {
    try {
      // If the reader stops early, the rest of the file is discarded, since the end of the form follows it.
      yield* stream.iterator({ destroyOnReturn: false });
    } catch (error) {
      throw this.#form.failure ?? error;
    }
    if (this.#form.failure) throw this.#form.failure;
  }

  /** Reads the form to its end. Fields after the file, or a second file, are known only then. */
  async end(): Promise<void> {
    this.#stream?.resume();
    await this.#form.ended;
  }

  close(): void {
    this.#form.close();
  }
}
