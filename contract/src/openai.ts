// What clients of OpenAI's API ask for, below /inf. Fields that are not here are left aside, as those clients send many.
import { z } from 'zod';
import { optional } from './common.ts';
import { engineErrors, memoryFields, memorySchema } from './completions.ts';
import { filter, mostPassages, retrieval as retrievalSchema } from './document-parts.ts';
import { citationSchema } from './documents.ts';
import type { ErrorCode } from './errors.ts';
import { route } from './route.ts';

const tag = 'OpenAI clients';

const model = z
  .string()
  .min(1)
  .max(200)
  .meta({ examples: ['lorekeep/quill'] });
const stop = optional(z.union([z.string().min(1), z.array(z.string().min(1)).max(64)])).describe(
  'Texts that end the answer; they are no part of it.',
);
const tokens = optional(z.int().min(1).max(1_000_000));

/** What both kinds of completion share. */
const sampling = {
  temperature: optional(z.number().min(0).max(100)).describe('0 without it: the likeliest token each time.'),
  top_p: optional(z.number().min(0).max(1)),
  top_k: optional(z.int().min(-1).max(1_000_000)).describe('0 and -1: all.'),
  seed: optional(z.int()),
  n: optional(z.int().min(1).max(16)),
  stop,
  stream: optional(z.boolean()),
  stream_options: optional(z.object({ include_usage: optional(z.boolean()) })),
  ...memoryFields,
};

/** With `explain`: on the choice, in a stream on its last piece. */
const memory = memorySchema.nullish();

const part = z.object({ type: z.string(), text: optional(z.string()) });
const message = z.object({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool', 'function']),
  content: z.union([z.string(), z.array(part)]).nullish(),
});

const jsonSchema = z.union([z.record(z.string(), z.unknown()), z.boolean()]);
const responseFormat = z.discriminatedUnion(
  'type',
  [
    z.object({ type: z.literal('text') }),
    z.object({ type: z.literal('json_object') }),
    z.object({
      type: z.literal('json_schema'),
      json_schema: z.object({ name: optional(z.string()), schema: jsonSchema, strict: optional(z.boolean()) }),
    }),
  ],
  { error: 'Invalid input: expected one of "text", "json_object", "json_schema"' },
);

export const chatBody = z.object({
  model,
  messages: z.array(message).min(1),
  max_tokens: tokens,
  max_completion_tokens: tokens,
  response_format: optional(responseFormat),
  logprobs: optional(z.boolean()),
  top_logprobs: optional(z.int().min(0).max(20)),
  ...sampling,
  rag_query_size: optional(z.int().min(1).max(mostPassages)).describe(
    'Of a document index: passages to answer from; 3 without it.',
  ),
  filter,
  rerank: optional(z.boolean()).describe('Of a document index.'),
});
export type ChatBody = z.output<typeof chatBody>;

export const textBody = z.object({
  model,
  prompt: z.union([z.string(), z.array(z.string()).min(1).max(2048)]),
  max_tokens: tokens,
  echo: optional(z.boolean()),
  logprobs: optional(z.int().min(0).max(20)),
  ...sampling,
});
export type TextBody = z.output<typeof textBody>;

const usage = z.object({
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  total_tokens: z.int(),
  prompt_tokens_details: z.object({ cached_tokens: z.int() }),
});
const finish = z.enum(['stop', 'length']);

const tokenLogprob = z.object({ token: z.string(), logprob: z.number(), bytes: z.array(z.int()) });
const chatLogprobs = z.object({ content: z.array(tokenLogprob.extend({ top_logprobs: z.array(tokenLogprob) })) });
const citations = z
  .array(citationSchema)
  .optional()
  .describe('Of a document index: the passages that the answer was made from; in a stream with its first chunk.');
const retrieval = retrievalSchema.optional().describe('Of a document index: how the citations were found.');
const head = { id: z.string(), created: z.int(), model: z.string() };

export const chatAnswer = z
  .object({
    ...head,
    object: z.literal('chat.completion'),
    choices: z.array(
      z.object({
        index: z.int(),
        message: z.object({ role: z.literal('assistant'), content: z.string(), refusal: z.null() }),
        finish_reason: finish,
        logprobs: chatLogprobs.nullable(),
        memory,
      }),
    ),
    usage,
    citations,
    retrieval,
  })
  .meta({ id: 'ChatCompletion' });

