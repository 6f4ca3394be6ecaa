// Proposals: facts that a person or a program proposes for a memory. A person decides; the accepted ones become one change of the memory.
import { z } from 'zod';
import { id, isoTimestamp, next, optional, page, stored } from './common.ts';
import { memoryChangeSchema, memoryFactSchema } from './memories.ts';
import { route } from './route.ts';

const tag = 'Proposals';

export const proposalKinds = ['document', 'feedback', 'conflict', 'stale', 'person'] as const;
export const proposalStates = ['open', 'accepted', 'edited', 'rejected', 'withdrawn'] as const;
/** Proposals in one call. */
export const maxProposals = 1000;
/** Open proposals of a memory. */
export const maxOpenProposals = 100_000;
const maxQuote = 10_000;

const text = stored(z.string().regex(/\S/, 'must not be empty').max(100_000));
const name = stored(z.string().trim().min(1).max(200));
const reason = optional(stored(z.string().trim().max(1000)));
const number = z.int().min(1).max(1_000_000_000);
const numbers = z.array(number).min(1).max(maxProposals);

const source = z
  .object({
    document: z.string().nullable().describe('The name of the file.'),
    index_id: z.int().nullable(),
    file_id: z.int().nullable(),
    page: z.int().nullable(),
    conversation: z.string().nullable().describe('A conversation or an answer, as its program names it.'),
  })
  .describe('The place of the quote.');

export const standingSchema = memoryFactSchema.extend({
  since: isoTimestamp.describe('The time of the version that brought it.'),
});
export type StandingFact = z.infer<typeof standingSchema>;

export const proposalSchema = z
  .object({
    number: z.int(),
    kind: z.enum(proposalKinds),
    state: z.enum(proposalStates).describe('`edited`: accepted in other words.'),
    input: z.string(),
    output: z.string().nullable().describe('Null where the fact is to be withdrawn.'),
    subject: z.string().nullable(),
    withdraws: z.string().nullable().describe('The question of another fact that goes when this one is accepted.'),
    quote: z.string().nullable(),
    source,
    vote: z
      .object({
        input: z.string().nullable().describe('The question as it was asked.'),
        output: z.string().nullable().describe('The answer that was given.'),
        comment: z.string().nullable(),
        by: z.string(),
      })
      .nullable()
      .describe('The vote that it came from; texts are null where they are not kept.'),
    confidence: z.number().nullable(),
    assignee: z.string().nullable(),
    stands: z
      .array(standingSchema)
      .describe('Facts of the published version that accepting it would change or withdraw.'),
    others: z.array(z.int()).describe('Open proposals that give this question another answer.'),
    accepted: z
      .object({ input: z.string(), output: z.string().nullable() })
      .nullable()
      .describe('The words that were accepted.'),
    change: z.int().nullable().describe('The change of the memory that it went into.'),
    reason: z.string().nullable(),
    by: z.string().describe('The proposer: an account, or the server.'),
    decided_by: z.string().nullable(),
    stale_since: isoTimestamp.nullable().describe('Since when its document is gone or states something else.'),
    created_at: isoTimestamp,
    decided_at: isoTimestamp.nullable(),
  })
  .meta({ id: 'Proposal' });
export type Proposal = z.infer<typeof proposalSchema>;

const params = z.object({ name: z.string().min(1).max(200) });

const proposed = z.strictObject({
  kind: z.enum(proposalKinds).default('person'),
  input: text,
  output: optional(text).describe('Left out: the fact with this question is to be withdrawn.'),
  subject: optional(stored(z.string().regex(/\S/, 'must not be empty').max(1000))),
  withdraws: optional(text).describe('The question of another fact that this one is to take the place of.'),
  quote: optional(stored(z.string().max(maxQuote))).describe('The answer has to stand in it, in the same words.'),
  source: optional(
    z.strictObject({
      document: optional(stored(z.string().max(1000))),
      index_id: optional(id),
      file_id: optional(id),
      page: optional(z.int().min(1).max(1_000_000)),
      conversation: optional(stored(z.string().max(300))),
    }),
  ),
  confidence: optional(z.number().min(0).max(1)),
  assignee: optional(name),
});

