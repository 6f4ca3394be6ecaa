// The times between which a fact is valid, and its source: a person or a document.
import { z } from 'zod';
import { optional, stored } from './common.ts';

/** The years that all parts support. */
const [first, last] = ['0001-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z'].map((at) => Date.parse(at)) as [
  number,
  number,
];
const inRange = (text: string) => {
  const at = Date.parse(text);
  return at >= first && at <= last;
};

/** A date, which is a whole day in UTC, or a time with its zone; kept as the date, or as the time in UTC. */
export const momentSchema = z
  .union([z.iso.date(), z.iso.datetime({ offset: true })], {
    error: 'must be a date (2026-01-31) or a date and time with its zone (2026-01-31T09:30:00Z)',
  })
  .refine(inRange, 'must lie in the years 1 to 9999')
  .transform((text) => (text.length === 10 ? text : new Date(text).toISOString()));

const day = 86_400_000;

/** In milliseconds since 1970. The end of a fact that ends on a date is the end of that day. */
export const momentAt = (text: string, edge: 'start' | 'end'): number =>
  Date.parse(text) + (edge === 'end' && text.length === 10 ? day : 0);

export interface Times {
  valid_from?: string | null | undefined;
  valid_until?: string | null | undefined;
}

/** Reason for which a fact could never be valid; undefined where it can. */
export function timesFault({ valid_from, valid_until }: Times): string | undefined {
  if (!valid_from || !valid_until || momentAt(valid_from, 'start') < momentAt(valid_until, 'end')) return undefined;
  return `valid_from (${valid_from}) is not before valid_until (${valid_until})`;
}

const name = stored(z.string().trim().min(1).max(300));
const quote = optional(stored(z.string().trim().min(1).max(4000))).describe('The words that say so.');

/** Other fields are refused, so that a source is one thing. */
export const factSourceSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('dataset'),
    name: name.describe('The id or the name of the dataset.'),
    row: optional(z.int().min(0).max(1_000_000_000)),
  }),
  z.strictObject({
    kind: z.literal('document'),
    name: name.describe('The file, or its address.'),
    page: optional(z.int().min(1).max(10_000_000)),
    quote,
  }),
  z.strictObject({ kind: z.literal('person'), name }),
  z.strictObject({ kind: z.literal('feedback'), name: optional(name).describe('The answer that it is about.'), quote }),
]);
export type FactSource = z.infer<typeof factSourceSchema>;
export const factSourceKinds = ['dataset', 'document', 'person', 'feedback'] as const;

const fromText = 'The first day or moment at which the fact is valid; before it the fact is never said.';
const untilText = 'The last day, or the moment at which it ends; from then on the fact is never said.';

/** Fields of a fact that is added. */
export const factDetails = {
  valid_from: optional(momentSchema).describe(fromText),
  valid_until: optional(momentSchema).describe(untilText),
  source: optional(factSourceSchema).describe('The origin of the fact, as whoever adds it says.'),
};

const changed = z.union([momentSchema, z.literal('none')], {
  error: 'must be a date, a date and time with its zone, or "none"',
});

/** Fields of a fact that is changed. A field that is left out stays, but for the source of another answer. */
export const changedFactDetails = {
  valid_from: optional(changed).describe(`${fromText} \`none\`: always was. Left out, it stays.`),
  valid_until: optional(changed).describe(`${untilText} \`none\`: without end. Left out, it stays.`),
  source: optional(factSourceSchema).describe(
    'The origin of the fact. Left out, that of the fact stays if its answer does.',
  ),
};

/** Looser than the accepted input: sources in models of other installations are returned unchanged. */
const knownSourceSchema = z
  .object({
    kind: z.enum(factSourceKinds),
    name: z.string().optional(),
    page: z.int().optional(),
    row: z.int().optional(),
    quote: z
      .string()
      .optional()
      .describe('The words that say so; of a fact that an answer did not use they are not told.'),
  })
  .meta({ id: 'KnownSource' });

/** Fields of a fact as a model knows it. Each is there where the fact has it. */
export const knownDetails = {
  valid_from: z.string().optional().describe('A date, or a time in UTC; a fact without it always was.'),
  valid_until: z.string().optional().describe('A date, whose day is the last, or a time in UTC; absent without end.'),
  source: knownSourceSchema.optional().describe('The origin of the fact, as whoever added it said.'),
};
