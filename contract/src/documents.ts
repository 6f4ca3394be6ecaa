// Document indexes as the platform's clients know them: build one, ask it, add to it. Ours for everything else are in indexes.ts.
import { z } from 'zod';
import { displayName, id, modelName, optional } from './common.ts';
import { outputSchema, outputType } from './completions.ts';
import {
  answerBy,
  answerKind,
  askErrors,
  citationSchema,
  files,
  filesMetadata,
  filter,
  indexErrors,
  indexSchema,
  jobId,
  maxPassages,
  params,
  retrieval,
  status,
  tag,
  uploadErrors,
} from './document-parts.ts';
import { maxTokens } from './generation-limits.ts';
import { route } from './route.ts';

export {
  type AnswerKind,
  type Citation,
  citationSchema,
  type FileState,
  fileStates,
  type Index,
  type IndexFile,
  indexSchema,
  type Metadata,
  maxFiles,
  maxPassages,
  metadataSchema,
  type Retrieval,
} from './document-parts.ts';

const prefix = '/alpha/memory-rag';

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
    name: displayName.optional(),
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
  summary: 'The progress of an index',
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

const completionEvent = z.union([
  z.object({ citations: z.array(citationSchema), retrieval, answer_kind: answerKind }),
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
    'relevant, the answer says so and the model is not asked. A base that cannot read prose is not asked either: the sentence or the cell of a table that answers ' +
    'the question is quoted (`answer_kind`). With `stream` server-sent events tell the citations, then the text as it grows.',
  access: 'infer',
  body: z.object({
    prompt: z.string().min(1),
    job_id: id,
    rag_query_size: optional(z.int().min(1).max(maxPassages)).describe('Passages to answer from; 3 without it.'),
    model_name: optional(modelName).describe('The model of the index without it.'),
    output_type: optional(outputType),
    max_tokens: maxTokens,
    max_new_tokens: maxTokens,
    filter,
    rerank: optional(z.boolean()),
    answer: answerBy,
    stream: optional(z.boolean()),
  }),
  answer: z.object({
    outputs: z.array(outputSchema),
    finish_reason: z.array(z.enum(['stop', 'length'])),
    citations: z.array(citationSchema),
    retrieval,
    answer_kind: answerKind,
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
  description:
    'If the index is at work for more than a minute, the answer comes before it is done, and X-Warning says so.',
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
  summary: 'The log of an index, line by line',
  access: 'read',
  params,
  answer: z.array(z.string()),
  errors: indexErrors,
});
