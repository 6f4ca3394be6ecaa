// Vector tables in a bucket. Lance reads and writes them itself, with the credentials of this server.
import type { TablePlace } from '../../vectors/place.ts';
import type { Bucket } from './bucket.ts';
import type { Credentials } from './credentials.ts';
import type { HttpOptions } from './http.ts';
import { StorageProblem, unavailable } from './problem.ts';

const root = 'vectors/';
/** Time limit of a search. Lance's own retries on a silent storage take three minutes in total. */
const searchMs = 45_000;
/** Error messages of Lance and its HTTP client that mean that the storage does not answer properly. */
const unavailablePattern =
  /error sending request|error decoding response|timed? ?out|connection (refused|reset|closed)|connect error|dns error|InternalError|SlowDown|ServiceUnavailable|AccessDenied|InvalidAccessKeyId|SignatureDoesNotMatch|ExpiredToken|InvalidToken|RequestTimeTooSkewed|NoSuchBucket|status: (401|403|429|5\d\d)|server error/i;

export class S3Tables implements TablePlace {
  readonly uri: string;
  readonly patience: number;
  readonly #bucket: Bucket;
  readonly #options: HttpOptions;
  readonly #credentials: Credentials;
  /** Names of dropped tables. Some storages list a folder for a while after its last object is gone; names are never reused. */
  readonly #removed = new Set<string>();

  constructor(bucket: Bucket, prefix: string, options: HttpOptions, patience = searchMs) {
    this.patience = patience;
    this.uri = `s3://${options.bucket}/${prefix}${root.slice(0, -1)}`;
    this.#bucket = bucket;
    this.#options = options;
    this.#credentials = options.credentials;
  }

  options(): Record<string, string> {
    const { endpoint, bucket, region, pathStyle } = this.#options;
    // With host-style addressing, Lance expects an address that includes the bucket.
    const address = endpoint.href.replace(/\/$/, '').replace('://', pathStyle ? '://' : `://${bucket}.`);
    const { id, secret, token } = this.#credentials.current();
    return {
      ...{ aws_access_key_id: id, aws_secret_access_key: secret, ...(token && { aws_session_token: token }) },
      ...{ aws_region: region, aws_endpoint: address },
      ...{ allow_http: String(endpoint.protocol === 'http:') },
      ...{ aws_virtual_hosted_style_request: String(!pathStyle) },
      // Limits the retries, which would otherwise last three minutes when the storage is gone.
      ...{ connect_timeout: '5s', timeout: '30s', client_max_retries: '3', client_retry_timeout: '30' },
    };
  }

  async hasFiles(folder: string): Promise<boolean> {
    for await (const _ of this.#bucket.list(`${root}${folder}/`)) return true;
    return false;
  }

  async remove(folder: string): Promise<void> {
    await this.#bucket.removeAll(`${root}${folder}/`);
    this.#removed.add(folder);
  }

  async folders(): Promise<string[]> {
    return (await Array.fromAsync(this.#bucket.folders(root))).filter((folder) => !this.#removed.has(folder));
  }

  failure(error: Error) {
    if (!unavailablePattern.test(error.message)) return undefined;
    return unavailable(new StorageProblem('away', `${this.#bucket.asked.endpoint}: ${error.message}`, error));
  }
}
