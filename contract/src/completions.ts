// Completions as the platform's clients ask for them: at once, polled as they grow, in durable batches; and embeddings.
import { z } from 'zod';
import { answerFromSchema, besideSchema, outcomeSchema, unknownSchema } from './answering.ts';
import { citationSchema } from './citations.ts';
import { isoTimestamp, modelName, next, optional, page } from './common.ts';
import type { ErrorCode } from './errors.ts';
import { knownDetails, momentSchema } from './fact-details.ts';
import { gateSchema } from './gates.ts';
import { generationLimits, maxTokens } from './generation-limits.ts';
import { route } from './route.ts';

const tag = 'Completions';

export const maxPrompts = 10_000;

const text = z.string().describe('Goes to the model as it is: no template is put around it.');
const prompt = z
  .union([text, z.array(text).min(1).max(maxPrompts)])
  .describe(`One prompt or a list of up to ${maxPrompts.toLocaleString('en')}.`);

const typeName = z.enum(['str', 'string', 'int', 'integer', 'float', 'number', 'bool', 'boolean']);

/** Type of a value in an answer. */
const valueType: z.ZodType = z
  .lazy(() => z.union([typeName, choices, z.array(valueType).length(1), outputType]))
  .meta({ id: 'ValueType' });
const choices = z.array(z.union([z.string(), z.number(), z.boolean(), z.null()])).min(1);

const keys = z
  .record(z.string(), valueType)
  .refine((keys) => Object.keys(keys).length > 0, 'must have at least one key')
  .describe(
    'The keys of the answer, each with its type: str, int, float or bool (string, integer, number, boolean), a list of values to choose ' +
      'from, a list of one type, or an object of these. The answer is an object with exactly these keys.',
  )
  .meta({ id: 'OutputType', minProperties: 1, examples: [{ name: 'str', age: 'int', kind: ['person', 'place'] }] });

/** Validation drops this key silently, but an answer must have exactly the requested keys. */
const noKey = '__proto__';
export const outputType = z.preprocess((asked, { issues }) => {
  if (typeof asked === 'object' && asked !== null && Object.hasOwn(asked, noKey))
    issues.push({ code: 'custom', message: `no key can be called "${noKey}"`, input: asked, path: [noKey] });
  return asked;
}, keys);

const asked = {
  model_name: modelName,
  prompt,
  output_type: optional(outputType),
  max_tokens: maxTokens.describe('Maximum number of tokens generated for each prompt; 1024 without it.'),
  max_new_tokens: maxTokens.describe('The same; it counts where both are given.'),
};

/** A tuned model's account of an answer that it gave. */
export const memorySchema = z
  .object({
    used: z.boolean().describe('Whether the answer comes from facts; else the base gave it, or nothing answered.'),
    outcome: outcomeSchema,
    way: z
      .string()
      .describe(
        'The rule that found it: exact, name, meaning, follow-up, two in one, hops, reversed, comparison, list, yes or no, sentence, json, written.',
      ),
    reason: z.string().describe('For people: why it was answered so.'),
    facts: z
      .array(
        z.object({
          input: z.string(),
          similarity: z.number(),
          dataset_id: z
            .string()
            .nullable()
            .describe('The dataset; `memory/NAME/NUMBER` where a change of a memory added the fact.'),
          row: z.int().describe('Row of the dataset or of the change, counted from 1.'),
          ...knownDetails,
        }),
      )
      .describe('The facts that were used, or those that came nearest.'),
    declined: z
      .boolean()
      .optional()
      .describe('Nothing was taught about this, and the base knows nothing without a text.'),
    prompt: z
      .string()
      .optional()
      .describe('The prompt that the base read for its answer, in its template; the middle of a long one is left out.'),
    citations: z
      .array(citationSchema)
      .optional()
      .describe('Passages that an answer of the outcome `documents` was made from.'),
    index_id: z.int().optional().describe('Index of the passages, with the outcome `documents`.'),
  })
  .meta({ id: 'Memory' });
export type Memory = z.infer<typeof memorySchema>;

/** Against answers that repeat themselves. */
export const repetitionFields = {
  repetition_penalty: optional(z.number().gt(0).max(generationLimits.repetition_penalty)).describe(
    'Above 1: tokens that were there already, in the prompt or in the answer, become less likely.',
  ),
  no_repeat_ngram_size: optional(z.int().min(0).max(generationLimits.no_repeat_ngram_size)).describe(
    'No sequence of so many tokens comes twice in the answer; 0: any may. Without it, a base that knows nothing without a text ends an answer that runs in circles.',
  ),
};

