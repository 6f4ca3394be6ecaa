// Document indexes: our own calls, which the platform's clients lack: lists, files, search, events.
import { z } from 'zod';
import { metadata } from './citations.ts';
import { displayName, id, isoTimestamp, modelName, next, optional, page } from './common.ts';
import {
  askErrors,
  citationSchema,
  fileParams,
  fileSchema,
  files,
  filesMetadata,
  filter,
  indexErrors,
  indexSchema,
  maxPassages,
  params,
  retrieval,
  status,
  tag,
  uploadErrors,
} from './document-parts.ts';
import { route } from './route.ts';

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
  description: 'If that takes more than a minute, the answer comes before it is done, and X-Warning says so.',
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
  description: 'If it has not stopped after a minute, the answer comes before it is done, and X-Warning says so.',
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
    'A name is the path that the part "files" gives, relative to a folder. A file of the same name and content is not read again; one with other content replaces the earlier one as ' +
    'soon as it is read, and never if it cannot be. Passages that the index knows are not embedded again.',
  access: 'tune',
  params,
  body: z.strictObject({ files, metadata: filesMetadata }),
  bodyKind: 'multipart',
  answer: z.object({
    files: z.array(fileSchema),
    unchanged: z.array(z.string()).describe('Names of files that the index has with the same content.'),
    replaces: z
      .array(z.string())
      .describe('Names of files that replace earlier ones, which stay until the new ones are read.'),
  }),
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
  description: 'If that takes more than a minute, the answer comes before it is done, and X-Warning says so.',
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

const stored = citationSchema.omit({ file: true, file_id: true, score: true, metadata: true });
export const listPassages = route({
  name: 'listIndexPassages',
  method: 'GET',
  path: `${indexes}/{id}/files/{file}/passages`,
  tag,
  summary: 'The passages of a file in reading order',
  description:
    'To show a cited passage in its place, read from a few before it: `from` is a number as `passage` of a citation is. What is cut overlaps; `start` and ' +
    '`end` tell by how much. What a file says twice is there once.',
  access: 'read',
  params: fileParams,
  query: z.object({
    from: z.coerce.number().int().min(0).default(0).describe('The number of the first.'),
    limit: page.shape.limit,
  }),
  answer: z.object({
    passages: z.array(stored),
    next: next.describe('Send it as `from` for the next page; null at the end.'),
  }),
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
    limit: optional(z.int().min(1).max(maxPassages)).describe('10 without it.'),
    mode: optional(z.enum(['hybrid', 'vectors', 'text'])).describe(
      'Method of the search: both ways together without it. By words alone the engine is not asked.',
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
  at: isoTimestamp,
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
  summary: 'The events of an index, as they happen: server-sent events',
  description:
    'From the beginning, or from after the event that `after` or the header Last-Event-ID names. It ends when the index is at rest.',
  access: 'read',
  params,
  query: z.object({ after: optional(id) }),
  answer: z.string(),
  answerType: 'text/event-stream; charset=utf-8',
  errors: indexErrors,
});
