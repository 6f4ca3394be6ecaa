// Contradictions: facts that are to be uploaded, held against those that a memory has. A person decides; nothing is overwritten.
import { z } from 'zod';
import { optional } from './common.ts';
import { maxProposals, standingSchema } from './proposals.ts';
import { route } from './route.ts';

const text = z.string().regex(/\S/, 'must not be empty').max(100_000);
const at = z.int().describe('The place in the request, from 0.');

export const findConflicts = route({
  name: 'findConflicts',
  method: 'POST',
  path: '/v1/memories/{name}/conflicts',
  tag: 'Proposals',
  summary:
    'Facts with the same question and another answer than the memory has, side by side, before they are uploaded',
  description:
    'Questions are the same that are the same but for white space. With `propose` each contradiction becomes a proposal of kind `conflict`; `fresh` tells which facts can be added at once.',
  access: 'tune',
  repeatable: true,
  params: z.object({ name: z.string().min(1).max(200) }),
  body: z.strictObject({
    facts: z
      .array(z.strictObject({ input: text, output: text, subject: optional(text.max(1000)) }))
      .min(1)
      .max(maxProposals),
    propose: z.boolean().default(false),
  }),
  answer: z.object({
    conflicts: z.array(
      z.object({
        at,
        stands: standingSchema.nullable().describe('Null where only another fact of the request contradicts it.'),
        others: z.array(z.int()).describe('Places of facts of the request that contradict it.'),
        proposal: z.int().nullable(),
      }),
    ),
    known: z.array(at).describe('Facts that the memory has, in the same words.'),
    fresh: z.array(at).describe('Facts that contradict nothing.'),
  }),
  errors: ['memory_not_found', 'proposals_full'],
});
