// LOREKEEP_UPSTREAMS: models computed by upstream engines, as JSON or in a JSON file. Keys are never printed.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { inspect } from 'node:util';
import { z } from 'zod';

/** A text that no log, error or listing shows: only `reveal` gives it. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return '(hidden)';
  }

  toJSON(): string {
    return '(hidden)';
  }

  [inspect.custom](): string {
    return '(hidden)';
  }
}

export interface UpstreamSettings {
  /** Local name of the model. */
  name: string;
  /** Ends in /v1. */
  url: string;
  /** Name of the model at the upstream. */
  model: string;
  key: Secret | undefined;
  /** Folder of configuration, tokenizer and chat template (default: the local model of the same name). */
  folder: string | undefined;
  /** Timeout without any byte from the upstream within a request. */
  timeoutSeconds: number;
}

const names = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,95}(\/[A-Za-z0-9_][A-Za-z0-9._-]{0,95})?$/;
const address = z
  .string()
  .refine((text) => {
    const found = URL.parse(text);
    return found !== null && /^https?:$/.test(found.protocol) && !found.username && !found.search && !found.hash;
  }, 'must be an address such as http://10.0.0.5:8000/v1, without a name, password or query in it')
  .transform((text) => {
    const bare = text.replace(/\/+$/, '');
    return bare.endsWith('/v1') ? bare : `${bare}/v1`;
  });
const visible = z.string().regex(/^[\x21-\x7e]{1,2000}$/, 'must be 1 to 2000 visible ASCII characters without spaces');

const entry = z.strictObject({
  url: address,
  model: z.string().min(1).max(500).optional(),
  key: visible.optional(),
  key_file: z.string().min(1).optional(),
  folder: z.string().min(1).optional(),
  timeout: z.int().min(1).max(3600).default(120),
});

const settingDescription = 'a JSON object that gives each model its "url", or the path of a file that holds one';

export const upstreams = z
  .string()
  .transform((text, context) => {
    try {
      return upstreamsOf(text);
    } catch (error) {
      context.addIssue({ code: 'custom', message: (error as Error).message });
      return z.NEVER;
    }
  })
  .describe(settingDescription);

/** Every error names the model and the field, never a value. */
function upstreamsOf(text: string): UpstreamSettings[] {
  if (text.trim() === '') return [];
  const inline = text.trim().startsWith('{');
  const parsed = json(inline ? text : read(text.trim(), 'the file'), inline ? 'the text' : 'the file');
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    throw new Error('it is not a JSON object');
  return Object.entries(parsed).map(([name, value]) => {
    if (!names.test(name)) throw new Error(`"${name.slice(0, 100)}" is not a name of a model`);
    const { success, data, error } = entry.safeParse(value);
    if (!success) {
      const [issue] = error.issues;
      const place = issue!.path.length > 0 ? `"${issue!.path.join('.')}" of ` : '';
      throw new Error(`${place}${name}: ${issue!.message}`);
    }
    if (data.key !== undefined && data.key_file !== undefined)
      throw new Error(`${name} has a "key" and a "key_file": give one of them`);
    const key = data.key_file === undefined ? data.key : read(data.key_file, `the key_file of ${name}`).trim();
    if (key !== undefined && !visible.safeParse(key).success)
      throw new Error(`the key_file of ${name} holds no key: one line of visible ASCII characters`);
    return {
      ...{ name, url: data.url, model: data.model ?? name, timeoutSeconds: data.timeout },
      key: key === undefined ? undefined : new Secret(key),
      folder: data.folder === undefined ? undefined : resolve(data.folder),
    };
  });
}

function json(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own message quotes the text, which contains keys.
    throw new Error(`${what} is not valid JSON`);
  }
}

function read(path: string, what: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new Error(`${what} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'no such file'})`);
  }
}
