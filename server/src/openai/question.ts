// Translation of the requests of OpenAI's clients into engine requests.
import { type ChatBody, Refusal, type TextBody } from '@lorekeep/contract';
import type { Generation } from '../engine/protocol.ts';
import { defaultMaxTokens, memoryOptions } from '../inference/generation-request.ts';
import type { ModelRequest } from '../inference/model-client.ts';

type Question = ModelRequest<Generation>;

/** A conversation may run on for longer than the answer to a raw prompt. */
const defaultChatTokens = 4096;

export function chatQuestion(body: ChatBody): Question {
  const format = body.response_format;
  return {
    ...sampling(body),
    messages: body.messages.map(({ role, content }) => ({ role: roles[role] ?? 'user', content: textOf(content) })),
    max_tokens: body.max_completion_tokens ?? body.max_tokens ?? defaultChatTokens,
    ...(format?.type === 'json_object' && { json_schema: { type: 'object' } }),
    ...(format?.type === 'json_schema' && { json_schema: format.json_schema.schema }),
    ...(body.logprobs && { logprobs: body.top_logprobs ?? 0 }),
  };
}

export function textQuestion(body: TextBody, prompt: string): Question {
  return {
    ...sampling(body),
    prompt,
    max_tokens: body.max_tokens ?? defaultMaxTokens,
    ...(body.logprobs !== undefined && { logprobs: body.logprobs }),
  };
}

/** The question of each of `n` choices; they differ only in the seed. */
export function choiceOf(question: Question, choice: number): Question {
  return question.seed === undefined || question.seed === null
    ? question
    : { ...question, seed: (question.seed + choice) % Number.MAX_SAFE_INTEGER };
}

function sampling(body: ChatBody | TextBody): Question {
  const { temperature, top_p, top_k, seed, stop, stream } = body;
  const { repetition_penalty, no_repeat_ngram_size } = body;
  return {
    ...(temperature !== undefined && { temperature }),
    // The smallest share selects only the likeliest token.
    ...(top_p !== undefined && { top_p: Math.max(top_p, 1e-9) }),
    ...(top_k !== undefined && { top_k: Math.max(top_k, 0) }),
    ...(seed !== undefined && { seed: engineSeed(seed) }),
    ...(stop !== undefined && { stop: Array.isArray(stop) ? stop : [stop] }),
    ...(repetition_penalty !== undefined && { repetition_penalty }),
    ...(no_repeat_ngram_size !== undefined && { no_repeat_ngram_size }),
    ...(stream && { stream: true }),
    ...memoryOptions(body),
  };
}

/** OpenAI accepts any whole number as a seed, the engine none below zero or without exact neighbours. */
function engineSeed(seed: number): number {
  const near = seed % Number.MAX_SAFE_INTEGER;
  return near < 0 ? Number.MAX_SAFE_INTEGER + near : near;
}

const roles: Record<string, 'system' | 'user' | 'assistant' | 'tool'> = {
  system: 'system',
  developer: 'system',
  user: 'user',
  assistant: 'assistant',
  tool: 'tool',
  function: 'tool',
};

function textOf(content: ChatBody['messages'][number]['content']): string {
  if (!Array.isArray(content)) return content ?? '';
  return content
    .map(({ type, text, refusal }) => {
      if (type === 'refusal') return refusal ?? '';
      if (type !== 'text') throw new Refusal('content_unsupported', { type: type.slice(0, 100) });
      return text ?? '';
    })
    .join('');
}
