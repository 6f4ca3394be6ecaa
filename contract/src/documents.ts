// Document indexes: files in, passages found, answers with citations out. The platform client's calls, and ours for everything else.
import { z } from 'zod';
import { displayName, id, moment, next, optional, page } from './common.ts';
import { engineErrors, outputSchema, outputType } from './completions.ts';
import type { ErrorCode } from './errors.ts';
import { route } from './route.ts';

const tag = 'Document indexes';
const prefix = '/alpha/memory-rag';

export const mostFiles = 5_000;
export const mostPassages = 100;

const modelName = z
  .string()
  .min(1)
  .max(200)
  .meta({ examples: ['lorekeep/quill'] });

export const indexStatuses = [
  'CREATED',
  'QUEUED',
  'LOADING DATA',
  'SAVING MODEL',
  'COMPLETED',
  'PARTIALLY COMPLETED',
  'FAILED',
  'CANCELLED',
] as const;
export type IndexStatus = (typeof indexStatuses)[number];
const status = z.enum(indexStatuses);

export const fileStates = ['waiting', 'reading', 'done', 'failed', 'cancelled', 'deleting'] as const;
export type FileState = (typeof fileStates)[number];

const value = z.union([z.string().max(1000), z.number(), z.boolean()]);
const metadata = z
  .record(z.string().min(1).max(100), value)
  .refine((fields) => Object.keys(fields).length <= 50, 'must have at most 50 fields')
  .describe('What you want to know of a file, and to filter by.');
export const metadataSchema = metadata;
export type Metadata = z.output<typeof metadata>;

const fileSchema = z
  .object({
    id: z.int(),
    name: z.string(),
    bytes: z.int(),
    sha256: z.string(),
    kind: z.string().nullable().describe('What the content is, whatever the name says.'),
    title: z.string().nullable(),
    state: z.enum(fileStates),
    reason: z.string().nullable().describe('Why it failed.'),
    notices: z.array(z.string()).describe('What was passed over in it.'),
    pages_done: z.int(),
    pages: z.int().nullable(),
    passages: z.int(),
    metadata,
    created_at: moment,
    finished_at: moment.nullable(),
  })
  .meta({ id: 'IndexFile' });
export type IndexFile = z.infer<typeof fileSchema>;

const progress = z.object({
  files: z.int(),
  files_done: z.int(),
  files_failed: z.int(),
  pages_done: z.int(),
  passages: z.int().describe('Passages that are embedded and stored.'),
});

const recall = z.object({
  passages: z.int(),
  recall: z
    .number()
    .describe('Share of the ten nearest passages that the fast search finds, measured on its own passages.'),
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
      .describe('Whether every passage is compared, or a graph of them is walked.'),
    created_at: moment,
    finished_at: moment.nullable(),
  })
  .meta({ id: 'Index' });
export type Index = z.infer<typeof indexSchema>;

export const citationSchema = z
  .object({
    file: z.string(),
    file_id: z.int(),
    part: z.string().optional().describe('The file inside the file: of an archive, of a mail.'),
    page: z.int().nullable(),
    last_page: z.int().nullable(),
    line: z.int().nullable(),
    title: z.string().nullable(),
    headings: z.array(z.string()),
    heading: z.string().nullable().describe('The innermost of the headings.'),
    passage: z.int().describe('Its number in the file, from 0.'),
    text: z.string(),
    boxes: z
      .array(z.object({ page: z.int(), x: z.number(), y: z.number(), width: z.number(), height: z.number() }))
      .optional()
      .describe('Where it stands on its pages, in points from the top left.'),
    score: z
      .number()
      .describe(
        "Similarity of question and passage, at most 1; in a search by words alone the share of the question's words that it holds.",
      ),
    metadata,
  })
  .meta({ id: 'Citation' });
export type Citation = z.infer<typeof citationSchema>;

