// Kinds of values that settings take. Each description says what is right, for messages and for the docs.
import { existsSync } from 'node:fs';
import { isIP } from 'node:net';
import { join, resolve } from 'node:path';
import { z } from 'zod';

export const wholeNumber = (min: number, max: number, unit = '') =>
  z
    .string()
    .regex(/^[0-9]+$/)
    .transform(Number)
    .refine((value) => value >= min && value <= max)
    .describe(`a whole number from ${min} to ${max}${unit}`);

export const limit = z
  .union([
    z.literal('none').transform(() => null),
    z
      .string()
      .regex(/^[0-9]{1,15}$/)
      .transform(Number),
  ])
  .describe('a whole number, or none');

/** Larger numbers of bytes are typos, and lose digits. */
const maxBytes = 1024 ** 5;

/** A number of bytes, optionally with a unit: 500, 20kB, 64MB, 2GB (powers of 1024). */
const bytes = (min = 0) =>
  z
    .string()
    .regex(/^[0-9]{1,15} ?([kMGT]i?B)?$/i)
    .transform((text) => {
      const unit = text
        .replace(/[0-9 ]/g, '')
        .charAt(0)
        .toLowerCase();
      return Number.parseInt(text, 10) * 1024 ** Math.max(0, ' kmgt'.indexOf(unit || ' '));
    })
    .refine((value) => value >= min && value <= maxBytes);

/** The smallest body that the console and the clients can work with. */
const minBodyBytes = 16 * 1024;
/** The shipped base and the embedding model with their states fit in this. */
const minEngineBytes = 256 * 1024 ** 2;
export const bodyBytes = bytes(minBodyBytes).describe('bytes from 16kB to 1024TB, such as 500000, 64MB or 2GB');

/** Seconds, optionally with a unit: 90, 20s, 30m, 4h, 2d. */
export const duration = z
  .string()
  .regex(/^[1-9][0-9]{0,8}[smhd]?$/)
  .transform((text) => Number.parseInt(text, 10) * ({ m: 60, h: 3600, d: 86_400 }[text.at(-1) as 'm'] ?? 1))
  .describe('seconds, or a time such as 20s, 30m, 4h or 2d');

const proxyNames = ['loopback', 'linklocal', 'uniquelocal'];
/** An address, or a range of addresses. */
const isNetwork = (text: string): boolean => {
  const [address = '', bits, ...rest] = text.split('/');
  const maxBits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  return (
    rest.length === 0 && maxBits > 0 && (bits === undefined || (/^[0-9]{1,3}$/.test(bits) && Number(bits) <= maxBits))
  );
};

const listOf = (text: string): string[] => (text === 'none' ? [] : text.split(',').map((one) => one.trim()));

export const networks = z
  .string()
  .transform(listOf)
  .refine((all) => all.every(isNetwork))
  .describe('none, or IP addresses and ranges such as 10.0.0.0/8, with commas between');

/** Trusted proxies: addresses or ranges (10.0.0.5, 10.0.0.0/8, loopback), or none. */
export const proxies = z
  .string()
  .transform(listOf)
  .refine((all) => all.every((one) => proxyNames.includes(one) || isNetwork(one)))
  .describe(
    `none, or IP addresses, ranges such as 10.0.0.0/8 and the names ${proxyNames.join(', ')}, with commas between`,
  );

/** Origins as browsers send them: no path, no slash at the end. */
export const origins = z
  .string()
  .transform(listOf)
  .refine((all) => all.every((one) => (one === '*' && all.length === 1) || URL.parse(one)?.origin === one))
  .describe('none, * for every site, or origins such as https://app.example.org, with commas between');

/** Fewer are a key of repeated characters. Random digits have more. */
const minDifferentCharacters = 6;

/** The reason why a folder cannot be the one of a model. */
function modelFolderProblem(folder: string): string | undefined {
  if (!existsSync(folder)) return `there is no folder ${folder}`;
  return existsSync(join(folder, 'config.json')) ? undefined : `${folder} has no config.json`;
}

export const oneOf = <const Values extends [string, ...string[]]>(...values: Values) =>
  z.enum(values).describe(`one of ${values.join(', ')}`);

export const path = z
  .string()
  .min(1)
  .transform((text) => resolve(text))
  .describe('a path');

export const ownKey = z
  .string()
  .regex(/^([\x21-\x7e]{16,200})?$/)
  .refine((text) => text === '' || new Set(text).size >= minDifferentCharacters)
  .describe(
    `16 to 200 visible ASCII characters without spaces, at least ${minDifferentCharacters} of them different, and not to be guessed: \`openssl rand -hex 32\` makes one`,
  );

export const embedder = z
  .string()
  .min(1)
  .transform((text) => (text === 'default' ? text : resolve(text)))
  .superRefine((folder, context) => {
    const problem = folder === 'default' ? undefined : modelFolderProblem(folder);
    if (problem) context.addIssue(problem);
  })
  .describe('the folder of a model, or default');

export const engineBytes = z
  .union([z.literal('auto'), bytes(minEngineBytes)])
  .describe('bytes from 256MB to 1024TB, such as 8GB, or auto');

export const storageBytes = z
  .union([z.literal('none').transform(() => null), bytes()])
  .describe('bytes such as 500MB or 10GB, or none');
