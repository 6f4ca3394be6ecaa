// Messages between server and engine, one JSON object per line; the counterpart of engine/lorekeep/protocol.py. The tests of both check
// them against engine/protocol/examples.json.
import {
  answerFromSchema,
  factSourceKinds,
  gateSchema,
  generationLimits,
  outcomeSchema,
  unknownSchema,
} from '@lorekeep/contract';
import { z } from 'zod';

export const protocolVersion = 1;

const id = z.string().min(1).max(200);
export const modelKinds = ['generate', 'embed'] as const;
const kind = z.enum(modelKinds);
const turn = z.strictObject({ role: z.enum(['system', 'user', 'assistant', 'tool']), content: z.string() });

/** Current folder of a tuned model's base. The base may have moved since tuning. */
const base = z.string().nullish();
const load = z.strictObject({ type: z.literal('load'), id, model: z.string(), kind: kind.optional(), base });

const generate = z
  .strictObject({
    type: z.literal('generate'),
    id,
    model: z.string(),
    base,
    prompt: z.string().nullish(),
    messages: z.array(turn).min(1).nullish(),
    max_tokens: z.int().min(1).optional(),
    room: z.int().min(1).optional(),
    temperature: z.number().min(0).max(generationLimits.temperature).optional(),
    top_p: z.number().gt(0).max(1).optional(),
    top_k: z.int().min(0).optional(),
    repetition_penalty: z.number().gt(0).max(generationLimits.repetition_penalty).optional(),
    no_repeat_ngram_size: z.int().min(0).max(generationLimits.no_repeat_ngram_size).nullish(),
    seed: z.int().min(0).max(generationLimits.seed).nullish(),
    stop: z.array(z.string().min(1)).max(generationLimits.stop).optional(),
    stop_tokens: z.array(z.int()).optional(),
    output_type: z.record(z.string(), z.unknown()).nullish(),
    json_schema: z.union([z.record(z.string(), z.unknown()), z.boolean()]).nullish(),
    logprobs: z.int().min(0).max(generationLimits.logprobs).nullish(),
    account: z.string().optional(),
    scope: z.string().optional(),
    gate: gateSchema.nullish(),
    answer_from: answerFromSchema.nullish(),
    unknown: unknownSchema.nullish(),
    unknown_answer: z.string().min(1).max(500).nullish(),
    as_of: z
      .int()
      .min(-(10 ** 15))
      .max(10 ** 15)
      .nullish(),
    defer: z.boolean().optional(),
    searched: z.boolean().optional(),
    handover: z.boolean().optional(),
    written: z.string().nullish(),
    explain: z.boolean().optional(),
    stream: z.boolean().optional(),
    wait: z.boolean().optional(),
  })
  .refine(({ prompt, messages }) => (prompt ?? null) === null || (messages ?? null) === null)
  .refine(({ prompt, messages }) => (prompt ?? null) !== null || (messages ?? null) !== null)
  .refine(({ output_type, json_schema }) => (output_type ?? null) === null || (json_schema ?? null) === null);

const embed = z.strictObject({
  type: z.literal('embed'),
  id,
  model: z.string(),
  texts: z.array(z.string()),
  account: z.string().optional(),
  too_long: z.enum(['truncate', 'refuse']).optional(),
  wait: z.boolean().optional(),
});

const cancel = z.strictObject({ type: z.literal('cancel'), id });
const unload = z.strictObject({ type: z.literal('unload'), id, model: z.string() });
const askStatus = z.strictObject({ type: z.literal('status'), id });
const ping = z.strictObject({ type: z.literal('ping'), id });

export const requestSchema = z.discriminatedUnion('type', [load, generate, embed, cancel, unload, askStatus, ping]);
export type EngineRequest = z.input<typeof requestSchema>;
/** A request without its id, which exchange.ts assigns when it sends the request. */
export type Loading = Omit<z.input<typeof load>, 'type' | 'id'>;
export type Generation = Omit<z.input<typeof generate>, 'type' | 'id'>;
export type Embedding = Omit<z.input<typeof embed>, 'type' | 'id'>;
export type ModelKind = z.infer<typeof kind>;

export const engineErrorCodes = [
  'message_invalid',
  'prompt_empty',
  'context_exceeded',
  'template_failed',
  'schema_impossible',
  'max_tokens_too_small',
  'model_not_found',
  'model_invalid',
  'model_damaged',
  'model_loading',
  'model_kind',
  'overloaded',
  'cancelled',
  'out_of_memory',
  'internal',
] as const;
export type EngineErrorCode = (typeof engineErrorCodes)[number];

