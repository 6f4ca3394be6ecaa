// Datasets: rows of {input, output}, named by the hash of their content. The platform client's calls, and ours for files.
import { z } from 'zod';
import { displayName, isoTimestamp, next, optional, page } from './common.ts';
import { route } from './route.ts';

const tag = 'Datasets';

export const datasetId = z
  .string()
  .regex(/^[0-9a-f]{64}$/, 'must be the 64 hexadecimal digits that the upload answered')
  .describe('The hash of the content.');

/** Text, or a number or boolean that is taken as its text. */
const text = z.union([z.string().regex(/\S/, 'must not be empty'), z.number(), z.boolean()]);
export const rowSchema = z
  .looseObject({ input: text.describe('The question or prompt.'), output: text.describe('The exact answer.') })
  .meta({ id: 'Row' });

export const datasetSchema = z
  .object({
    dataset_id: datasetId,
    dataset_location: z.string().describe('Value that /v1/train takes as upload_file_path.'),
    name: z.string().nullable(),
    rows: z.int(),
    bytes: z.int(),
    is_public: z.boolean().describe('Other accounts may read and use it.'),
    created_at: isoTimestamp,
  })
  .meta({ id: 'Dataset' });
export type Dataset = z.infer<typeof datasetSchema>;

const params = z.object({ id: datasetId });
const uploadBasePath = z.string().max(200).describe('"local": the value of GET /v1/get-upload-base-path.');

export const showUploadBasePath = route({
  name: 'showUploadBasePath',
  method: 'GET',
  path: '/v1/get-upload-base-path',
  tag,
  summary: 'The destination of data that the platform client sends',
  access: 'read',
  answer: z.object({ upload_base_path: z.literal('local') }),
});

export const uploadRows = route({
  name: 'uploadRows',
  method: 'POST',
  path: '/v1/local-data',
  tag,
  summary: 'Upload rows as one JSON body of any size',
  description: 'Read as it arrives; numbers and booleans are kept as their text. The same rows twice are one dataset.',
  access: 'tune',
  repeatable: true,
  body: z.object({
    upload_base_path: optional(uploadBasePath),
    data: z.array(rowSchema).min(1),
    is_public: optional(z.boolean()),
    name: optional(displayName),
  }),
  bodyKind: 'json-stream',
  answer: z.object({ dataset_id: datasetId, dataset_location: z.string() }),
  errors: ['rows_invalid', 'dataset_empty', 'storage_limit', 'upload_base_path_unknown', 'body_incomplete'],
});

export const locateDataset = route({
  name: 'locateDataset',
  method: 'POST',
  path: '/v1/existing-data',
  tag,
  summary: 'The location of an uploaded dataset',
  access: 'read',
  repeatable: true,
  body: z.object({ dataset_id: datasetId, upload_base_path: optional(uploadBasePath) }),
  answer: z.object({ dataset_location: z.string() }),
  errors: ['dataset_not_found', 'upload_base_path_unknown'],
});

export const uploadFile = route({
  name: 'uploadFile',
  method: 'POST',
  path: '/v1/datasets',
  tag,
  summary: 'Upload a file of rows: JSON lines, CSV or Parquet',
  description:
    'One part `file`; the fields `name`, `is_public`, `input_column` and `output_column` may come before it. ' +
    'The kind of file is told by its content first, then by its name.',
  access: 'tune',
  repeatable: true,
  body: z.strictObject({
    file: z.string().meta({ contentMediaType: 'application/octet-stream' }),
    name: displayName.optional(),
    is_public: z.enum(['true', 'false']).optional(),
    input_column: z.string().max(200).optional().describe('The column of the questions; "input" without it.'),
    output_column: z.string().max(200).optional().describe('The column of the answers; "output" without it.'),
  }),
  bodyKind: 'multipart',
  answer: datasetSchema,
  errors: [
    'rows_invalid',
    'dataset_empty',
    'storage_limit',
    'upload_invalid',
    'file_type_unsupported',
    'file_unreadable',
    'body_incomplete',
  ],
});