/** Further options of tuned models. Other models ignore them. */
export const memoryFields = {
  explain: optional(z.boolean()).describe('Answers of a tuned model say in `memory` which fact they come from.'),
  gate: optional(gateSchema).describe(
    'Similarity threshold for a question and a fact of a tuned model; without it as it was tuned. `POST /v1/train` tells what each gate lets through.',
  ),
  answer_from: optional(answerFromSchema).describe(
    'Sources of answers that a tuned model may use; without it as the model is set. `all` (usual): its facts, as they are or put together, else its base. `facts`: only its facts; else it says that it does not know. `recital`: facts word for word, else its base.',
  ),
  as_of: optional(momentSchema).describe(
    'The time whose facts a tuned model uses, a date (its first moment in UTC) or a time with its zone; now without it. Facts that are not valid then are neither said nor used.',
  ),
  unknown: optional(unknownSchema).describe(
    'Behaviour where a question names something that was taught and no fact answers it: `say` so (usual), or leave it to the `base`; without it as the model is set.',
  ),
  unknown_answer: optional(z.string().min(1).max(500)).describe(
    'The sentence that says so; without it as the model is set, which usually is "The documents do not say."',
  ),
  index: optional(besideSchema).describe(
    'Name or ID of a document index that answers what no fact of a tuned model answers; without it as the model is set. An empty text: none.',
  ),
};

/** Unknown fields are ignored: clients of the platform of all versions send some. */
export const completionBody = z.object({ ...asked, ...repetitionFields, ...memoryFields });
export type CompletionBody = z.output<typeof completionBody>;

/** An answer: text, or an object if `output_type` was given. */
const output = z.union([z.string(), z.record(z.string(), z.unknown())]);
export const outputSchema = output;
export type Output = z.infer<typeof output>;
const finishReason = z.enum(['stop', 'length', 'timeout', 'error']);
export type FinishReason = z.infer<typeof finishReason>;

/** Refusals of every route that asks the engine. */
export const engineErrors: ErrorCode[] = [
  'model_not_found',
  'model_loading',
  'model_downloading',
  'model_download_failed',
  'model_unusable',
  'upstream_unavailable',
  'upstream_failed',
  'upstream_slow',
  'upstream_refused',
  'upstream_cannot',
  'data_damaged',
  'model_of_other_kind',
  'prompt_empty',
  'context_exceeded',
  'engine_unavailable',
  'overloaded',
  'out_of_memory',
  'timed_out',
];
const generationErrors: ErrorCode[] = [...engineErrors, 'schema_impossible', 'max_tokens_too_small'];

const answerOfOne = z.union([
  z.object({ output: z.string(), memory: memorySchema.nullish() }),
  z.record(z.string(), z.unknown()),
]);

export const completion = {
  method: 'POST',
  tag,
  access: 'infer',
  repeatable: true,
  body: completionBody,
  answer: z
    .union([answerOfOne, z.array(answerOfOne)])
    .describe(
      '`{"output": "..."}`, or with `output_type` an object with its keys; a list of these for a list. With `explain` also `memory`.',
    ),
  errors: generationErrors,
} as const;

export const completeInSession = route({
  ...completion,
  name: 'completeInSession',
  path: '/v1/streaming_completions',
  summary: 'The same, where the platform client looks for it when it is given a session of its own',
});

export const completeInArrays = route({
  name: 'completeInArrays',
  method: 'POST',
  path: '/v2/completions',
  tag,
  summary: 'The same, always as arrays, with the reason why each answer ended',
  description: 'An answer that was not ready after 85 seconds is cut there and says `timeout`.',
  access: 'infer',
  body: completionBody,
  answer: z.object({
    outputs: z.array(output),
    finish_reason: z.array(finishReason),
    memory: z.array(memorySchema.nullable()).optional().describe('Present with `explain`.'),
  }),
  repeatable: true,
  errors: generationErrors,
});

const runId = z
  .string()
  .regex(/^[0-9a-f]{32}$/)
  .describe('As the call that started it answered.');
const params = z.object({ id: runId });

const started = z.object({ id: runId });
/** Empty until something exists. Afterwards as long as the list of prompts; what is not there yet is null. */
const results = z.union([
  z.object({
    outputs: z.array(output.nullable()),
    finish_reason: z.array(finishReason.nullable()),
    memory: z
      .array(memorySchema.nullable())
      .optional()
      .describe(
        'Present with `explain`, once an answer is complete: how a tuned model answered each; null for other models, and where there is no complete answer yet.',
      ),
    errors: z
      .array(z.string().nullable())
      .optional()
      .describe('Reason for each prompt that had to be given up. Left out when there is none.'),
  }),
  z.object({}),
]);

