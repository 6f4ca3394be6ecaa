// Requests of OpenAI's clients, below /inf. Fields that are not here are ignored, as those clients send many; those
// whose loss would change the meaning of a call are here to be refused.
import { z } from 'zod';
import { modelName, optional } from './common.ts';
import { engineErrors, memoryFields, memorySchema, repetitionFields } from './completions.ts';
import {
  answerBy,
  answerKind as answerKindSchema,
  filter,
  maxPassages,
  retrieval as retrievalSchema,
} from './document-parts.ts';
import { citationSchema } from './documents.ts';
import type { ErrorCode } from './errors.ts';
import { generationLimits, maxTokens } from './generation-limits.ts';
import { route } from './route.ts';

const tag = 'OpenAI clients';

const stop = optional(z.union([z.string().min(1), z.array(z.string().min(1)).max(generationLimits.stop)])).describe(
  'Texts that end the answer; they are no part of it. They do not apply to answers of a given shape, which they would cut, and to quotations of a document index.',
);

/** A field whose silent loss would change the meaning of a call: refused by name, unless its value asks for nothing. */
const unsupported = (asksNothing: (value: unknown) => boolean, advice: string) =>
  z
    .unknown()
    .optional()
    .refine((value) => (value ?? null) === null || asksNothing(value), { error: `not supported: ${advice}` })
    .describe(`Not supported, and refused: ${advice}`);
const isEmpty = (value: unknown) =>
  typeof value === 'object' ? Object.keys(value as object).length === 0 : value === '';
const isNone = (value: unknown) => value === 'none';
const never = () => false;
const noTools =
  'models here call no tools or functions. Send "none" as tool_choice or leave it out; for an answer in a given shape, send response_format with a json_schema.';
const ownShape = 'send the shape of the answer as response_format.';

const unsupportedOfBoth = {
  logit_bias: unsupported(isEmpty, 'no token can be favoured or forbidden. Leave it out.'),
  guided_json: unsupported(isEmpty, ownShape),
  guided_regex: unsupported(isEmpty, ownShape),
  guided_choice: unsupported(isEmpty, ownShape),
  guided_grammar: unsupported(isEmpty, ownShape),
  structured_outputs: unsupported(isEmpty, ownShape),
  grammar: unsupported(isEmpty, ownShape),
};
const unsupportedOfChat = {
  tools: z
    .unknown()
    .optional()
    .describe(`Taken where \`tool_choice\` is "none"; else not supported, and refused: ${noTools}`),
  functions: z.unknown().optional().describe(`Taken where \`function_call\` is "none"; else as \`tools\`.`),
  tool_choice: unsupported(isNone, noTools),
  function_call: unsupported(isNone, noTools),
  audio: unsupported(never, 'answers are text. Leave it out.'),
  modalities: unsupported(
    (value) => Array.isArray(value) && value.every((one) => one === 'text'),
    'answers are text. Leave it out, or send ["text"].',
  ),
  web_search_options: unsupported(never, 'nothing is looked up on the web. Leave it out.'),
};

/** Fields of the sampling that are ignored, each with the value that asks for nothing. The answer says so in X-Warning. */
const ignored: Record<string, unknown> = {
  frequency_penalty: 0,
  presence_penalty: 0,
  min_p: 0,
  best_of: 1,
};
const withoutEffect = z.unknown().optional().describe('Ignored; `X-Warning` says so.');
const ignoredFields = {
  frequency_penalty: withoutEffect,
  presence_penalty: withoutEffect,
  min_p: withoutEffect,
  best_of: withoutEffect,
};

/** Given fields that have no effect on the answer. */
export function ignoredOf(body: ChatBody | TextBody): string[] {
  const given = body as Record<string, unknown>;
  return Object.entries(ignored).flatMap(([name, nothing]) => ((given[name] ?? nothing) === nothing ? [] : [name]));
}