const retrieval = z.object({
  question: z.string().describe('What was searched for: the bare question, without its chat template.'),
  found: z.boolean().describe('Whether the documents hold anything relevant.'),
  asked: z.int().describe('Passages asked for.'),
  used: z.int().describe('Passages that the model was given.'),
  reason: z.string().nullable().describe('Why it were fewer.'),
  best: z.number().nullable(),
  threshold: z.number().nullable(),
});
export type Retrieval = z.infer<typeof retrieval>;

const jobId = z.object({ job_id: id });
const params = z.object({ id });
const fileParams = z.object({ id, file: id });
const indexErrors: ErrorCode[] = ['index_not_found'];
const askErrors: ErrorCode[] = ['index_not_found', 'index_not_ready', ...engineErrors];

const files = z
  .array(z.string().meta({ contentMediaType: 'application/octet-stream' }))
  .min(1)
  .describe(`One part "files" for each, up to ${mostFiles.toLocaleString('en')}.`);
const filesMetadata = z
  .string()
  .max(100_000)
  .optional()
  .describe('JSON of an object: the metadata of all these files.');
const uploadErrors: ErrorCode[] = ['documents_invalid', 'storage_limit', 'body_incomplete'];

export const buildIndex = route({
  name: 'buildIndex',
  method: 'POST',
  path: `${prefix}/train`,
  tag,
  summary: 'Build an index of documents',
  description:
    'PDF, DOCX, PPTX, XLSX, HTML, Markdown, text, CSV, JSON, mails, and ZIP files of these; told by their content. The answer comes when the files ' +
    'are stored; reading and embedding go on in the background.',
  access: 'tune',
  body: z.strictObject({
    model_name: modelName.describe('The model that answers.'),
    files,
    name: z.string().max(200).optional(),
    metadata: filesMetadata,
  }),
  bodyKind: 'multipart',
  answer: z.object({ job_id: z.int(), status }),
  errors: [...uploadErrors, 'model_not_found', 'model_of_other_kind', 'name_taken', 'too_many_indexes'],
});

const statusAnswer = indexSchema;
export const indexStatus = route({
  name: 'indexStatus',
  method: 'POST',
  path: `${prefix}/status`,
  tag,
  summary: 'How far an index is',
  access: 'read',
  body: jobId,
  answer: statusAnswer,
  errors: indexErrors,
});
export const indexStatusByQuery = route({
  name: 'indexStatusByQuery',
  method: 'GET',
  path: `${prefix}/status`,
  tag,
  summary: 'The same, for those who ask with GET',
  access: 'read',
  query: jobId,
  answer: statusAnswer,
  errors: indexErrors,
});

const filter = optional(
  z.object({
    file_ids: optional(z.array(id).max(1000)),
    files: optional(z.array(z.string().max(500)).max(1000)).describe('Names of files; * stands for anything.'),
    metadata: optional(metadata).describe('Files whose metadata has these values.'),
  }),
).describe('Only passages of these files.');

const completionEvent = z.union([
  z.object({ citations: z.array(citationSchema), retrieval }),
  z.object({ delta: z.string() }),
  z.object({ output: z.unknown(), finish_reason: z.string() }),
]);

export const askIndex = route({
  name: 'askIndex',
  method: 'POST',
  path: `${prefix}/completions`,
  tag,
  summary: 'Answer a prompt from the documents of an index, with citations',
  description:
    'The prompt may stand in any chat template: its last user turn is the question, and passages are put before it there. Where the documents hold nothing ' +
    'relevant, the answer says so and the model is not asked. With `stream` server-sent events tell the citations, then the text as it grows.',
  access: 'infer',
  body: z.object({
    prompt: z.string().min(1),
    job_id: id,
    rag_query_size: optional(z.int().min(1).max(mostPassages)).describe('Passages to answer from; 3 without it.'),
    model_name: optional(modelName).describe('That of the index without it.'),
    output_type: optional(outputType),
    max_tokens: optional(z.int().min(1).max(1_000_000)),
    max_new_tokens: optional(z.int().min(1).max(1_000_000)),
    filter,
    rerank: optional(z.boolean()),
    stream: optional(z.boolean()),
  }),
  answer: z.object({
    outputs: z.array(outputSchema),
    finish_reason: z.array(z.enum(['stop', 'length'])),
    citations: z.array(citationSchema),
    retrieval,
  }),
  answerEvents: completionEvent,
  errors: [...askErrors, 'schema_impossible', 'max_tokens_too_small'],
});

