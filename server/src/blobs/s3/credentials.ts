// Credentials of the storage: from the usual environment variables of S3, or from a file. The file is reread at an interval and after its
// keys are refused, so that keys can be rotated and may expire.
import { readFileSync } from 'node:fs';
import { StorageProblem } from './problem.ts';
import type { Keys } from './sign.ts';

/** Interval in milliseconds at which the file is read again. */
const rereadMs = 60_000;
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
    if (this.#keys && (this.#file === '' || performance.now() - this.#readAt < rereadMs)) return this.#keys;
    try {
      this.#keys = this.#file === '' ? this.#keysOf(this.#environment) : this.#keysOf(valuesOf(this.#read()));
    } catch (error) {
      // The file may be missing for a moment while it is replaced.
      if (!this.#keys) throw error;
    }
    this.#readAt = performance.now();
    return this.#keys;
  }

  /** Whether the file now has other keys than the refused ones. */
  haveChangedSince(refused: Keys): boolean {
    this.#readAt = Number.NEGATIVE_INFINITY;
    const { id, secret, token } = this.current();
    return id !== refused.id || secret !== refused.secret || token !== refused.token;
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
    if (id && secret) {
      const odd = [id, secret, token ?? ''].findIndex((value) => /[^\x21-\x7e]/.test(value));
      // The message must not show a value.
      if (odd >= 0)
        throw new StorageProblem(
          'keys',
          `${names[odd]!.toUpperCase()} from ${this.place} contains a space or a character that is not ASCII: write it as the storage issued it.`,
        );
      return { id, secret, token: token || undefined };
    }
    const lacks = (id ? [] : ['AWS_ACCESS_KEY_ID']).concat(secret ? [] : ['AWS_SECRET_ACCESS_KEY']).join(' and ');
    throw new StorageProblem(
      'keys',
      this.#file === ''
        ? `LOREKEEP_STORAGE is object storage, and ${lacks} is not set in the environment: set it, or name a file of credentials by LOREKEEP_STORAGE_CREDENTIALS.`
        : `LOREKEEP_STORAGE_CREDENTIALS is "${this.#file}", which has no ${lacks}: write it there as NAME=value, or as in the file of credentials of the AWS tools.`,
    );
  }
}

/** Parses `NAME=value` lines in either case, with or without quotes; in a file with profiles, only those of `[default]`. */
function valuesOf(text: string): Record<string, string> {
  const values: Record<string, string> = {};
  let profile = 'default';
  for (const line of text.split('\n')) {
    const [, section] = /^\s*\[([^\]]*)\]/.exec(line) ?? [];
    if (section !== undefined) profile = section.trim();
    const [, name, , value] = /^\s*(?:export\s+)?(aws_\w+)\s*=\s*(["']?)(.*?)\2\s*$/i.exec(line) ?? [];
    if (name !== undefined && profile === 'default') values[name.toUpperCase()] = value!;
  }
  return values;
}
