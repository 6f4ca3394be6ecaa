// Context budget: truncates the found passages to the part that fits the model's context, and further if the engine
// refuses it.
import type { SearchResult } from '../search/search.ts';

/** Estimated bytes per token of ordinary text, used before the engine counts. */
const bytesPerToken = 3;
/** Minimum useful length of an excerpt. */
const minExcerptLength = 100;

type Passages = Pick<SearchResult['passages'][number], 'text' | 'context'>[];

interface PromptSize {
  /** Size of the prompt without the passages, in bytes. */
  around: number;
  maxTokens: number;
}

/** The part of the found passages in the prompt. */
export interface Part {
  /** Number of passages. */
  used: number;
  /** Number of characters of all their texts together. */
  characters: number;
}

/** Context length in tokens, and the number of characters of passages that the model can use. */
export interface ReadingLimits {
  context: number;
  characters: number;
}

/** Tokens of the context that the prompt leaves for the answer. */
export const roomFor = ({ maxTokens }: PromptSize, context: number) =>
  Math.min(maxTokens, Math.max(64, Math.floor(context / 4)));

/** The passages that should fit beside the answer; at least one. */
export function fitting(passages: Passages, question: PromptSize, { context, characters }: ReadingLimits): Part {
  let left = (context - roomFor(question, context)) * bytesPerToken - question.around;
  const maxPassages = Math.min(passages.length, Math.max(1, Math.floor(characters / minExcerptLength)));
  const charactersPerPassage = characters / maxPassages;
  let used = 0;
  for (const { text, context: above } of passages.slice(0, maxPassages)) {
    left -= Buffer.byteLength(text) * Math.min(1, charactersPerPassage / text.length) + Buffer.byteLength(above) + 4;
    if (left < 0) break;
    used++;
  }
  return { used: Math.max(1, used), characters };
}

/** Drops passages, then shortens the last one; undefined if too little would be left. */
export function shrinkPassageBudget({ used, characters }: Part, [best]: Passages): Part | undefined {
  if (used > 1) return { used: Math.floor(used * 0.7), characters };
  const half = Math.floor(Math.min(characters, best!.text.length) / 2);
  return half < minExcerptLength ? undefined : { used, characters: half };
}
