// Memories: named objects whose versions are tuned models. Facts are added, changed and withdrawn; each change makes a version.
import { z } from 'zod';
import { id, isoTimestamp, next, optional, page, reasonText, stored } from './common.ts';
import { changedFactDetails, factDetails, factSourceKinds, momentSchema } from './fact-details.ts';
import { movedTo, moveErrors } from './moves.ts';
import { route } from './route.ts';
import { customModelName } from './tuning.ts';

const tag = 'Memories';

/** Questions that name stored facts may hold NUL: earlier versions took facts with it. */
const asked = z.string().regex(/\S/, 'must not be empty').max(100_000);
const text = stored(asked);
const maxVersion = 1_000_000_000;
const version = z.int().min(1).max(maxVersion);
const reason = reasonText.describe('Kept with the change.');
const expected = optional(version).describe(
  'The published version that the caller has seen. Refused where it is another by now, or where a change is not over.',
);

export const namedMemorySchema = z
  .object({
    name: z.string().describe('Usable as `model_name`: the published version answers.'),
    version: z.int().nullable().describe('The published version; null before the first.'),
    latest_version: z.int().nullable(),
    model_name: z.string().nullable().describe('The tuned model of the published version.'),
    base_model: z.string().describe('The base of the published version.'),
    facts: z.int(),
    facts_recalled: z.int(),
    changes_open: z.int().describe('Changes that wait or run.'),
    created_at: isoTimestamp,
  })
  .meta({ id: 'NamedMemory' });
export type NamedMemory = z.infer<typeof namedMemorySchema>;

export const memoryFactSchema = z
  .object({
    id: z.int(),
    input: z.string(),
    output: z.string(),
    subject: z.string().nullable(),
    source: z
      .object({
        dataset_id: z.string().nullable(),
        row: z.int().nullable(),
        change: z.int().nullable(),
        kind: z.enum(factSourceKinds).nullable(),
        name: z.string().nullable(),
        page: z.int().nullable(),
        quote: z.string().nullable(),
      })
      .describe('The dataset and the row, or the change of this memory; and the origin that the change named.'),
    valid_from: z.string().nullable().describe('A date, or a time in UTC; null of a fact that always was.'),
    valid_until: z.string().nullable().describe('A date, whose day is the last, or a time in UTC; null without end.'),
    stale_since: isoTimestamp
      .nullable()
      .describe('Since when the document that it was accepted from is gone or says something else.'),
    recalled: z.boolean().describe('One that is not recalled is never said.'),
    since_version: z.int(),
    until_version: z.int().nullable().describe('The first version without it; null while the latest has it.'),
  })
  .meta({ id: 'MemoryFact' });
export type MemoryFact = z.infer<typeof memoryFactSchema>;

export const changeStates = ['waiting', 'running', 'published', 'held', 'failed'] as const;

export const memoryChangeSchema = z
  .object({
    number: z.int(),
    kind: z.enum(['create', 'facts', 'publish', 'erase', 'move']),
    state: z
      .enum(changeStates)
      .describe('`held`: its version is there and was not published, for the reason that `error` tells.'),
    added: z.int(),
    changed: z.int(),
    withdrawn: z.int(),
    reason: z.string().nullable(),
    by: z.string().describe('The name of the account or of what acted for it.'),
    key_id: z.int().nullable(),
    from_version: z.int().nullable(),
    base_model: z.string().nullable().describe('The base that the memory moves to; null of another kind of change.'),
    version: z.int().nullable().describe('The version that it made or published.'),
    job_id: z.int().nullable(),
    evaluation_id: z.int().nullable().describe('The evaluation of the gate, which decides after the job.'),
    error: z.string().nullable(),
    created_at: isoTimestamp,
    finished_at: isoTimestamp.nullable(),
  })
  .meta({ id: 'MemoryChange' });
export type MemoryChange = z.infer<typeof memoryChangeSchema>;

export const memoryVersionSchema = z
  .object({
    version: z.int(),
    model_name: z.string().describe('An immutable tuned model.'),
    from_version: z.int().nullable().describe('The version that was changed.'),
    change: z.int(),
    published: z.boolean(),
    gate: z.enum(['holds', 'fails']).nullable().describe('Null of a version that no gate has checked.'),
    facts: z.int(),
    facts_recalled: z.int(),
    created_at: isoTimestamp,
  })
  .meta({ id: 'MemoryVersion' });