export const loadStages = ['waiting', 'checking', 'reading', 'preparing'] as const;

const alternative = { token: z.string(), bytes: z.array(z.int()), token_id: z.int(), logprob: z.number() };
const tokenLogprob = z.strictObject({ ...alternative, top: z.array(z.strictObject(alternative)).optional() });
const usage = z.strictObject({ prompt_tokens: z.int(), cached_tokens: z.int(), completion_tokens: z.int() });

const hello = z.strictObject({
  type: z.literal('hello'),
  protocol: z.int(),
  pid: z.int(),
  device: z.string(),
  gpus: z.int(),
  embedder: z.string().nullish(),
});
const progress = z.strictObject({
  type: z.literal('progress'),
  id,
  model: z.string(),
  stage: z.enum(loadStages),
  done: z.int(),
  total: z.int(),
});
const loaded = z.strictObject({
  type: z.literal('loaded'),
  id,
  model: z.string(),
  kind,
  family: z.string(),
  context: z.int(),
  parameters: z.int(),
  bytes: z.int(),
  dtype: z.string(),
  chat: z.boolean(),
});
const delta = z.strictObject({
  type: z.literal('delta'),
  id,
  text: z.string(),
  logprobs: z.array(tokenLogprob).nullish(),
});
const usedMemory = z.strictObject({
  used: z.boolean(),
  outcome: outcomeSchema,
  way: z.string(),
  reason: z.string(),
  facts: z.array(
    z.strictObject({
      input: z.string(),
      similarity: z.number(),
      dataset_id: z.string().nullable(),
      row: z.int(),
      valid_from: z.string().optional(),
      valid_until: z.string().optional(),
      source: z
        .strictObject({
          kind: z.enum(factSourceKinds),
          name: z.string().optional(),
          page: z.int().optional(),
          row: z.int().optional(),
          quote: z.string().optional(),
        })
        .optional(),
    }),
  ),
  declined: z.boolean().optional(),
  prompt: z.string().optional(),
  deferred: z.boolean().optional(),
  lines: z.string().optional(),
  partial: z.string().optional(),
  missing: z.array(z.string()).optional(),
});
const handed = z.strictObject({
  tokens: z.array(z.int()),
  ends: z.array(z.int()),
  context: z.int(),
  json_schema: z.union([z.record(z.string(), z.unknown()), z.boolean()]).nullish(),
  held: z.boolean().optional(),
});
const end = z.strictObject({
  type: z.literal('end'),
  id,
  finish_reason: z.enum(['stop', 'length', 'cancelled']),
  text: z.string(),
  usage,
  logprobs: z.array(tokenLogprob).nullish(),
  memory: usedMemory.nullish(),
  handed: handed.nullish(),
});
const vectors = z.strictObject({
  type: z.literal('vectors'),
  id,
  count: z.int(),
  dimensions: z.int(),
  data: z.base64(),
  tokens: z.int(),
  truncated: z.array(z.int()),
});
const modelStatus = z.strictObject({
  model: z.string(),
  kind,
  state: z.enum(['loading', 'ready']),
  bytes: z.int(),
  running: z.int(),
  queued: z.int(),
});
const status = z.strictObject({
  type: z.literal('status'),
  id,
  models: z.array(modelStatus),
  memory_bytes: z.int(),
  budget_bytes: z.int(),
  queue_limit: z.int(),
});
const pong = z.strictObject({ type: z.literal('pong'), id });
const error = z.strictObject({
  type: z.literal('error'),
  id: id.nullable(),
  code: z.enum(engineErrorCodes),
  message: z.string(),
  facts: z.record(z.string(), z.unknown()).optional(),
});

export const answerSchema = z.discriminatedUnion('type', [
  hello,
  progress,
  loaded,
  delta,
  end,
  vectors,
  status,
  pong,
  error,
]);
export type EngineAnswer = z.output<typeof answerSchema>;
type AnswerOfType<Type extends EngineAnswer['type']> = Extract<EngineAnswer, { type: Type }>;
export type Delta = AnswerOfType<'delta'>;
export type End = AnswerOfType<'end'>;
export type RenderedPrompt = z.output<typeof handed>;
export type Loaded = AnswerOfType<'loaded'>;
export type LoadProgress = AnswerOfType<'progress'>;
export type Vectors = AnswerOfType<'vectors'>;
export type EngineStatus = AnswerOfType<'status'>;