export const startStream = route({
  name: 'startStream',
  method: 'POST',
  path: '/v3/streaming_completions',
  tag,
  summary: 'Go on from prompts, to be polled while the answers grow',
  access: 'infer',
  body: completionBody,
  answer: started,
  errors: [...generationErrors, 'too_many_runs'],
});

export const showStream = route({
  name: 'showStream',
  method: 'GET',
  path: '/v3/streaming_completions/{id}/result',
  tag,
  summary: 'The answers as far as they have grown',
  access: 'infer',
  params,
  answer: results,
  errors: ['run_not_found'],
});

export const startBatch = route({
  name: 'startBatch',
  method: 'POST',
  path: '/v1/batch_completions',
  tag,
  summary: 'Go on from many prompts, to be asked for later: a batch survives restarts',
  access: 'infer',
  body: completionBody,
  answer: started,
  errors: [...generationErrors, 'too_many_runs'],
});

export const showBatch = route({
  name: 'showBatch',
  method: 'GET',
  path: '/v1/batch_completions/{id}/result',
  tag,
  summary: 'The finished answers, in the order of the prompts',
  access: 'infer',
  params,
  answer: results,
  errors: ['run_not_found'],
});

const runSchema = z
  .object({
    id: runId,
    kind: z.enum(['batch', 'stream', 'embeddings']),
    model_name: z.string(),
    status: z.enum(['running', 'completed', 'failed']),
    prompts: z.int(),
    answered: z.int(),
    error: z.string().nullable(),
    created_at: isoTimestamp,
    finished_at: isoTimestamp.nullable(),
    kept_until: isoTimestamp.nullable().describe('Time at which the results are removed.'),
  })
  .meta({ id: 'Run' });
export type Run = z.infer<typeof runSchema>;

export const listRuns = route({
  name: 'listRuns',
  method: 'GET',
  path: '/v1/batch_completions',
  tag,
  summary: 'The batches and polled streams of the account, newest first',
  access: 'read',
  query: page,
  answer: z.object({ runs: z.array(runSchema), next }),
});

export const showRun = route({
  name: 'showRun',
  method: 'GET',
  path: '/v1/batch_completions/{id}',
  tag,
  summary: 'The progress of a batch or a polled stream',
  access: 'read',
  params,
  answer: runSchema,
  errors: ['run_not_found'],
});

export const deleteRun = route({
  name: 'deleteRun',
  method: 'DELETE',
  path: '/v1/batch_completions/{id}',
  tag,
  summary: 'Stop a batch or a polled stream where it still runs, and remove its prompts and results',
  access: 'infer',
  params,
  answer: z.object({ deleted: runId }),
  errors: ['run_not_found'],
});

const embeddingBody = z.object({
  prompt,
  model_name: optional(modelName).describe('sentence-transformers/all-MiniLM-L6-v2 without it.'),
});
const vector = z.array(z.number());

const embedding = {
  method: 'POST',
  tag,
  access: 'infer',
  repeatable: true,
  body: embeddingBody,
  answer: z.object({ embedding: z.union([vector, z.array(vector)]) }),
  errors: engineErrors,
} as const;

export const embed = route({
  ...embedding,
  name: 'embed',
  path: '/v1/embedding',
  summary: 'The vector of a text, or of each of a list',
  description: 'A text that is longer than the model reads is cut there, as its authors do.',
});

export const embedForPipelines = route({
  ...embedding,
  name: 'embedForPipelines',
  path: '/v1/inference/embedding',
  summary: 'The same, where pipelines of the platform client look for it',
});

export const startEmbeddings = route({
  name: 'startEmbeddings',
  method: 'POST',
  path: '/v1/batch_embeddings',
  tag,
  summary: 'Embed many texts, to be asked for later',
  access: 'infer',
  body: embeddingBody,
  answer: started,
  errors: [...engineErrors, 'too_many_runs'],
});

export const showEmbeddings = route({
  name: 'showEmbeddings',
  method: 'GET',
  path: '/v1/batch_embeddings/{id}/result',
  tag,
  summary: 'The vectors, once all are there',
  access: 'infer',
  params,
  answer: z.union([z.object({ embedding: z.array(vector) }), z.object({})]),
  errors: ['run_not_found', 'run_failed'],
});
