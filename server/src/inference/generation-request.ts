// Translates requests of the platform's clients into engine requests.
import { type CompletionBody, momentAt, type Output } from '@lorekeep/contract';
import type { End, Generation } from '../engine/protocol.ts';
import type { ModelRequest } from './model-client.ts';

export const defaultMaxTokens = 1024;

/** Fields for tuned models. */
export type MemoryField = 'explain' | 'gate' | 'answer_from' | 'as_of' | 'unknown' | 'unknown_answer' | 'index';

export const memoryOptions = ({
  explain,
  gate,
  answer_from,
  as_of,
  unknown,
  unknown_answer,
  index,
}: Partial<Pick<CompletionBody, MemoryField>>) => ({
  ...(explain && { explain }),
  ...(gate && { gate }),
  ...(answer_from && { answer_from }),
  ...(as_of && { as_of: momentAt(as_of, 'start') }),
  ...(unknown && { unknown }),
  ...(unknown_answer && { unknown_answer }),
  ...(index !== undefined && { index }),
});

/** Options that apply to every prompt of a call. */
export type GenerationOptions = Partial<
  Pick<
    CompletionBody,
    'output_type' | 'max_tokens' | 'max_new_tokens' | 'repetition_penalty' | 'no_repeat_ngram_size' | MemoryField
  >
>;

export function generationRequest(
  prompt: string,
  { output_type, max_tokens, max_new_tokens, repetition_penalty, no_repeat_ngram_size, ...memory }: GenerationOptions,
): ModelRequest<Generation> {
  return {
    prompt,
    max_tokens: max_new_tokens ?? max_tokens ?? defaultMaxTokens,
    ...(output_type && { output_type }),
    ...(repetition_penalty !== undefined && { repetition_penalty }),
    ...(no_repeat_ngram_size !== undefined && { no_repeat_ngram_size }),
    ...memoryOptions(memory),
  };
}

/** The answer as text, or as the parsed object if an output type was requested. */
export function outputOf({ text }: Pick<End, 'text'>, { output_type }: GenerationOptions): Output {
  return output_type ? (JSON.parse(text) as Output) : text;
}
