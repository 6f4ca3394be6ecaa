// Document indexes: what the platform client's calls (documents.ts) and ours (indexes.ts) share.
import { z } from 'zod';
import { metadata } from './citations.ts';
import { id, isoTimestamp, optional } from './common.ts';
import { engineErrors } from './completions.ts';
import type { ErrorCode } from './errors.ts';
import { indexStatuses } from './job-states.ts';

export { type AnswerKind, answerKind, type Citation, citationSchema, type Retrieval, retrieval } from './citations.ts';

export const tag = 'Document indexes';

export const maxFiles = 5_000;
export const maxPassages = 100;

export const status = z.enum(indexStatuses);

export const fileStates = ['waiting', 'reading', 'done', 'failed', 'cancelled', 'deleting'] as const;
export type FileState = (typeof fileStates)[number];

export const metadataSchema = metadata;
export type Metadata = z.output<typeof metadata>;

export const fileSchema = z
  .object({
    id: z.int(),
    name: z.string(),
    bytes: z.int(),
    sha256: z.string(),
    kind: z.string().nullable().describe('Format of the content, whatever the name says.'),
    title: z.string().nullable(),
    state: z
      .enum(fileStates)
      .describe('A file is `reading` while it is read; one that gives way to others is `waiting` again.'),
    reason: z.string().nullable().describe('Reason of the failure.'),
    notices: z.array(z.string()).describe('Parts of it that were passed over.'),
    pages_done: z.int(),
    pages: z.int().nullable(),
    bytes_read: z
      .int()
      .describe(
        'Position of the reading in the file. Of formats without pages that are read as a whole, such as DOCX, 0 until it is done.',
      ),
    passages: z.int(),
    metadata,
    created_at: isoTimestamp,
    started_at: isoTimestamp
      .nullable()
      .describe('Since when it is being read, or when that began; null while it waits.'),
    finished_at: isoTimestamp.nullable(),
  })
  .meta({ id: 'IndexFile' });
export type IndexFile = z.infer<typeof fileSchema>;

export const progress = z.object({
  files: z.int(),
  files_done: z.int(),
  files_failed: z.int(),
  pages_done: z.int(),
  bytes: z.int().describe('Size of all files.'),
  bytes_read: z.int().describe('So much of it is read: with `bytes` the share that is done.'),
  passages: z.int().describe('Passages that are embedded and stored.'),
});

export const recall = z.object({
  passages: z.int(),
  recall: z
    .number()
    .describe('Share of the fifty nearest passages that the fast search finds, measured on its own passages.'),
});

export const indexSchema = z
  .object({
    job_id: z.int(),
    name: z.string().nullable(),
    model: z.string().describe('The name under which OpenAI clients ask it.'),
    model_name: z.string(),
    embedder: z.string(),
    status,
    ready: z.boolean().describe('It can be asked: also while files are added to it.'),
    error: z.string().nullable(),
    progress,
    threshold: z
      .number()
      .nullable()
      .describe('Below this similarity nothing counts as an answer. Measured on the index itself.'),
    search: z
      .object({ exact: z.boolean(), measured: recall.nullable() })
      .describe('Method of the search: every passage is compared (`exact`), or a graph of them is walked.'),
    created_at: isoTimestamp,
    finished_at: isoTimestamp.nullable(),
  })
  .meta({ id: 'Index' });
export type Index = z.infer<typeof indexSchema>;

export const answerBy = optional(z.enum(['quote', 'generate'])).describe(
  'Source of the answer: a quotation of the documents, or the model. Without it the stored measurement of the base decides: one that cannot read prose quotes. An answer of a given shape is always generated: from the words that would be quoted.',
);

export const jobId = z.object({ job_id: id });
export const params = z.object({ id });
export const fileParams = z.object({ id, file: id });
export const indexErrors: ErrorCode[] = ['index_not_found'];
export const askErrors: ErrorCode[] = ['index_not_found', 'index_not_ready', ...engineErrors];

export const files = z
  .array(z.string().meta({ contentMediaType: 'application/octet-stream' }))
  .min(1)
  .describe(
    `One part "files" for each, up to ${maxFiles.toLocaleString('en')}. Its file name may be a path, which tells files of different folders apart.`,
  );
export const filesMetadata = z
  .string()
  .max(100_000)
  .optional()
  .describe(
    'JSON of an object: the metadata of all these files. Without it a file that replaces another one keeps that of the other.',
  );
export const uploadErrors: ErrorCode[] = ['documents_invalid', 'storage_limit', 'body_incomplete'];

export const filter = optional(
  z.object({
    file_ids: optional(z.array(id).max(1000)),
    files: optional(z.array(z.string().max(500)).max(1000)).describe('Names of files; * stands for anything.'),
    metadata: optional(metadata).describe('Files whose metadata has these values.'),
  }),
).describe('Only passages of these files.');
