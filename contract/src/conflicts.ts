// Contradictions: new facts compared with the facts of a memory. A person decides; nothing is overwritten.
import { z } from 'zod';
import { optional } from './common.ts';
import { maxProposals, standingSchema } from './proposals.ts';
import { route } from './route.ts';

const text = z.string().regex(/\S/, 'must not be empty').max(100_000);
const at = z.int().describe('The place in the request, from 0.');
const params = z.object({ name: z.string().min(1).max(200) });

export const findConflicts = route({
  name: 'findConflicts',
  method: 'POST',
  path: '/v1/memories/{name}/conflicts',
  tag: 'Proposals',
  summary:
    'Facts with the same question and another answer than the memory has, side by side, before they are uploaded',
  description:
    'Questions are the same that are the same but for case, punctuation, white space and `the`; those in other words are found by `/conflicts/reworded`. With `propose` each contradiction becomes a proposal of kind `conflict`; `fresh` tells which facts can be added at once.',
  access: 'tune',
  repeatable: true,
  params,
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

export const findRewordedConflicts = route({
  name: 'findRewordedConflicts',
  method: 'POST',
  path: '/v1/memories/{name}/conflicts/reworded',
  tag: 'Proposals',
  summary: 'Facts or proposals that may ask the same in other words as a fact that stands and answer otherwise',
  description:
    "The published version's own search decides, with its strictest gate, by a worker of this machine. Each is held against the facts of the memory and against the others of the request; of each the nearest is told. An answer that says the other and more is no contradiction.",
  access: 'tune',
  repeatable: true,
  params,
  body: z
    .strictObject({
      facts: optional(
        z
          .array(z.strictObject({ input: text, output: text }))
          .min(1)
          .max(maxProposals),
      ),
      proposals: optional(z.array(z.int().positive()).min(1).max(maxProposals)).describe('Numbers, instead of facts.'),
    })
    .refine(({ facts, proposals }) => (facts === undefined) !== (proposals === undefined), 'give facts or proposals'),
  answer: z.object({
    version: z.int().describe('The version that they were held against.'),
    reworded: z.array(
      z.object({
        at,
        stands: standingSchema.nullable().describe('The fact of the memory; null where it is one of the request.'),
        other: z.int().nullable().describe('The place of the other one of the request.'),
        likeness: z.number().describe('Likeness of the questions, as the search scores it; about 1 is the same.'),
      }),
    ),
  }),
  errors: ['memory_not_found', 'memory_empty', 'proposal_not_found', 'engine_unavailable', 'timed_out'],
});
