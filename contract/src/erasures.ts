// Erasures: facts are removed from every version of a memory and from everything that stores their text, with a signed receipt.
import { z } from 'zod';
import { id, isoTimestamp, next, optional, page, reasonText } from './common.ts';
import { memoryChangeSchema } from './memories.ts';
import { route } from './route.ts';

const tag = 'Erasures';
const params = z.object({ name: z.string().min(1).max(200) });
const hex = z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits');

export const maxErased = 1000;

const chosen = {
  inputs: optional(z.array(z.string().regex(/\S/, 'must not be empty').max(100_000)).min(1).max(maxErased)).describe(
    'The questions of the facts, in whichever version they are; or',
  ),
  about: optional(z.string().trim().min(2).max(300)).describe(
    'a name: every fact whose question, answer or subject holds it as a word of its own, upper or lower case.',
  ),
};
const oneOf = ({ inputs, about }: { inputs?: string[] | undefined; about?: string | undefined }) =>
  (inputs === undefined) !== (about === undefined);
const oneOfError = { error: 'name questions (inputs) or a name (about), and not both', path: ['inputs'] };

export const planErasure = route({
  name: 'planErasure',
  method: 'POST',
  path: '/v1/memories/{name}/erasures/plan',
  tag,
  summary: 'List the facts that an erasure would erase, and all that would be rebuilt; nothing is changed',
  access: 'admin',
  repeatable: true,
  params,
  body: z.strictObject(chosen).refine(oneOf, oneOfError),
  answer: z.object({
    facts: z.array(
      z.object({
        input: z.string(),
        output: z.string(),
        subject: z.string().nullable(),
        since_version: z.int(),
        until_version: z.int().nullable().describe('The first version without it; null while the latest has it.'),
      }),
    ),
    versions: z.array(
      z.object({
        version: z.int(),
        facts: z.int().describe('Facts that it loses.'),
        becomes: z.enum(['rebuilt', 'ended']).describe('`ended`: no fact of it would be left.'),
      }),
    ),
    sources: z
      .array(z.object({ input: z.string(), since_version: z.int(), until_version: z.int().nullable() }))
      .describe('Facts that stay, whose source holds such a fact or the name: its name or quote is overwritten.'),
    datasets: z.array(z.object({ dataset_id: z.string(), name: z.string().nullable(), rows: z.int() })),
    still_held: z
      .array(z.string())
      .describe(
        'Other models of the account that hold such a fact, and datasets with other rows that hold the name. They stay.',
      ),
    digest: hex.describe(
      'The listed set: send it with the erasure, which is refused where the set is another by then.',
    ),
  }),
  errors: ['memory_not_found', 'nothing_to_erase', 'erasure_too_large'],
});

const removedSchema = z.object({
  models: z.array(z.string()),
  facts: z.int().describe('Rows of facts of the memory.'),
  datasets: z.array(
    z
      .object({ before: z.string(), after: z.string().nullable(), rows: z.int() })
      .describe('`after` is null where none was left.'),
  ),
  texts: z
    .record(z.string(), z.int())
    .describe('Rows of the database whose texts were overwritten, and kept answers that were deleted, by table.'),
  proposals: z.int().optional().describe('Open proposals of such facts that were rejected.'),
  files: z.int().describe('Files of jobs in which texts were overwritten.'),
});

export const erasureSchema = z
  .object({
    number: z.int().describe('The number of its change in the memory.'),
    state: memoryChangeSchema.shape.state.describe('`published`: it is complete, and there is a receipt.'),
    step: z
      .enum(['rebuilding', 'removing', 'over'])
      .describe('Up to `rebuilding` nothing is removed, and a failure leaves all as it was.'),
    facts: z.int(),
    versions: z.array(
      z.object({
        version: z.int(),
        outcome: z
          .enum(['waiting', 'rebuilt', 'ended', 'kept'])
          .describe('`kept`: the erasure failed, and it is as it was.'),
        job_id: z.int().nullable(),
        reason: z.string().nullable(),
      }),
    ),
    receipt: z.int().nullable().describe('The number of its receipt.'),
    removed: removedSchema.nullable().describe('All that was removed, as the receipt counts it; null before it.'),
    reason: z.string().nullable(),
    by: z.string(),
    error: z.string().nullable(),
    created_at: isoTimestamp,
    finished_at: isoTimestamp.nullable(),
  })
  .meta({ id: 'Erasure' });
