// Writes an object piece by piece: in one request if it is small, else as a multipart upload, so that an object of any size takes a few
// megabytes of memory. The object is visible as a whole after `keep`, or not at all.
import type { Bucket } from './bucket.ts';

const firstPartBytes = 8 << 20;
/** Number of parts after which the part size grows, since S3 allows 10,000 parts. */
const partsPerSize = 1000;

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
    await this.#recordFailure(this.#write(bytes));
  }

  async keep(): Promise<void> {
    await this.#recordFailure(this.#keep());
  }

  async #recordFailure(work: Promise<void>): Promise<void> {
    await work.catch((error) => {
      this.#failed = true;
      throw error;
    });
  }

  async #write(bytes: Uint8Array): Promise<void> {
    const size = firstPartBytes * 2 ** Math.floor(this.#tags.length / partsPerSize);
    for (let at = 0; at < bytes.length; ) {
      const some = bytes.subarray(at, at + size - this.#pendingBytes);
      this.#pending.push(some);
      this.#pendingBytes += some.length;
      at += some.length;
      if (this.#pendingBytes >= size) await this.#part();
    }
  }

  #takePending(): Uint8Array<ArrayBuffer> {
    const bytes = Buffer.concat(this.#pending);
    this.#pending = [];
    this.#pendingBytes = 0;
    return bytes;
  }

  async #part(): Promise<void> {
    this.#upload ??= await this.#bucket.begin(this.name);
    const tag = await this.#bucket.part(this.name, this.#upload, this.#tags.length + 1, this.#takePending());
    this.#tags.push(tag);
  }

  async #keep(): Promise<void> {
    if (this.#upload === undefined) return await this.#bucket.put(this.name, this.#takePending());
    if (this.#pendingBytes > 0) await this.#part();
    await this.#bucket.complete(this.name, this.#upload, this.#tags);
    this.#upload = undefined;
  }

  /**
   * Discards the upload and removes the object, since a failed `keep` may have succeeded after all. Only for names that are never
   * reused. If the storage is unavailable, a sweep does it later.
   */
  async discard(): Promise<void> {
    await this.#cleanUp(this.#abortUpload().then(async () => await this.#bucket.remove(this.name)));
  }

  /** Discards the upload without removing an object of this name. */
  async abort(): Promise<void> {
    await this.#cleanUp(this.#abortUpload());
  }

  /** Cleans up in the background, so that callers receive the failure without waiting for retries of the cleanup. */
  async #cleanUp(work: Promise<void>): Promise<void> {
    this.#pending = [];
    const over = work.catch(() => {});
    if (!this.#failed) await over;
  }

  async #abortUpload(): Promise<void> {
    if (this.#upload !== undefined) await this.#bucket.abort(this.name, this.#upload);
  }
}
