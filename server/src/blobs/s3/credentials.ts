// Credentials of the storage: from the environment, under the names that every S3 client uses, or from a file. The file is read again at
// intervals, so that keys can be rotated and may expire.
import { readFileSync } from 'node:fs';
import { StorageProblem } from './problem.ts';
import type { Keys } from './sign.ts';

/** Interval in milliseconds at which the file is read again. */
const readAgainMs = 60_000;
const names = ['aws_access_key_id', 'aws_secret_access_key', 'aws_session_token'] as const;

export class Credentials {
  /** Source of the keys, for messages. */
  readonly place: string;
  readonly #file: string;
  readonly #environment: Record<string, string | undefined>;
  #keys: Keys | undefined;
  #readAt = 0;

  /** Path of the file; empty if the environment is used. */
  constructor(file: string, environment: Record<string, string | undefined> = process.env) {
    this.#file = file;
    this.#environment = environment;
    this.place = file === '' ? 'AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY of the environment' : `the file ${file}`;
  }

  /** Throws a StorageProblem if there are no keys. Messages never contain a key. */
  current(): Keys {
    if (this.#keys && (this.#file === '' || performance.now() - this.#readAt < readAgainMs)) return this.#keys;
    try {
      this.#keys = this.#file === '' ? this.#keysOf(this.#environment) : this.#keysOf(valuesOf(this.#read()));
    } catch (error) {
      // The file may be missing for a moment while it is replaced.
      if (!this.#keys) throw error;
    }
    this.#readAt = performance.now();
    return this.#keys;
  }

  #read(): string {
    try {
      return readFileSync(this.#file, 'utf8');
    } catch (error) {
      throw new StorageProblem(
        'keys',
        `LOREKEEP_STORAGE_CREDENTIALS is "${this.#file}", which cannot be read (${(error as NodeJS.ErrnoException).code}).`,
      );
    }
  }

  #keysOf(values: Record<string, string | undefined>): Keys {
    const [id, secret, token] = names.map((name) => values[name.toUpperCase()]?.trim());
    if (id && secret) return { id, secret, token: token || undefined };
    const lacks = (id ? [] : ['AWS_ACCESS_KEY_ID']).concat(secret ? [] : ['AWS_SECRET_ACCESS_KEY']).join(' and ');
    throw new StorageProblem(
      'keys',
      this.#file === ''
        ? `LOREKEEP_STORAGE is object storage, and ${lacks} is not set in the environment: set it, or name a file of credentials by LOREKEEP_STORAGE_CREDENTIALS.`
        : `LOREKEEP_STORAGE_CREDENTIALS is "${this.#file}", which has no ${lacks}: write it there as NAME=value, or as in the file of credentials of the AWS tools.`,
    );
  }
}

/** Parses `NAME=value` lines in upper or lower case. In a file with profiles, `[default]` is read. */
function valuesOf(text: string): Record<string, string> {
  const values: Record<string, string> = {};
  let profile = 'default';
  for (const line of text.split('\n')) {
    const [, section] = /^\s*\[([^\]]*)\]/.exec(line) ?? [];
    if (section !== undefined) profile = section.trim();
    const [, name, value] = /^\s*(?:export\s+)?(aws_\w+)\s*=\s*"?([^"\r]*?)"?\s*$/i.exec(line) ?? [];
    if (name !== undefined && profile === 'default') values[name.toUpperCase()] = value!;
  }
  return values;
}