export type MemoryVersion = z.infer<typeof memoryVersionSchema>;

const params = z.object({ name: z.string().min(1).max(200) });
const times = z
  .object({ valid_from: z.string().nullable(), valid_until: z.string().nullable() })
  .nullable()
  .describe('Its time there; null where there is no fact.');

export const createMemory = route({
  name: 'createMemory',
  method: 'POST',
  path: '/v1/memories',
  tag,
  summary: 'Make a memory of a tuned model, or of a tuning job as soon as it is over',
  description: 'Its name is a custom name of models: it must be free, or point to this very model.',
  access: 'tune',
  body: z
    .strictObject({
      name: customModelName,
      model_name: optional(stored(z.string().min(1).max(200))).describe('A tuned model of the account; or'),
      job_id: optional(id).describe('a tuning job of the account.'),
      reason,
    })
    .refine(({ model_name, job_id }) => (model_name === undefined) !== (job_id === undefined), {
      error: 'name a tuned model or a tuning job, and not both',
      path: ['model_name'],
    }),
  answer: namedMemorySchema,
  errors: ['model_not_found', 'job_not_found', 'name_taken', 'name_of_memory'],
});

export const listMemories = route({
  name: 'listMemories',
  method: 'GET',
  path: '/v1/memories',
  tag,
  summary: 'The memories of the account, newest first',
  access: 'read',
  query: page,
  answer: z.object({ memories: z.array(namedMemorySchema), next }),
});

export const showMemory = route({
  name: 'showMemory',
  method: 'GET',
  path: '/v1/memories/{name}',
  tag,
  summary: 'One memory',
  access: 'read',
  params,
  answer: namedMemorySchema,
  errors: ['memory_not_found'],
});

export const deleteMemory = route({
  name: 'deleteMemory',
  method: 'DELETE',
  path: '/v1/memories/{name}',
  tag,
  summary: 'End a memory: its models stay, and its name goes on pointing to the published one',
  access: 'tune',
  params,
  answer: z.object({ deleted: z.string() }),
  errors: ['memory_not_found', 'memory_busy'],
});

export const listMemoryFacts = route({
  name: 'listMemoryFacts',
  method: 'GET',
  path: '/v1/memories/{name}/facts',
  tag,
  summary: 'The facts of a memory: those of the published version, of another, or all that ever were',
  access: 'read',
  params,
  query: page.extend({
    text: optional(z.string().max(1000)).describe(
      'Words that the question, the answer, the subject, or the name or quote of the source holds.',
    ),
    subject: optional(z.string().max(1000)).describe('The subject, whole.'),
    dataset_id: optional(z.string().max(300)).describe('Facts of this dataset.'),
    version: optional(z.coerce.number().int().min(1).max(maxVersion)).describe('The published one without it.'),
    state: z.enum(['current', 'withdrawn', 'all']).default('current').describe('`current`: facts of the version.'),
    recalled: optional(z.enum(['true', 'false'])),
    valid_at: optional(momentSchema).describe('Facts that are valid at this time.'),
    source_kind: optional(z.enum(factSourceKinds)).describe(
      'Facts whose source is of this kind; `dataset` also finds facts of tuned datasets.',
    ),
    source_name: optional(z.string().max(300)).describe('The name of the source, whole.'),
  }),
  answer: z.object({ facts: z.array(memoryFactSchema), next }),
  errors: ['memory_not_found', 'version_not_found', 'version_erased'],
});

export const maxOperations = 10_000;

export const changeMemory = route({
  name: 'changeMemory',
  method: 'POST',
  path: '/v1/memories/{name}/changes',
  tag,
  summary: 'Add, change and withdraw facts: a job makes a version, and the name moves there when it is verified',
  description:
    `At most ${maxOperations} facts in all. Answered at once with the change, which goes on by itself: changes of a memory run one after the other. A version is published when every ` +
    'added and changed fact is recalled, every withdrawn one is gone, and every other fact is recalled if it was.',
  access: 'tune',
  params,
  body: z.strictObject({
    add: optional(
      z
        .array(z.strictObject({ input: text, output: text, subject: optional(text), ...factDetails }))
        .max(maxOperations),
    ),
    change: optional(
      z.array(z.strictObject({ input: asked, output: text, ...changedFactDetails })).max(maxOperations),
    ).describe('Facts with these questions get other answers, times or sources.'),
    withdraw: optional(z.array(asked).max(maxOperations)).describe('The questions of facts that go.'),
    reason,
    expected_version: expected,
  }),
  answer: memoryChangeSchema,
  errors: [
    ...(['memory_not_found', 'memory_empty', 'change_invalid', 'memory_changed', 'fact_in_change'] as const),
    ...(['nothing_left', 'data_points_limit', 'engine_unavailable', 'plan_timed_out'] as const),
  ],
});

