// Small schemas that several parts of the wire share.
import { z } from 'zod';

/** An optional field: left out and null mean the same, as the clients of the platform send both. */
export const optional = <T extends z.ZodType>(schema: T) => schema.nullish().transform((value) => value ?? undefined);

/** Refuses characters that databases do not store: NUL, and halves of characters. */
export const stored = (text: z.ZodString): z.ZodString =>
  text
    .refine((value) => !value.includes('\0'), 'must not hold a NUL character')
    .refine((value) => value.isWellFormed(), 'must not hold half of a character (a lone surrogate)');

/** A reason that is kept. One of blanks is none. */
export const reasonText = optional(stored(z.string().trim().max(1000))).transform((text) => text || undefined);

/** A model as requests name it. */
export const modelName = stored(z.string().min(1).max(200)).meta({ examples: ['lorekeep/quill'] });

/** A moment, ISO 8601: answered in UTC, taken with any offset. */
export const isoTimestamp = z.iso.datetime({ offset: true }).meta({ examples: ['2026-11-21T09:30:00.000Z'] });

/** A number that may come as digits in a string (ids in paths, queries and some clients' bodies). */
export const id = z
  .union([
    z.int().positive().max(999_999_999_999_999),
    z.string().regex(/^[1-9][0-9]{0,14}$/, 'must be a positive whole number'),
  ])
  .transform(Number);

/**
 * Invisible characters, and characters that change the display order of others: control and format characters (bidirectional controls among
 * them), separators of lines, fillers. Not among them: the signs of number and year of Arabic and Syriac, which are visible.
 */
const invisible =
  /[[\p{Cc}\p{Cs}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]--[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}]]/v;
/** Joiners and variation selectors are visible in emoji and in scripts whose letters they join or separate. */
const joined =
  /(?<=\p{Extended_Pictographic})[\ufe0e\ufe0f]|(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f])\u200d(?=\p{Extended_Pictographic})|(?<=[0-9#*])\ufe0f(?=\u20e3)|(?<=[[\p{L}\p{M}]--[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Han}]])[\u200c\u200d](?=[\p{L}\p{M}])/gv;

/** The same, or somewhat more, in a form that regular expressions of every language have. */
const shownInPatterns = [
  ...[
    '\\x00-\\x1f',
    '\\x7f-\\x9f',
    '\\u00ad',
    '\\u034f',
    '\\u061c',
    '\\u115f\\u1160',
    '\\u17b4\\u17b5',
    '\\u180b-\\u180f',
  ],
  ...[
    '\\u200b-\\u200f',
    '\\u2028-\\u202e',
    '\\u2060-\\u206f',
    '\\u2800',
    '\\u3164',
    '\\ufe00-\\ufe0f',
    '\\ufeff',
    '\\uffa0',
    '\\ufff0-\\ufffb',
  ],
].join('');

export const hasInvisible = (text: string): boolean => invisible.test(text.replace(joined, ''));

/** The text without invisible characters: for names that come with files, which no user chose. */
export function withoutInvisible(text: string, instead = ''): string {
  const seen = new Set([...text.matchAll(joined)].map(({ index }) => index));
  return text.replace(new RegExp(invisible, 'gv'), (found, at: number) => (seen.has(at) ? found : instead));
}

/** A name that people read: one line, 1 to 200 characters, no control or invisible characters. Characters are counted as people do, not in UTF-16 units. */
export const displayName = z
  .string()
  .trim()
  .refine((name) => name !== '', 'must not be empty')
  .refine((name) => [...name].length <= 200, 'must be at most 200 characters')
  .refine((name) => !hasInvisible(name), 'must not hold control characters or invisible ones')
  .meta({
    minLength: 1,
    maxLength: 200,
    pattern: '^[^CONTROL]*[^CONTROL\\s\\ufeff][^CONTROL]*$'.replaceAll('CONTROL', shownInPatterns),
  });

/** A page of a list: how many at most, and where the page before ended. */
export const page = z.object({
  limit: z.coerce.number().int().min(1).max(1000).default(100).describe('Maximum number of entries.'),
  after: optional(id).describe('The value of `next` of the page before.'),
});
export const next = z.int().nullable().describe('Send it as `after` for the next page; null at the end.');
