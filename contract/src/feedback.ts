// Feedback on answers: votes, and what an answer should have been. Decision records of answers, for accounts that have opted in.
import { z } from 'zod';
import { isoTimestamp, next, optional, page } from './common.ts';
import { memorySchema } from './completions.ts';
import { route } from './route.ts';

const tag = 'Feedback';

export const maxExpected = 10_000;
export const maxDecisionDays = 90;

const answerId = z
  .string()
  .regex(/^(?:chatcmpl|cmpl)-[0-9a-f]{32}$/, 'must be the id of an answer, chatcmpl-... or cmpl-...');
const bounded = (most: number) => z.string().max(most, `must be at most ${most} characters`);

export const feedbackSchema = z
  .object({
    answer_id: z.string(),
    rating: z.enum(['up', 'down']),
    model: z.string().nullable(),
    input: z.string().nullable().describe('The question, while the answer is kept or where the vote names it.'),
    output: z.string().nullable().describe('The answer, while it is kept.'),
    decision: memorySchema.nullable().describe('The facts that the answer came from, while it is kept.'),
    expected: z.string().nullable(),
    comment: z.string().nullable(),
    memory: z.string().nullable().describe('The memory that answered.'),
    proposal: z.int().nullable().describe('The proposal of this memory that the vote became.'),
    by: z.string(),
    created_at: isoTimestamp,
  })
  .meta({ id: 'Feedback' });
export type Feedback = z.infer<typeof feedbackSchema>;

export const giveFeedback = route({
  name: 'giveFeedback',
  method: 'POST',
  path: '/v1/feedback',
  tag,
  summary: 'Vote on an answer; with what was expected, a vote down becomes a proposal of the memory that answered',
  description:
    'The id is that of an answer of chat or completions (`id`, also of each event of a stream). What was asked and answered is known where the account keeps decision records; else ' +
    'send `model` and `input`. A second vote on an answer takes the place of the first, whose open proposal is withdrawn.',
  access: 'infer',
  repeatable: true,
  body: z.strictObject({
    answer_id: answerId,
    rating: z.enum(['up', 'down']),
    expected: optional(bounded(maxExpected).regex(/\S/, 'must not be empty')).describe(
      'The answer as it should have been, word for word.',
    ),
    comment: optional(bounded(2000)),
    model: optional(z.string().min(1).max(200)).describe('The model that was asked, where no record is kept.'),
    input: optional(bounded(maxExpected).regex(/\S/, 'must not be empty')).describe(
      'The question, where no record is kept.',
    ),
  }),
  answer: feedbackSchema,
  errors: ['answer_unknown', 'proposals_full'],
});

export const listFeedback = route({
  name: 'listFeedback',
  method: 'GET',
  path: '/v1/feedback',
  tag,
  summary: 'Votes on answers, newest first',
  access: 'read',
  query: page.extend({ rating: optional(z.enum(['up', 'down'])) }),
  answer: z.object({ feedback: z.array(feedbackSchema), next }),
});

const settings = z.object({
  decision_days: z
    .int()
    .min(1)
    .max(maxDecisionDays)
    .nullable()
    .describe('Days for which question, answer and decision of each answer are kept; null: nothing is kept.'),
});

export const showFeedbackSettings = route({
  name: 'showFeedbackSettings',
  method: 'GET',
  path: '/v1/feedback/settings',
  tag,
  summary: 'Whether the account keeps decision records of its answers',
  access: 'read',
  answer: settings,
});

export const changeFeedbackSettings = route({
  name: 'changeFeedbackSettings',
  method: 'PATCH',
  path: '/v1/feedback/settings',
  tag,
  summary: 'Opt in to decision records of answers, or out: then those that are kept are deleted',
  access: 'admin',
  body: z.strictObject(settings.shape),
  answer: settings,
});
