// The models that can be asked, and downloads from a hub: the calls of the platform's clients, and ours to show and delete a model.
import { z } from 'zod';
import { isoTimestamp, optional } from './common.ts';
import { route } from './route.ts';

const tag = 'Models';

export const modelTypes = ['transformer', 'embedding'] as const;
export type ModelType = (typeof modelTypes)[number];
export const downloadStates = ['queued', 'downloading', 'quantizing', 'available', 'failed'] as const;
export type DownloadState = (typeof downloadStates)[number];
/** States of a download that goes on. */
export const downloadsOnTheWay: readonly DownloadState[] = ['queued', 'downloading', 'quantizing'];

export const precisions = ['none', 'int8', 'int4'] as const;
export type Precision = (typeof precisions)[number];
export const wishedPrecisions = [...precisions, 'auto'] as const;
export type WishedPrecision = (typeof wishedPrecisions)[number];

export const downloadedModelSchema = z
  .object({
    model_id: z.int().nullable().describe('Number of a model that was downloaded; null for the others.'),
    model_name: z.string(),
    model_type: z.enum(modelTypes).nullable().describe('Null until it is known.'),
    source: z
      .enum(['built-in', 'hub', 'folder', 'upstream'])
      .describe(
        '`folder`: put below the home by hand. `upstream`: computed by an upstream engine, without weights here.',
      ),
    status: z
      .enum(downloadStates)
      .describe(
        '`available` is what can be asked. `quantizing`: it has arrived, and its weights are rounded; bytes count those.',
      ),
    user_id: z.int().nullable().describe('The account that asked for it.'),
    is_public: z.boolean().describe('Whether every account may use it.'),
    creation_ts: isoTimestamp,
    prev_download_ts: isoTimestamp.nullable().describe('Start of the last attempt.'),
    prev_download_error: z.string().nullable().describe('Reason for which the last attempt failed.'),
    download_attempts: z.int(),
    bytes_done: z.int().nullable(),
    bytes_total: z.int().nullable().describe('Null until it is known.'),
    weights_bytes: z
      .int()
      .nullable()
      .describe('Size of its weights: the least memory that it needs. Null until it is here.'),
    precision: z
      .enum(precisions)
      .nullable()
      .describe('Precision of its weights: `none` is as the hub has them. Null until it is here.'),
    upstream: z
      .object({
        state: z.string().describe('"ok", or the reason for which it cannot be asked.'),
        notes: z.array(z.string()).describe('Differences that do no harm, and checks that could not be made.'),
      })
      .nullable()
      .describe('Set where an upstream engine computes the answers of this base.'),
    commit: z.string().nullable().describe('The commit of the hub that it is of, once it is here.'),
  })
  .meta({ id: 'DownloadedModel' });
export type DownloadedModel = z.infer<typeof downloadedModelSchema>;

export const listDownloadedModels = route({
  name: 'listDownloadedModels',
  method: 'GET',
  path: '/v1alpha/downloaded_models',
  tag,
  summary: 'The models that can be asked, and those on their way',
  access: 'read',
  answer: z.array(downloadedModelSchema),
});

export const downloadModel = route({
  name: 'downloadModel',
  method: 'POST',
  path: '/v1alpha/downloaded_models',
  tag,
  summary: 'Download a model from the hub, or ask how far it is',
  description:
    'Answers at once; ask again until `status` is `available`. A download that failed is told as an error, and the call after that goes ' +
    'on from what is there. A model that is here is `available` already.',
  access: 'tune',
  repeatable: true,
  body: z.object({
    hf_model_name: z
      .string()
      .min(1)
      .max(200)
      .describe('As on the hub: organisation/name.')
      .meta({ examples: ['meta-llama/Llama-3.2-1B-Instruct'] }),
    model_type: optional(z.enum(modelTypes)).describe('Without it, the configuration of the model decides.'),
    precision: optional(z.enum(wishedPrecisions)).describe(
      'Weights in whole numbers of 8 or 4 bits take half or a third of the memory. `auto` takes the ' +
        'most exact that serving and tuning on this machine have memory for. `none`, the default, keeps the weights as they are.',
    ),
    private_hf_token: optional(
      z
        .string()
        .max(500)
        .regex(/^[\x21-\x7e]*$/, 'must be visible ASCII characters without spaces'),
    ).describe('For models that are private or gated. Kept in memory while it is downloaded, and nowhere else.'),
    is_public: optional(z.boolean()).describe(
      'Whether other accounts may use it. Without it: yes, unless a token was sent by an account that is not the operator.',
    ),
  }),
  answer: downloadedModelSchema,
  errors: [
    'model_name_invalid',
    'model_precision_differs',
    'model_download_failed',
    'downloads_limit',
    'operator_only',
  ],
});

const byName = { params: z.object({ model: z.string().min(1).max(200) }) };
const byParts = { params: z.object({ organisation: z.string().min(1), model: z.string().min(1) }) };
const encoded = '/v1alpha/downloaded_models/{model}';
const plain = '/v1alpha/downloaded_models/{organisation}/{model}';

const show = { method: 'GET', tag, access: 'read', answer: downloadedModelSchema } as const;

export const showDownloadedModel = route({
  ...show,
  ...byName,
  errors: ['model_not_found'],
  name: 'showDownloadedModel',
  path: encoded,
  summary: 'One model; the slash of its name written as %2F',
});

export const showDownloadedModelByParts = route({
  ...show,
  ...byParts,
  errors: ['model_not_found'],
  name: 'showDownloadedModelByParts',
  path: plain,
  summary: 'One model; the slash of its name written as it is',
});

const remove = { method: 'DELETE', tag, access: 'operator', answer: z.object({ deleted: z.string() }) } as const;

export const deleteDownloadedModel = route({
  ...remove,
  ...byName,
  errors: ['model_not_found', 'model_built_in'],
  name: 'deleteDownloadedModel',
  path: encoded,
  summary: 'Delete a model from the disk, or give up its download; the slash of its name written as %2F',
});

export const deleteDownloadedModelByParts = route({
  ...remove,
  ...byParts,
  errors: ['model_not_found', 'model_built_in'],
  name: 'deleteDownloadedModelByParts',
  path: plain,
  summary: 'Delete a model from the disk, or give up its download; the slash of its name written as it is',
});
