// Share of the found passages that a model is shown: those that should fit, and fewer if the engine says that they do
// not.
import type { SearchResult } from '../search/search.ts';

/** Bytes of ordinary text per token: an estimate, used before the engine counts. */
const bytesPerToken = 3;
/** Less of a passage than this says nothing. */
const leastShown = 100;

type Passages = Pick<SearchResult['passages'][number], 'text' | 'context'>[];

interface PromptSize {
  /** Size of the prompt without the passages, in bytes. */
  around: number;
  maxTokens: number;
}

/** Part of the found passages that the model is shown. */
export interface Part {
  /** Number of passages. */
  used: number;
  /** Number of characters of all their texts together. */
  characters: number;
}

/** Number of tokens that a model reads, and of characters of passages that it makes sense of. */
export interface ReadingLimits {
  context: number;
  characters: number;
}

/** Tokens of the context that the prompt leaves for the answer. */
export const roomFor = ({ maxTokens }: PromptSize, context: number) =>
  Math.min(maxTokens, Math.max(64, Math.floor(context / 4)));

/** Passages that ought to fit, with room for an answer. One is always tried. */
export function fitting(passages: Passages, question: PromptSize, { context, characters }: ReadingLimits): Part {
  let left = (context - roomFor(question, context)) * bytesPerToken - question.around;
  const maxPassages = Math.min(passages.length, Math.max(1, Math.floor(characters / leastShown)));
  const charactersPerPassage = characters / maxPassages;
  let used = 0;
  for (const { text, context: above } of passages.slice(0, maxPassages)) {
    left -= Buffer.byteLength(text) * Math.min(1, charactersPerPassage / text.length) + Buffer.byteLength(above) + 4;
    if (left < 0) break;
    used++;
  }
  return { used: Math.max(1, used), characters };
}

/** Reduces the passages, then the characters of the last one; undefined when too little would be left. */
export function lessThan({ used, characters }: Part, [best]: Passages): Part | undefined {
  if (used > 1) return { used: Math.floor(used * 0.7), characters };
  const half = Math.floor(Math.min(characters, best!.text.length) / 2);
  return half < leastShown ? undefined : { used, characters: half };
}