export const createProposals = route({
  name: 'createProposals',
  method: 'POST',
  path: '/v1/memories/{name}/proposals',
  tag,
  summary: 'Propose facts for a memory: nothing is taught before somebody accepts them',
  description:
    'One that the memory knows, that is open already, or that was rejected (unless it comes from a person or from feedback) is not stored again; the answer says so. ' +
    'One that contradicts a fact is stored as kind `conflict`, unless it comes from a person, from feedback or from a stale source.',
  access: 'infer',
  repeatable: true,
  params,
  body: z.strictObject({ proposals: z.array(proposed).min(1).max(maxProposals) }),
  answer: z.object({
    created: z.int(),
    proposals: z.array(
      z.object({
        outcome: z.enum(['created', 'known', 'open', 'rejected']).describe('`known`: the memory holds this fact.'),
        number: z.int().nullable().describe('The number of the new proposal, or of the one that was there.'),
      }),
    ),
  }),
  errors: ['memory_not_found', 'proposals_invalid', 'proposals_full', 'index_not_found'],
});

export const listProposals = route({
  name: 'listProposals',
  method: 'GET',
  path: '/v1/memories/{name}/proposals',
  tag,
  summary: 'The proposals of a memory, oldest first',
  access: 'read',
  params,
  query: page.extend({
    state: z.enum([...proposalStates, 'all']).default('open'),
    kind: optional(z.enum(proposalKinds)),
    assignee: optional(z.string().max(200)).describe('Nobody where it is empty.'),
    text: optional(z.string().max(1000)).describe('Words that the question, the answer or the quote holds.'),
    index_id: optional(id),
    file_id: optional(id),
    change: optional(id).describe('Those that went into this change.'),
    min_confidence: optional(z.coerce.number().min(0).max(1)),
  }),
  answer: z.object({ proposals: z.array(proposalSchema), next }),
  errors: ['memory_not_found'],
});

export const showProposal = route({
  name: 'showProposal',
  method: 'GET',
  path: '/v1/memories/{name}/proposals/{number}',
  tag,
  summary: 'One proposal, with what stands now',
  access: 'read',
  params: params.extend({ number: id }),
  answer: proposalSchema,
  errors: ['memory_not_found', 'proposal_not_found'],
});

export const acceptProposals = route({
  name: 'acceptProposals',
  method: 'POST',
  path: '/v1/memories/{name}/proposals/accept',
  tag,
  summary: 'Accept proposals, as they are or in other words: together they become one change of the memory',
  description: `At most ${maxProposals}. All or none: the decision and the change are one transaction. When the change fails, its proposals are open again.`,
  access: 'tune',
  params,
  body: z.strictObject({
    proposals: z
      .array(
        z.strictObject({
          number,
          input: optional(text),
          output: optional(text),
          replaces: optional(text).describe(
            'The question of another fact that it takes the place of, such as one that it contradicts in other words: that fact is withdrawn in the same change.',
          ),
        }),
      )
      .min(1)
      .max(maxProposals)
      .describe('Proposals to accept; with `input` or `output`, in these words.'),
    reason,
  }),
  answer: memoryChangeSchema,
  errors: [
    ...(['memory_not_found', 'memory_empty', 'proposal_not_found', 'proposal_decided', 'proposals_invalid'] as const),
    ...(['fact_in_change', 'change_invalid', 'nothing_left', 'data_points_limit'] as const),
  ],
});

const told = z.object({ proposals: z.array(z.int()) });
const refusals = ['memory_not_found', 'proposal_not_found', 'proposal_decided'] as const;

export const rejectProposals = route({
  name: 'rejectProposals',
  method: 'POST',
  path: '/v1/memories/{name}/proposals/reject',
  tag,
  summary: 'Reject proposals, with the reason',
  access: 'tune',
  params,
  body: z.strictObject({ numbers, reason: z.string().trim().min(1, 'must not be empty').max(1000) }),
  answer: told,
  errors: [...refusals],
});

export const assignProposals = route({
  name: 'assignProposals',
  method: 'POST',
  path: '/v1/memories/{name}/proposals/assign',
  tag,
  summary: 'Give proposals to somebody, or to nobody',
  access: 'tune',
  repeatable: true,
  params,
  body: z.strictObject({ numbers, assignee: name.nullable() }),
  answer: told,
  errors: [...refusals],
});

export const withdrawProposals = route({
  name: 'withdrawProposals',
  method: 'POST',
  path: '/v1/memories/{name}/proposals/withdraw',
  tag,
  summary: 'Take proposals back before they are decided',
  access: 'tune',
  params,
  body: z.strictObject({ numbers, reason }),
  answer: told,
  errors: [...refusals],
});