export const moveMemory = route({
  name: 'moveMemory',
  method: 'POST',
  path: '/v1/memories/{name}/move',
  tag,
  summary: 'Move a memory to another base or precision of the same model: a job makes the next version there',
  description:
    'Every fact of the published version is asked of its expert on the other base. An expert that recites all of its facts word for word is taken over; the facts of ' +
    'any other are taught again, and `progress.move` of the job counts both. Without `base_model`, the move is to what its base is by now: a model that was deleted and ' +
    'brought again in another precision. Answered at once with the change; the version is verified and published as that of any change. Earlier versions stay on their base.',
  access: 'tune',
  params,
  body: z.strictObject({ base_model: movedTo, reason, expected_version: expected }),
  answer: memoryChangeSchema,
  errors: ['memory_not_found', 'memory_empty', 'memory_changed', ...moveErrors],
});

export const listMemoryChanges = route({
  name: 'listMemoryChanges',
  method: 'GET',
  path: '/v1/memories/{name}/changes',
  tag,
  summary: 'The changes of a memory with their authors, times and reasons, newest first',
  access: 'read',
  params,
  query: page,
  answer: z.object({ changes: z.array(memoryChangeSchema), next }),
  errors: ['memory_not_found'],
});

export const showMemoryChange = route({
  name: 'showMemoryChange',
  method: 'GET',
  path: '/v1/memories/{name}/changes/{number}',
  tag,
  summary: 'One change',
  access: 'read',
  params: params.extend({ number: id }),
  answer: memoryChangeSchema,
  errors: ['memory_not_found', 'change_not_found'],
});

export const listMemoryVersions = route({
  name: 'listMemoryVersions',
  method: 'GET',
  path: '/v1/memories/{name}/versions',
  tag,
  summary: 'The versions of a memory, newest first',
  access: 'read',
  params,
  query: page,
  answer: z.object({ versions: z.array(memoryVersionSchema), next }),
  errors: ['memory_not_found'],
});

export const compareMemoryVersions = route({
  name: 'compareMemoryVersions',
  method: 'GET',
  path: '/v1/memories/{name}/compare',
  tag,
  summary: 'The differences between two versions: facts that were added, changed, withdrawn',
  access: 'read',
  params,
  query: page.extend({
    from: optional(z.coerce.number().int().min(1).max(maxVersion)).describe('The one before `to` without it.'),
    to: optional(z.coerce.number().int().min(1).max(maxVersion)).describe('The published one without it.'),
  }),
  answer: z.object({
    added: z.int(),
    changed: z.int(),
    withdrawn: z.int(),
    differences: z.array(
      z.object({
        input: z.string(),
        before: z.string().nullable().describe('Null of a fact that was added.'),
        after: z.string().nullable().describe('Null of a fact that was withdrawn.'),
        times_before: times,
        times_after: times,
      }),
    ),
    next,
  }),
  errors: ['memory_not_found', 'version_not_found', 'version_erased'],
});

export const publishMemoryVersion = route({
  name: 'publishMemoryVersion',
  method: 'POST',
  path: '/v1/memories/{name}/publish',
  tag,
  summary: 'Move the name to a version, forward or back; nothing is trained',
  description:
    'The version that is published already is answered as it is, and no change is written. A change that is not over is held when it ends, because it started from another version.',
  access: 'tune',
  params,
  body: z
    .strictObject({
      version,
      reason,
      expected_version: expected,
      force: optional(z.boolean()).describe(
        'Publish a version that the gate of the memory does not let through. Needs a reason.',
      ),
    })
    .refine(({ force, reason }) => !force || Boolean(reason), {
      error: 'force needs a reason, which is kept with the change',
      path: ['reason'],
    }),
  answer: namedMemorySchema,
  errors: [
    ...(['memory_not_found', 'version_not_found', 'memory_changed', 'memory_busy'] as const),
    ...(['version_erased', 'gate_not_held', 'gate_not_passed'] as const),
  ],
});