export const addText = route({
  name: 'addText',
  method: 'POST',
  path: `${prefix}/add-index`,
  tag,
  summary: 'Add a text to an index; it can be found when this is answered',
  access: 'tune',
  body: z.object({ prompt: z.string().regex(/\S/, 'must not be empty'), job_id: id }),
  answer: z.object({ job_id: z.int(), status: z.literal('success') }),
  errors: ['index_not_found', 'text_not_added', 'storage_limit'],
});

export const suggest = route({
  name: 'suggestQuestions',
  method: 'POST',
  path: `${prefix}/suggestions`,
  tag,
  summary: 'Up to five questions that the documents answer, with their answers, none given before',
  access: 'infer',
  body: jobId,
  answer: z.array(z.record(z.string(), z.string())).meta({
    examples: [[{ 'Question 1': 'When does the library open?', 'Answer 1': '9 am' }]],
  }),
  errors: askErrors,
});

export const indexLog = route({
  name: 'indexLog',
  method: 'GET',
  path: `${prefix}/training_log/{id}`,
  tag,
  summary: 'What has happened to an index, line by line',
  access: 'read',
  params,
  answer: z.array(z.string()),
  errors: indexErrors,
});

const indexes = '/v1/indexes';

export const createIndex = route({
  name: 'createIndex',
  method: 'POST',
  path: indexes,
  tag,
  summary: 'Make an index without files, to add some later',
  access: 'tune',
  body: z.strictObject({ model_name: modelName, name: optional(displayName) }),
  answer: indexSchema,
  errors: ['model_not_found', 'model_of_other_kind', 'name_taken', 'too_many_indexes'],
});

export const listIndexes = route({
  name: 'listIndexes',
  method: 'GET',
  path: indexes,
  tag,
  summary: 'The indexes of the account, newest first',
  access: 'read',
  query: page,
  answer: z.object({ indexes: z.array(indexSchema), next }),
});

export const showIndex = route({
  name: 'showIndex',
  method: 'GET',
  path: `${indexes}/{id}`,
  tag,
  summary: 'One index',
  access: 'read',
  params,
  answer: indexSchema,
  errors: indexErrors,
});

export const renameIndex = route({
  name: 'renameIndex',
  method: 'PATCH',
  path: `${indexes}/{id}`,
  tag,
  summary: 'Rename an index',
  access: 'tune',
  params,
  body: z.strictObject({ name: displayName.nullable() }),
  answer: indexSchema,
  errors: [...indexErrors, 'name_taken'],
});

export const deleteIndex = route({
  name: 'deleteIndex',
  method: 'DELETE',
  path: `${indexes}/{id}`,
  tag,
  summary: 'Delete an index: its vectors, its texts and its files are gone from the disk',
  access: 'tune',
  params,
  answer: z.object({ deleted: z.int() }),
  errors: indexErrors,
});

export const cancelIndex = route({
  name: 'cancelIndex',
  method: 'POST',
  path: `${indexes}/{id}/cancel`,
  tag,
  summary: 'Stop reading: files that are through stay, the others are cancelled',
  access: 'tune',
  params,
  body: z.object({}),
  bodyOptional: true,
  answer: indexSchema,
  errors: indexErrors,
});