export const listDatasets = route({
  name: 'listDatasets',
  method: 'GET',
  path: '/v1/datasets',
  tag,
  summary: 'The datasets of the account, newest first',
  access: 'read',
  query: page,
  answer: z.object({ datasets: z.array(datasetSchema), next }),
});

export const showDataset = route({
  name: 'showDataset',
  method: 'GET',
  path: '/v1/datasets/{id}',
  tag,
  summary: 'One dataset with its first rows',
  access: 'read',
  params,
  answer: datasetSchema.extend({ first_rows: z.array(z.looseObject({ input: z.string(), output: z.string() })) }),
  errors: ['dataset_not_found'],
});

/** Maximum number of rows that are compared with each other. */
export const maxRowsCompared = { exact: 100_000, reworded: 10_000 } as const;

const numberedRow = z.object({ row: z.int().describe('Counted from 1.'), input: z.string(), output: z.string() });

export const findDatasetConflicts = route({
  name: 'findDatasetConflicts',
  method: 'GET',
  path: '/v1/datasets/{id}/conflicts',
  tag,
  summary: 'Rows of a dataset that answer one question differently',
  description: `The same question (but for white space) with another answer: a model cannot be tuned on such rows. The first ${maxRowsCompared.exact.toLocaleString('en')} rows are looked at. With \`reworded=true\` the first ${maxRowsCompared.reworded.toLocaleString('en')} questions are also held against each other in other words, by a worker of this machine; both rows of such a pair may be right.`,
  access: 'read',
  params,
  query: z.object({
    reworded: z.enum(['true', 'false']).default('false'),
    limit: z.coerce.number().int().min(1).max(1000).default(100).describe('Questions that are listed, at most.'),
  }),
  answer: z.object({
    looked_at: z.int().describe('Rows, from the first.'),
    total: z.int().describe('Questions with several answers.'),
    conflicts: z.array(z.object({ rows: z.array(numberedRow).describe('The first row of each answer, ten at most.') })),
    compared: z.int().describe('Questions that were compared in other words.'),
    reworded: z.array(
      z.object({
        rows: z.array(numberedRow).describe('Two.'),
        likeness: z.number().describe('Likeness of the questions, as the search scores it; about 1 is the same.'),
      }),
    ),
  }),
  errors: ['dataset_not_found', 'engine_unavailable', 'timed_out'],
});

export const readDatasetRows = route({
  name: 'readDatasetRows',
  method: 'GET',
  path: '/v1/datasets/{id}/rows',
  tag,
  summary: 'Rows of a dataset as JSON lines, for a program that shows or compares them',
  description:
    'The same lines as the download. Pages of the console and at most 100 rows are no export; the audit log records more, read with a key, as one.',
  access: 'read',
  params,
  query: z.object({
    limit: optional(z.coerce.number().int().min(1)).describe('Rows from the first, at most; all without it.'),
  }),
  answer: z.string(),
  answerType: 'application/jsonl',
  errors: ['dataset_not_found'],
});

export const downloadDataset = route({
  name: 'downloadDataset',
  method: 'GET',
  path: '/v1/datasets/{id}/download',
  tag,
  summary: 'All rows of a dataset as JSON lines',
  description: 'An export: the audit log records it, and receipts of erasures list it.',
  access: 'read',
  params,
  answer: z.string(),
  answerType: 'application/jsonl',
  errors: ['dataset_not_found'],
});

export const changeDataset = route({
  name: 'changeDataset',
  method: 'PATCH',
  path: '/v1/datasets/{id}',
  tag,
  summary: 'Rename a dataset, or make it public or private',
  access: 'tune',
  params,
  body: z.strictObject({ name: optional(displayName), is_public: optional(z.boolean()) }),
  answer: datasetSchema,
  errors: ['dataset_not_found'],
});

export const deleteDataset = route({
  name: 'deleteDataset',
  method: 'DELETE',
  path: '/v1/datasets/{id}',
  tag,
  summary: 'Delete a dataset: its rows are gone from the disk',
  access: 'tune',
  params,
  answer: z.object({ deleted: datasetId }),
  errors: ['dataset_not_found'],
});
