// Small schemas that several parts of the wire share.
import { z } from 'zod';

/** An optional field: left out and null mean the same, as the clients of the platform send both. */
export const optional = <T extends z.ZodType>(schema: T) => schema.nullish().transform((value) => value ?? undefined);

/** A moment, ISO 8601: answered in UTC, taken with any offset. */
export const moment = z.iso.datetime({ offset: true }).meta({ examples: ['2026-11-21T09:30:00.000Z'] });

/** A number that may come as digits in a string (ids in paths, queries and some clients' bodies). */
export const id = z
  .union([
    z.int().positive().max(999_999_999_999_999),
    z.string().regex(/^[1-9][0-9]{0,14}$/, 'must be a positive whole number'),
  ])
  .transform(Number);

/** A name that people read: one line, 1 to 200 characters, no control characters. Characters are counted as people do, not in UTF-16 units. */
export const displayName = z
  .string()
  .trim()
  .refine((name) => name !== '', 'must not be empty')
  .refine((name) => [...name].length <= 200, 'must be at most 200 characters')
  .refine((name) => !/[\p{Cc}\p{Cs}]/u.test(name), 'must not hold control characters')
  // The same for readers of the document, in a form that regular expressions of every language have.
  .meta({
    minLength: 1,
    maxLength: 200,
    pattern: '^[^CONTROL]*[^CONTROL\\s\\ufeff][^CONTROL]*$'.replaceAll('CONTROL', '\\x00-\\x1f\\x7f-\\x9f'),
  });

/** A page of a list: how many at most, and where the page before ended. */
export const page = z.object({
  limit: z.coerce.number().int().min(1).max(1000).default(100).describe('How many at most.'),
  after: optional(id).describe('The value of `next` of the page before.'),
});
export const next = z.int().nullable().describe('Send it as `after` for the next page; null at the end.');