export type Erasure = z.infer<typeof erasureSchema>;

export const eraseFacts = route({
  name: 'eraseFacts',
  method: 'POST',
  path: '/v1/memories/{name}/erasures',
  tag,
  summary: 'Erase facts from every version and from all that keeps their text, and write a signed receipt',
  description:
    'Answered at once with the erasure, which goes on by itself, through restarts too. Facts that are current are withdrawn by it. Refused while another change of ' +
    'the memory is not over; changes that come later wait for it. It cannot be undone.',
  access: 'admin',
  params,
  body: z
    .strictObject({
      ...chosen,
      digest: optional(hex).describe('The digest of the listed set; `about` needs it.'),
      reason: reasonText.describe('Kept with the change. No text of the facts belongs here.'),
    })
    .refine(oneOf, oneOfError),
  answer: erasureSchema,
  errors: ['memory_not_found', 'nothing_to_erase', 'erasure_too_large', 'erasure_unconfirmed', 'memory_busy'],
});

export const retryErasure = route({
  name: 'retryErasure',
  method: 'POST',
  path: '/v1/memories/{name}/erasures/{number}/retry',
  tag,
  summary: 'Try a failed erasure again, with the very facts that were confirmed',
  description:
    'The answer is a new erasure; the failed one stays in the history. It erases the facts of the failed one from all versions that hold them by now.',
  access: 'admin',
  params: params.extend({ number: id }),
  answer: erasureSchema,
  errors: ['memory_not_found', 'erasure_not_found', 'erasure_not_failed', 'nothing_to_erase', 'memory_busy'],
});

export const listErasures = route({
  name: 'listErasures',
  method: 'GET',
  path: '/v1/memories/{name}/erasures',
  tag,
  summary: 'The erasures of a memory, newest first',
  access: 'read',
  params,
  query: page,
  answer: z.object({ erasures: z.array(erasureSchema), next }),
  errors: ['memory_not_found'],
});

export const showErasure = route({
  name: 'showErasure',
  method: 'GET',
  path: '/v1/memories/{name}/erasures/{number}',
  tag,
  summary: 'One erasure',
  access: 'read',
  params: params.extend({ number: id }),
  answer: erasureSchema,
  errors: ['memory_not_found', 'erasure_not_found'],
});

const probeSchema = z.object({
  fact: hex.describe('The salted hash of the fact that was asked for.'),
  kind: z.enum(['exact', 'reworded', 'reversed']),
  outcome: z.string().describe('The outcome of the answer; `none` where it is not one of a tuned model.'),
  holds: z.boolean().describe('The answer holds what was erased.'),
  because: z
    .enum(['other_fact', 'base', 'unknown'])
    .nullable()
    .describe('The reason: a fact that stays says so, or the base by itself; null where it does not hold it.'),
});
export type Probe = z.infer<typeof probeSchema>;

const receiptBodySchema = z.object({
  format: z.literal('lorekeep-erasure-1'),
  number: z.int(),
  account_id: z.int(),
  memory: z.string(),
  erasure: z.int(),
  by: z.string(),
  ordered_at: isoTimestamp,
  finished_at: isoTimestamp,
  salt: hex,
  facts: z
    .array(hex)
    .describe('SHA-256 over the salt and the JSON of question and answer: who has the text can confirm it.'),
  versions: z.array(
    z.object({
      version: z.int(),
      outcome: z.enum(['rebuilt', 'ended']),
      reason: z.string().nullable(),
      published: z.boolean(),
      before: z.object({ model: z.string(), hash: hex, facts: z.int(), recalled: z.int() }),
      after: z.object({ model: z.string(), hash: hex, facts: z.int(), recalled: z.int() }).nullable(),
      probes: z.array(probeSchema),
      probes_skipped: z.string().nullable().describe('The reason for which not every fact was asked for.'),
    }),
  ),
  gone: z
    .boolean()
    .describe(
      'Every fact of every rebuilt version was asked for, and no answer holds what was erased for an unknown reason.',
    ),
  removed: removedSchema,
  still_held: z.array(z.string()),
  exports: z.array(z.object({ what: z.string(), name: z.string(), at: isoTimestamp, by: z.string() })),
  out_of_reach: z.array(z.string()),
});
export type ReceiptBody = z.infer<typeof receiptBodySchema>;

