// Tuned models: what jobs have made. Each is asked by its name or by the custom name that points to it.
import { z } from 'zod';
import { answerFromSchema, besideSchema, unknownSchema } from './answering.ts';
import { id, isoTimestamp, next, optional, page } from './common.ts';
import { knownDetails } from './fact-details.ts';
import { movedTo, moveErrors } from './moves.ts';
import { modelSchema } from './openai.ts';
import { route } from './route.ts';
import { customModelName } from './tuning.ts';

const tag = 'Tuned models';

export const tunedModelSchema = z
  .object({
    model_name: z.string(),
    custom_model_name: z
      .string()
      .nullable()
      .describe("The name that points to it now. Of another account's model: its qualified name."),
    qualified_name: z
      .string()
      .nullable()
      .describe('NAME@ACCOUNT: what other accounts ask for while the model is public. Null without a custom name.'),
    base_model: z.string(),
    job_id: z.int(),
    dataset_id: z.string().nullable(),
    is_public: z.boolean(),
    facts: z.int(),
    facts_recalled: z.int(),
    experts: z.int(),
    bytes: z.int(),
    answer_from: answerFromSchema.describe('Sources of answers where a request does not say.'),
    unknown: unknownSchema.describe('Behaviour where no fact about a known name answers and a request does not say.'),
    unknown_answer: z.string().nullable().describe('The sentence that says so; null for the usual one.'),
    index_id: z.int().nullable().describe('The document index that answers what no fact answers.'),
    created_at: isoTimestamp,
  })
  .meta({ id: 'TunedModel' });
export type TunedModel = z.infer<typeof tunedModelSchema>;

const name = z
  .string()
  .min(1)
  .max(200)
  .describe('The model, the custom name that points to it, or NAME@ACCOUNT; a slash written as %2F.');
const params = z.object({ model: name });

export const listTunedModels = route({
  name: 'listTunedModels',
  method: 'GET',
  path: '/v1/models',
  tag,
  summary: 'The tuned models of the account, newest first; for OpenAI clients, every model that can be asked',
  access: 'read',
  errorShape: 'both',
  query: page,
  answer: z.object({
    models: z.array(tunedModelSchema),
    next,
    object: z.literal('list'),
    data: z
      .array(modelSchema)
      .describe(
        "The list that OpenAI's clients read, as at /inf/models; on a page that is asked for with `after`, empty.",
      ),
  }),
});

export const showTunedModel = route({
  name: 'showTunedModel',
  method: 'GET',
  path: '/v1/models/{model}',
  tag,
  summary: 'One tuned model, with what was measured when it was made',
  description: "Of any other model that can be asked: what OpenAI's clients read of it.",
  access: 'read',
  errorShape: 'both',
  params,
  answer: z.union([
    tunedModelSchema.extend({
      report: z
        .record(z.string(), z.unknown())
        .nullable()
        .describe(
          'Measurements from when the model was made. `recall`: all facts, and those recited word for word. `job`: shares of right answers, in which facts that were not learnt are wrong: `exact` (the questions as they were taught), `in conversation`, and `reworded by rule` (changed by fixed rules, not by people; for English it predicts, to about 0.1, the share that is right of questions that other people word much alike; of questions that keep hardly a word, fewer are right); and what was left to the base.',
        ),
      ...modelSchema.shape,
    }),
    modelSchema,
  ]),
  errors: ['model_not_found', 'model_loading', 'model_download_failed', 'index_not_found'],
});

export const listModelFacts = route({
  name: 'listModelFacts',
  method: 'GET',
  path: '/v1/models/{model}/facts',
  tag,
  summary: 'The facts of a tuned model',
  access: 'read',
  params,
  query: z.object({
    limit: z.coerce.number().int().min(1).max(10_000).default(100),
    after: optional(id).describe('The value of `next` of the page before.'),
  }),
  answer: z.object({
    facts: z.array(
      z.object({
        row: z.int(),
        input: z.string(),
        output: z.string(),
        dataset_id: z.string().nullable(),
        recalled: z.boolean().describe('One that is not recalled is never said.'),
        ...knownDetails,
      }),
    ),
    next,
  }),
  errors: ['model_not_found', 'model_not_tuned'],
});

export const changeTunedModel = route({
  name: 'changeTunedModel',
  method: 'PATCH',
  path: '/v1/models/{model}',
  tag,
  summary:
    'Give a tuned model a custom name (it moves there at once), make it public or private, or set what it answers from',
  description:
    'Sources of answers count for requests that do not say, from the next one on. A model that is made of this one (facts forgotten, the next version of a memory) has them too; an export does not.',
  access: 'tune',
  params,
  body: z.strictObject({
    custom_model_name: optional(customModelName),
    is_public: optional(z.boolean()),
    answer_from: optional(answerFromSchema),
    unknown: optional(unknownSchema),
    unknown_answer: optional(z.string().max(500)).describe('An empty text brings the usual sentence back.'),
    index: optional(besideSchema).describe(
      'Name or ID of a document index that answers what no fact answers, for callers of its own account. An empty text: none.',
    ),
  }),
  answer: tunedModelSchema,
  errors: ['model_not_found', 'model_not_tuned', 'name_taken', 'name_of_memory', 'index_not_found'],
});

