// Translates a generation into a call of /v1/completions, and the events of that call into pieces of the answer.
import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Delta, End, Generation, RenderedPrompt } from '../protocol.ts';
import { UpstreamFailure } from './failure.ts';

/** Request fields that constrain an answer to a JSON schema, in the order in which they are tried. */
export const schemaWays = {
  response_format: (schema: unknown) => ({
    response_format: { type: 'json_schema', json_schema: { name: 'answer', strict: true, schema } },
  }),
  structured_outputs: (schema: unknown) => ({ structured_outputs: { json: schema } }),
  guided_json: (schema: unknown) => ({ guided_json: schema }),
  json_schema: (schema: unknown) => ({ json_schema: schema }),
  'json_schema as text': (schema: unknown) => ({ json_schema: JSON.stringify(schema) }),
} as const;
export type SchemaWay = keyof typeof schemaWays;

/** Asks for compact JSON, where the server's grammars support it (llguidance). A small base would write endless spaces. */
export const schemaFields = (way: SchemaWay, schema: Record<string, unknown> | boolean) =>
  schemaWays[way](typeof schema === 'boolean' ? schema : { ...schema, 'x-guidance': { whitespace_flexible: false } });

/** Sets every sampling parameter, since servers have their own defaults for missing ones. */
export function bodyOf(
  model: string,
  request: Partial<Omit<Generation, 'model'>>,
  { tokens, ends, json_schema }: Pick<RenderedPrompt, 'tokens' | 'ends' | 'json_schema'>,
  maxTokens: number,
  way: SchemaWay | undefined,
): Record<string, unknown> {
  const { temperature = 0, top_p = 1, top_k = 0, seed, stop, stop_tokens = [], logprobs, scope } = request;
  const penalty = request.repetition_penalty ?? 1;
  return {
    ...{ model, prompt: tokens, max_tokens: maxTokens, n: 1, stream: true, stream_options: { include_usage: true } },
    ...{ temperature, top_p, top_k: top_k === 0 ? -1 : top_k, min_p: 0 },
    repetition_penalty: penalty,
    // llama.cpp uses other names, and by default penalises only the last 64 tokens.
    ...(penalty !== 1 && { repeat_penalty: penalty, repeat_last_n: tokens.length + maxTokens }),
    ...{ stop_token_ids: [...ends, ...stop_tokens], skip_special_tokens: true },
    ...(typeof seed === 'number' && { seed }),
    ...(stop && stop.length > 0 && json_schema == null && { stop }),
    ...(typeof logprobs === 'number' && { logprobs: Math.max(1, logprobs) }),
    // vLLM separates its prefix cache by this salt. The account's number is not sent.
    ...(scope && { cache_salt: createHash('sha256').update(`lorekeep ${scope}`).digest('base64url').slice(0, 24) }),
    ...(json_schema != null && way && schemaFields(way, json_schema)),
  };
}

const token = z.object({
  id: z.int().optional(),
  token: z.string(),
  bytes: z.array(z.int()).nullish(),
  logprob: z.number().nullable(),
});
const logprobsOf = z.union([
  // llama.cpp
  z.object({ content: z.array(token.extend({ top_logprobs: z.array(token).optional() })) }),
  // vLLM, SGLang
  z.object({
    tokens: z.array(z.string()),
    token_logprobs: z.array(z.number().nullable()),
    top_logprobs: z.array(z.record(z.string(), z.number()).nullable()).nullish(),
  }),
]);
const chunk = z.object({
  model: z.string().nullish(),
  choices: z
    .array(
      z.object({
        text: z.string().nullish(),
        finish_reason: z.string().nullish(),
        logprobs: logprobsOf.nullish(),
      }),
    )
    .nullish(),
  usage: z
    .object({
      prompt_tokens: z.int().nonnegative(),
      completion_tokens: z.int().nonnegative().nullish(),
      prompt_tokens_details: z.object({ cached_tokens: z.int().nonnegative().nullish() }).nullish(),
    })
    .nullish(),
  error: z.unknown().optional(),
});
type Logprobs = NonNullable<Delta['logprobs']>;
export type Usage = End['usage'];