export const receiptSchema = z
  .object({
    receipt: receiptBodySchema,
    signature: z
      .string()
      .describe('Ed25519 over the canonical JSON of `receipt` (sorted names, no spaces, UTF-8), in base64.'),
    fingerprint: hex.describe('SHA-256 of the public key (DER, SubjectPublicKeyInfo).'),
  })
  .meta({ id: 'Receipt' });
export type Receipt = z.infer<typeof receiptSchema>;

export const listReceipts = route({
  name: 'listReceipts',
  method: 'GET',
  path: '/v1/receipts',
  tag,
  summary: 'The receipts of the account, newest first; also those of memories that are gone',
  access: 'read',
  query: page,
  answer: z.object({
    receipts: z.array(
      z.object({
        number: z.int(),
        memory: z.string(),
        erasure: z.int(),
        facts: z.int(),
        gone: z.boolean(),
        created_at: isoTimestamp,
      }),
    ),
    next,
  }),
});

export const showReceipt = route({
  name: 'showReceipt',
  method: 'GET',
  path: '/v1/receipts/{number}',
  tag,
  summary: 'One receipt, as it was signed',
  access: 'read',
  params: z.object({ number: id }),
  answer: receiptSchema,
  errors: ['receipt_not_found'],
});

export const showReceiptKey = route({
  name: 'showReceiptKey',
  method: 'GET',
  path: '/v1/receipt-key',
  tag,
  summary: 'The public key of the installation: it proves the signatures of receipts',
  access: 'key',
  answer: z.object({ public_key: z.string().describe('PEM.'), fingerprint: hex }),
});

export const verifyReceipt = route({
  name: 'verifyReceipt',
  method: 'GET',
  path: '/v1/receipts/{number}/verify',
  tag,
  summary: 'Check the signature of a receipt, and that the rebuilt models are still what it says',
  access: 'read',
  params: z.object({ number: id }),
  answer: z.object({
    sound: z.boolean(),
    signature: z.boolean(),
    versions: z.array(
      z.object({
        version: z.int(),
        state: z
          .enum(['same', 'gone', 'erased_again', 'different'])
          .describe('`gone`: the model was removed since. `erased_again`: a later receipt has rebuilt it.'),
      }),
    ),
  }),
  errors: ['receipt_not_found'],
});

export const verifyMemoryVersion = route({
  name: 'verifyMemoryVersion',
  method: 'POST',
  path: '/v1/memories/{name}/versions/{version}/verify',
  tag,
  summary: 'Teach random experts of a version again and compare them bit for bit',
  access: 'tune',
  repeatable: true,
  params: params.extend({ version: z.coerce.number().int().min(1).max(1_000_000_000) }),
  body: z.strictObject({
    experts: z.int().min(1).max(20).default(3),
    seed: optional(
      z
        .int()
        .min(0)
        .max(2 ** 32 - 1),
    ),
  }),
  answer: z.object({
    sound: z.boolean().describe('All that were compared are the same; false where none could be compared.'),
    experts: z.int().describe('The number of experts of the version.'),
    seed: z.int().describe('The same seed chooses the same experts.'),
    compared: z.array(
      z.object({
        expert: z.string(),
        facts: z.int(),
        same: z.boolean(),
        sum: z.string().nullable().describe('Checksum of its weights as they are stored.'),
      }),
    ),
    note: z
      .string()
      .nullable()
      .describe(
        'A reason for which experts can differ that nobody changed: another engine version or machine; or the number of those that were taught on another precision, which is gone, and are not compared.',
      ),
  }),
  errors: ['memory_not_found', 'version_not_found', 'version_erased', 'engine_unavailable'],
});