export const addFiles = route({
  name: 'addFiles',
  method: 'POST',
  path: `${indexes}/{id}/files`,
  tag,
  summary: 'Add files to an index',
  description:
    'A file of the same name and content is not read again; passages that the index knows are not embedded again.',
  access: 'tune',
  params,
  body: z.strictObject({ files, metadata: filesMetadata }),
  bodyKind: 'multipart',
  answer: z.object({ files: z.array(fileSchema), unchanged: z.array(z.string()) }),
  errors: [...indexErrors, ...uploadErrors],
});

export const listFiles = route({
  name: 'listFiles',
  method: 'GET',
  path: `${indexes}/{id}/files`,
  tag,
  summary: 'The files of an index, each with its state and the reason where it failed',
  access: 'read',
  params,
  query: page,
  answer: z.object({ files: z.array(fileSchema), next }),
  errors: indexErrors,
});

export const showFile = route({
  name: 'showIndexFile',
  method: 'GET',
  path: `${indexes}/{id}/files/{file}`,
  tag,
  summary: 'One file of an index',
  access: 'read',
  params: fileParams,
  answer: fileSchema,
  errors: [...indexErrors, 'index_file_not_found'],
});

export const changeFile = route({
  name: 'changeIndexFile',
  method: 'PATCH',
  path: `${indexes}/{id}/files/{file}`,
  tag,
  summary: 'Change the metadata of a file',
  access: 'tune',
  params: fileParams,
  body: z.strictObject({ metadata }),
  answer: fileSchema,
  errors: [...indexErrors, 'index_file_not_found'],
});

export const deleteFile = route({
  name: 'deleteIndexFile',
  method: 'DELETE',
  path: `${indexes}/{id}/files/{file}`,
  tag,
  summary: 'Remove a file from an index: its vectors, its text and the file itself are gone',
  access: 'tune',
  params: fileParams,
  answer: z.object({ deleted: z.int() }),
  errors: [...indexErrors, 'index_file_not_found'],
});

export const downloadFile = route({
  name: 'downloadIndexFile',
  method: 'GET',
  path: `${indexes}/{id}/files/{file}/download`,
  tag,
  summary: 'A file as it was sent',
  access: 'read',
  params: fileParams,
  answer: z.string(),
  answerType: 'application/octet-stream',
  errors: [...indexErrors, 'index_file_not_found'],
});

export const searchIndex = route({
  name: 'searchIndex',
  method: 'POST',
  path: `${indexes}/{id}/search`,
  tag,
  summary: 'Find passages, without an answer',
  access: 'infer',
  params,
  body: z.strictObject({
    query: z.string().regex(/\S/, 'must not be empty').max(200_000),
    limit: optional(z.int().min(1).max(mostPassages)).describe('10 without it.'),
    mode: optional(z.enum(['hybrid', 'vectors', 'text'])).describe(
      'How to search: both ways together without it. By words alone the engine is not asked.',
    ),
    filter,
    rerank: optional(z.boolean()).describe(
      'Order all that was found by what it says, not only the first twenty: rare words of the question, and words that stand together in it.',
    ),
  }),
  answer: z.object({ passages: z.array(citationSchema), retrieval }),
  errors: askErrors,
});

const indexEvent = z.object({
  id: z.int(),
  at: moment,
  kind: z.string(),
  text: z.string(),
  status: status.optional(),
  file_id: z.int().optional(),
});
export type IndexEvent = z.infer<typeof indexEvent>;

export const followIndex = route({
  name: 'followIndex',
  method: 'GET',
  path: `${indexes}/{id}/events`,
  tag,
  summary: 'What happens to an index, as it happens: server-sent events',
  description:
    'From the beginning, or from after the event that `after` or the header Last-Event-ID names. It ends when the index is at rest.',
  access: 'read',
  params,
  query: z.object({ after: optional(id) }),
  answer: z.string(),
  answerType: 'text/event-stream; charset=utf-8',
  errors: indexErrors,
});