/** Fields that both kinds of completion share. */
const sampling = {
  temperature: optional(z.number().min(0).max(generationLimits.temperature)).describe(
    '0 without it: the likeliest token each time.',
  ),
  top_p: optional(z.number().min(0).max(1)),
  top_k: optional(z.int().min(-1).max(1_000_000)).describe('0 and -1: all.'),
  seed: optional(z.number().refine(Number.isInteger, 'must be a whole number').meta({ type: 'integer' })),
  n: optional(z.int().min(1).max(16)),
  stop,
  ...repetitionFields,
  stream: optional(z.boolean()),
  stream_options: optional(z.object({ include_usage: optional(z.boolean()) })),
  ...memoryFields,
  ...unsupportedOfBoth,
  ...ignoredFields,
};

/** Present with `explain`: on the choice, in a stream on its last piece. */
const memory = memorySchema.nullish();

const part = z.object({ type: z.string(), text: optional(z.string()), refusal: optional(z.string()) });
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

/** Tools that may be called are refused; the choice of none asks for nothing. */
function refuseTools(body: Record<string, unknown>, context: z.RefinementCtx): void {
  for (const [tools, choice] of [
    ['tools', 'tool_choice'],
    ['functions', 'function_call'],
  ] as const)
    if (!isEmpty(body[tools] ?? '') && !isNone(body[choice]))
      context.addIssue({ code: 'custom', path: [tools], message: `not supported: ${noTools}` });
}

export const chatBody = z
  .object({
    model: modelName,
    messages: z.array(message).min(1),
    max_tokens: maxTokens,
    max_completion_tokens: maxTokens,
    response_format: optional(responseFormat),
    logprobs: optional(z.boolean()),
    top_logprobs: optional(z.int().min(0).max(generationLimits.logprobs)),
    ...sampling,
    ...unsupportedOfChat,
    rag_query_size: optional(z.int().min(1).max(maxPassages)).describe(
      'Passages of a document index to answer from; 3 by default.',
    ),
    filter,
    rerank: optional(z.boolean()).describe('Whether a document index ranks its passages again.'),
    answer: answerBy,
  })
  .superRefine(refuseTools);
export type ChatBody = z.output<typeof chatBody>;

/** These clients may send texts as numbers of tokens, or lists of these. */
const isTokenIds = (value: unknown) => typeof value === 'number' || Array.isArray(value);
const oneOfTexts = z.string({
  error: ({ input }) => (isTokenIds(input) ? 'send text, not token ids' : undefined),
});
const texts = z.union([z.string(), z.array(oneOfTexts).min(1).max(2048)]);

export const textBody = z.object({
  model: modelName,
  prompt: texts,
  max_tokens: maxTokens,
  echo: optional(z.boolean()),
  logprobs: optional(z.int().min(0).max(generationLimits.logprobs)),
  ...sampling,
  suffix: unsupported(isEmpty, 'models here go on from a text and fill no gap. Leave it out.'),
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
  .describe(
    'Passages that the answer was made from. A document index sends them with the first chunk of a stream, a tuned model whose index answered with the last.',
  );
const retrieval = retrievalSchema.optional().describe('Retrieval of a document index: how the citations were found.');
const answer_kind = answerKindSchema.optional();
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
    answer_kind,
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
    answer_kind,
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
  model: modelName,
  input: texts,
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

export const modelSchema = z
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
  errors: [
    'model_not_found',
    'model_loading',
    'model_downloading',
    'model_download_failed',
    'index_not_found',
  ] as ErrorCode[],
} as const;

export const showModel = route({
  ...one,
  name: 'openaiShowModel',
  path: '/inf/models/{model}',
  summary: 'One model; the slash of its name written as %2F',
  params: z.object({ model: modelName }),
});

export const showModelByParts = route({
  ...one,
  name: 'openaiShowModelByParts',
  path: '/inf/models/{organisation}/{model}',
  summary: 'One model; the slash of its name written as it is',
  params: z.object({ organisation: modelName, model: modelName }),
});
