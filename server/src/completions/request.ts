// What the platform's clients ask for, as the engine is asked.
import type { CompletionBody, Output } from '@lorekeep/contract';
import type { End, Generation } from '../engine/protocol.ts';

export const usualMaxTokens = 1024;

/** What is asked of every prompt of a call. */
export type Asked = Partial<Pick<CompletionBody, 'output_type' | 'max_tokens' | 'max_new_tokens' | 'explain' | 'gate'>>;

export function questionOf(
  prompt: string,
  { output_type, max_tokens, max_new_tokens, explain, gate }: Asked,
): Omit<Generation, 'model'> {
  return {
    prompt,
    max_tokens: max_new_tokens ?? max_tokens ?? usualMaxTokens,
    ...(output_type && { output_type }),
    ...(explain && { explain }),
    ...(gate && { gate }),
  };
}

/** Text as it is; where a shape was asked for, the object. */
export function outputOf({ text }: Pick<End, 'text'>, { output_type }: Asked): Output {
  return output_type ? (JSON.parse(text) as Output) : text;
}