/** Yields the pieces, and at the end the finish reason and the usage. A stream that ends without a finish reason was cut off. */
export async function* parseCompletionEvents(
  events: AsyncIterable<unknown>,
  { model, ends, logprobs }: { model: string; ends: number[]; logprobs: number | null | undefined },
): AsyncGenerator<{ text: string; logprobs?: Logprobs }, { finish_reason: 'stop' | 'length'; usage: Usage }> {
  let reason: string | undefined;
  const usage: Usage = { prompt_tokens: 0, cached_tokens: 0, completion_tokens: 0 };
  for await (const event of events) {
    const { success, data } = chunk.safeParse(event);
    if (!success) throw new UpstreamFailure('wrong', 'an event of its stream is not a piece of a completion');
    if (data.error !== undefined && data.error !== null)
      throw new UpstreamFailure('wrong', `it broke off: ${messageIn(data.error)}`, { passing: true });
    if (typeof data.model === 'string' && data.model !== model) throw otherModel(data.model, model);
    const [choice] = data.choices ?? [];
    const text = choice?.text ?? '';
    const told = typeof logprobs === 'number' && choice?.logprobs ? toldOf(choice.logprobs, logprobs, ends) : undefined;
    if (text || told?.length) {
      usage.completion_tokens++;
      yield { text, ...(told && { logprobs: told }) };
    }
    if (data.usage) {
      usage.prompt_tokens = data.usage.prompt_tokens;
      usage.completion_tokens = data.usage.completion_tokens ?? usage.completion_tokens;
      usage.cached_tokens = data.usage.prompt_tokens_details?.cached_tokens ?? 0;
    }
    if (choice?.finish_reason) reason = choice.finish_reason;
  }
  if (reason === undefined) throw new UpstreamFailure('wrong', 'its stream ended in the middle', { passing: true });
  if (reason !== 'stop' && reason !== 'length')
    throw new UpstreamFailure('wrong', `it ended the answer with "${reason.slice(0, 40)}"`, { passing: true });
  return { finish_reason: reason, usage };
}

export const otherModel = (found: string, wanted: string) =>
  new UpstreamFailure('wrong', `it answers with the model "${found.slice(0, 200)}" in the place of "${wanted}"`);

function messageIn(error: unknown): string {
  const said = typeof error === 'object' ? (error as { message?: unknown }).message : error;
  return typeof said === 'string' ? said.replace(/\s+/g, ' ').slice(0, 300) : 'without a reason';
}

/** Bytes of a token, where a server sends none. One that is a part of a character is a mark there. */
const utf8 = (text: string) => [...Buffer.from(text)];

/** Drops an end token, which is no part of the answer. Servers that send no token IDs give it no text. */
function toldOf(given: z.infer<typeof logprobsOf>, top: number, ends: number[]): Logprobs {
  const finite = (logprob: number | null) => Math.max(logprob ?? 0, -9999);
  if ('content' in given) {
    const one = ({ id = -1, token: text, bytes, logprob }: z.infer<typeof token>) => ({
      ...{ token: text, bytes: bytes ?? utf8(text), token_id: id, logprob: finite(logprob) },
    });
    return given.content
      .filter(({ id }) => id === undefined || !ends.includes(id))
      .map(({ top_logprobs = [], ...chosen }) => ({ ...one(chosen), top: top_logprobs.slice(0, top).map(one) }));
  }
  return given.tokens.map((text, at) => ({
    ...{ token: text, bytes: utf8(text), token_id: -1, logprob: finite(given.token_logprobs[at] ?? null) },
    top: Object.entries(given.top_logprobs?.[at] ?? {})
      .sort(([, a], [, b]) => b - a)
      .slice(0, top)
      .map(([other, logprob]) => ({ token: other, bytes: utf8(other), token_id: -1, logprob: finite(logprob) })),
  }));
}
