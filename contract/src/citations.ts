// Passages that an answer was made from, as answers of indexes and of models beside an index carry them.
import { z } from 'zod';

export const value = z.union([z.string().max(1000), z.number(), z.boolean()]);
export const metadata = z
  .record(z.string().min(1).max(100), value)
  .refine((fields) => Object.keys(fields).length <= 50, 'must have at most 50 fields')
  .describe('Your own fields of a file, to show and to filter by.');

export const citationSchema = z
  .object({
    file: z.string(),
    file_id: z.int(),
    part: z.string().optional().describe('The file inside the file: of an archive, of a mail.'),
    page: z.int().nullable(),
    last_page: z.int().nullable(),
    line: z.int().nullable(),
    title: z.string().nullable(),
    headings: z.array(z.string()),
    heading: z.string().nullable().describe('The innermost of the headings.'),
    passage: z.int().describe('Its number in the file, from 0.'),
    start: z
      .int()
      .describe(
        'Offset in the text of its file, or of the file inside it, in UTF-16 units: the place of a passage without page and line.',
      ),
    end: z.int(),
    text: z.string(),
    boxes: z
      .array(z.object({ page: z.int(), x: z.number(), y: z.number(), width: z.number(), height: z.number() }))
      .optional()
      .describe('Places on its pages, in points from the top left.'),
    score: z
      .number()
      .describe(
        "Similarity of question and passage, at most 1; in a search by words alone the share of the question's words that it holds.",
      ),
    metadata,
    quoted: z
      .object({ text: z.string(), start: z.int(), end: z.int() })
      .optional()
      .describe(
        'The words of it that the answer quotes, and where they stand in the text of its file, as `start` and `end` of the passage.',
      ),
  })
  .meta({ id: 'Citation' });
export type Citation = z.infer<typeof citationSchema>;

export const answerKind = z
  .enum(['generated', 'quote', 'none'])
  .describe(
    '`generated` by the model; a `quote`: words of the documents; `none`: nothing in the documents answers the question.',
  );
export type AnswerKind = z.infer<typeof answerKind>;
export const retrieval = z.object({
  question: z.string().describe('The query of the search: the bare question, without its chat template.'),
  found: z.boolean().describe('Whether the documents hold anything relevant.'),
  asked: z.int().describe('Passages asked for.'),
  used: z.int().describe('Passages that the model was given.'),
  reason: z.string().nullable().describe('Reason for fewer passages than asked for, or for parts of them.'),
  best: z.number().nullable(),
  threshold: z.number().nullable(),
});
export type Retrieval = z.infer<typeof retrieval>;