export const deleteTunedModel = route({
  name: 'deleteTunedModel',
  method: 'DELETE',
  path: '/v1/models/{model}',
  tag,
  summary: 'Delete a tuned model from the disk',
  access: 'tune',
  errorShape: 'both',
  params,
  answer: modelSchema.pick({ id: true, object: true }).extend({
    deleted: z.literal(true),
    model_name: z.string().describe('The model itself, where `id` is a custom name of it.'),
  }),
  errors: ['model_not_found', 'model_not_tuned', 'model_of_memory'],
});

export const forgetFacts = route({
  name: 'forgetFacts',
  method: 'POST',
  path: '/v1/models/{model}/forget',
  tag,
  summary: 'Make the model anew without some facts: a job that trains only what they touched',
  access: 'tune',
  params,
  body: z.strictObject({
    inputs: z.array(z.string().min(1)).min(1).max(10_000).describe('The questions of the facts, as they were taught.'),
    custom_model_name: optional(customModelName).describe('Without it, the custom name of the model, which moves.'),
  }),
  answer: z.object({ job_id: z.int(), status: z.literal('CREATED'), facts: z.int().describe('Those that stay.') }),
  errors: [
    'model_not_found',
    'model_not_tuned',
    'fact_not_found',
    'nothing_left',
    'jobs_limit',
    'name_taken',
    'name_of_memory',
  ],
});

export const moveTunedModel = route({
  name: 'moveTunedModel',
  method: 'POST',
  path: '/v1/models/{model}/move',
  tag,
  summary: 'Make the model anew on another base or precision of the same model: what recites there is taken over',
  description:
    'An expert that recites all of its facts word for word on the other base is taken over; the facts of any other are taught again, and `progress.move` of the job counts both.',
  access: 'tune',
  params,
  body: z.strictObject({
    base_model: movedTo,
    custom_model_name: optional(customModelName).describe('Without it, the custom name of the model, which moves.'),
  }),
  answer: z.object({ job_id: z.int(), status: z.literal('CREATED'), base_model: z.string(), facts: z.int() }),
  errors: [...moveErrors, 'model_not_tuned', 'jobs_limit', 'name_taken', 'name_of_memory'],
});

export const importTunedModel = route({
  name: 'importTunedModel',
  method: 'POST',
  path: '/v1/models',
  tag,
  summary: 'Import a tuned model that was exported, here or by another installation',
  description:
    'One part `file`: the tar file of `GET /v1/models/{model}/export` with `format=folder`. Every checksum is checked, and its base has to be here. ' +
    'The model belongs to the account and is used like one that was tuned here; the job that stands for it has run elsewhere. The same file twice is one model.',
  access: 'tune',
  repeatable: true,
  body: z.strictObject({
    file: z.string().meta({ contentMediaType: 'application/octet-stream' }),
    custom_model_name: customModelName.optional(),
    is_public: z.enum(['true', 'false']).optional().describe('Other accounts may use the model.'),
  }),
  bodyKind: 'multipart',
  answer: tunedModelSchema,
  errors: [
    'upload_invalid',
    'body_incomplete',
    'import_invalid',
    'import_base_missing',
    'import_base_differs',
    'name_taken',
    'name_of_memory',
    'storage_limit',
    'storage_full',
    'storage_unavailable',
    'engine_unavailable',
  ],
});

/** Adapters hold one expert each. */
export const exportFormats = ['folder', 'peft', 'vllm', 'gguf'] as const;
export type ExportFormat = (typeof exportFormats)[number];

export const exportTunedModel = route({
  name: 'exportTunedModel',
  method: 'GET',
  path: '/v1/models/{model}/export',
  tag,
  summary: 'A tuned model to take elsewhere, as a tar file',
  description:
    'With `format=folder` the whole model with a checksum of every file: `python -m lorekeep import` of another installation takes it in. The others hold one ' +
    'adapter for each expert, and adapters.json, which says whose fact is whose: `peft` is activated LoRA, `vllm` ordinary LoRA in folders named by their content, ' +
    '`gguf` LoRA of llama.cpp. The router stays here; README.md of the last two describes how a question finds its adapter, and the limitations.',
  access: 'read',
  params,
  query: z.object({
    format: z.enum(exportFormats).default('folder').describe('`folder` without it.'),
    with_base: optional(z.enum(['true', 'false'])).describe(
      'The base as GGUF as well, up to 8 GB; with `format=gguf` alone.',
    ),
  }),
  answer: z.string(),
  answerType: 'application/x-tar',
  errors: ['model_not_found', 'model_not_tuned', 'export_refused', 'engine_unavailable'],
});