export const chatEvent = z
  .object({
    ...head,
    object: z.literal('chat.completion.chunk'),
    choices: z.array(
      z.object({
        index: z.int(),
        delta: z.object({ role: z.literal('assistant').optional(), content: z.string().optional() }),
        finish_reason: finish.nullable(),
        logprobs: chatLogprobs.nullable(),
        memory,
      }),
    ),
    usage: usage.nullish(),
    citations,
    retrieval,
  })
  .meta({ id: 'ChatCompletionChunk' });

const textLogprobs = z.object({
  tokens: z.array(z.string()),
  token_logprobs: z.array(z.number()),
  top_logprobs: z.array(z.record(z.string(), z.number())),
  text_offset: z.array(z.int()),
});
export const textAnswer = z
  .object({
    ...head,
    object: z.literal('text_completion'),
    choices: z.array(
      z.object({
        index: z.int(),
        text: z.string(),
        finish_reason: finish.nullable(),
        logprobs: textLogprobs.nullable(),
        memory,
      }),
    ),
    usage: usage.nullish(),
  })
  .meta({ id: 'TextCompletion' });

export const embeddingsBody = z.object({
  model,
  input: z.union([z.string(), z.array(z.string()).min(1).max(2048)]),
  encoding_format: optional(z.enum(['float', 'base64'])),
  dimensions: optional(z.int().min(1)).describe("Only the model's own number is taken."),
});

const generationErrors: ErrorCode[] = [
  ...engineErrors,
  'schema_impossible',
  'max_tokens_too_small',
  'chat_template_refuses',
  'content_unsupported',
];

export const chat = route({
  name: 'openaiChat',
  method: 'POST',
  path: '/inf/chat/completions',
  tag,
  summary: 'Answer a conversation',
  description:
    'The model may be a document index, `index/ID` or `index/NAME`: then the answer is made from its passages and has `citations` and `retrieval`. ' +
    'With `stream` the answer comes as server-sent events, each a chunk, the last of them `[DONE]`.',
  access: 'infer',
  errorShape: 'openai',
  repeatable: true,
  body: chatBody,
  answer: chatAnswer,
  answerEvents: chatEvent,
  errors: [...generationErrors, 'index_not_found', 'index_not_ready'],
});

export const completeText = route({
  name: 'openaiComplete',
  method: 'POST',
  path: '/inf/completions',
  tag,
  summary: 'Go on from a text',
  description:
    'The prompt goes to the model as it is: no template is put around it. A document index answers conversations only.',
  access: 'infer',
  errorShape: 'openai',
  repeatable: true,
  body: textBody,
  answer: textAnswer,
  answerEvents: textAnswer,
  errors: [...generationErrors, 'index_answers_chats'],
});

export const embedTexts = route({
  name: 'openaiEmbed',
  method: 'POST',
  path: '/inf/embeddings',
  tag,
  summary: 'The vectors of texts',
  access: 'infer',
  errorShape: 'openai',
  repeatable: true,
  body: embeddingsBody,
  answer: z.object({
    object: z.literal('list'),
    model: z.string(),
    data: z.array(
      z.object({
        object: z.literal('embedding'),
        index: z.int(),
        embedding: z.union([z.array(z.number()), z.base64()]),
      }),
    ),
    usage: z.object({ prompt_tokens: z.int(), total_tokens: z.int() }),
  }),
  errors: [...engineErrors, 'dimensions_fixed'],
});

const modelSchema = z
  .object({ id: z.string(), object: z.literal('model'), created: z.int(), owned_by: z.string() })
  .meta({ id: 'OpenAIModel' });

export const listModels = route({
  name: 'openaiListModels',
  method: 'GET',
  path: '/inf/models',
  tag,
  summary: 'The models that can be asked',
  access: 'read',
  errorShape: 'openai',
  answer: z.object({ object: z.literal('list'), data: z.array(modelSchema) }),
});

const one = {
  method: 'GET',
  tag,
  access: 'read',
  errorShape: 'openai',
  answer: modelSchema,
  errors: ['model_not_found', 'model_loading', 'model_download_failed', 'index_not_found'] as ErrorCode[],
} as const;

export const showModel = route({
  ...one,
  name: 'openaiShowModel',
  path: '/inf/models/{model}',
  summary: 'One model; the slash of its name written as %2F',
  params: z.object({ model }),
});

export const showModelByParts = route({
  ...one,
  name: 'openaiShowModelByParts',
  path: '/inf/models/{organisation}/{model}',
  summary: 'One model; the slash of its name written as it is',
  params: z.object({ organisation: model, model }),
});
