// An object that is written piece by piece: in one request where it is small, else in parts, so that however large it is some megabytes of
// memory hold it. It is there whole, after `keep`, or not at all.
import type { Bucket } from './bucket.ts';

const firstPart = 8 << 20;
/** After as many parts each part is larger: S3 takes 10,000 of them. */
const partsOfASize = 1000;

export class ObjectWriter {
  readonly name: string;
  readonly #bucket: Bucket;
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;
  #upload: string | undefined;
  readonly #tags: string[] = [];
  #failed = false;

  constructor(bucket: Bucket, name: string) {
    this.#bucket = bucket;
    this.name = name;
  }

  async write(bytes: Uint8Array): Promise<void> {
    await this.#noting(this.#write(bytes));
  }

  async keep(): Promise<void> {
    await this.#noting(this.#keep());
  }

  async #noting(work: Promise<void>): Promise<void> {
    await work.catch((error) => {
      this.#failed = true;
      throw error;
    });
  }

  async #write(bytes: Uint8Array): Promise<void> {
    const size = firstPart * 2 ** Math.floor(this.#tags.length / partsOfASize);
    for (let at = 0; at < bytes.length; ) {
      const some = bytes.subarray(at, at + size - this.#pendingBytes);
      this.#pending.push(some);
      this.#pendingBytes += some.length;
      at += some.length;
      if (this.#pendingBytes >= size) await this.#part();
    }
  }

  #taken(): Uint8Array<ArrayBuffer> {
    const bytes = Buffer.concat(this.#pending);
    this.#pending = [];
    this.#pendingBytes = 0;
    return bytes;
  }

  async #part(): Promise<void> {
    this.#upload ??= await this.#bucket.begin(this.name);
    const tag = await this.#bucket.part(this.name, this.#upload, this.#tags.length + 1, this.#taken());
    this.#tags.push(tag);
  }

  async #keep(): Promise<void> {
    if (this.#upload === undefined) return await this.#bucket.put(this.name, this.#taken());
    if (this.#pendingBytes > 0) await this.#part();
    await this.#bucket.complete(this.name, this.#upload, this.#tags);
    this.#upload = undefined;
  }

  /**
   * Removes the object too: a `keep` that failed may have done its work all the same. For names that are never used again. Where the
   * storage is away, a sweep does it.
   */
  async discard(): Promise<void> {
    await this.#unlessFailed(this.#aborted().then(async () => await this.#bucket.remove(this.name)));
  }

  /** Leaves what may be there under this name. */
  async abort(): Promise<void> {
    await this.#unlessFailed(this.#aborted());
  }

  /** Callers are told of a failure at once, and not after as many attempts for its leftovers. */
  async #unlessFailed(work: Promise<void>): Promise<void> {
    this.#pending = [];
    const over = work.catch(() => {});
    if (!this.#failed) await over;
  }

  async #aborted(): Promise<void> {
    if (this.#upload !== undefined) await this.#bucket.abort(this.name, this.#upload);
  }
}
