// How much of what was found a model is shown: what ought to fit, and less where the engine says that it does not.
import type { Found } from '../search/search.ts';

/** What a token has of ordinary text: an estimate, before the engine counts. */
const bytesPerToken = 3;
/** Less of a passage than this says nothing. */
const leastShown = 100;

type Passages = Pick<Found['passages'][number], 'text' | 'context'>[];

interface Asked {
  /** How much else there is beside the passages, in bytes. */
  around: number;
  maxTokens: number;
}

/** How much of what was found the model is shown. */
export interface Part {
  /** So many passages. */
  used: number;
  /** So many characters of their texts, of all together. */
  characters: number;
}

/** How many tokens a model reads, and how many characters of passages it makes sense of. */
export interface Reading {
  context: number;
  characters: number;
}

/** What the prompt leaves of the context for the answer, in tokens. */
export const roomFor = ({ maxTokens }: Asked, context: number) =>
  Math.min(maxTokens, Math.max(64, Math.floor(context / 4)));

/** How many of the passages ought to fit, with room for an answer. One is always tried. */
export function fitting(passages: Passages, question: Asked, { context, characters }: Reading): Part {
  let left = (context - roomFor(question, context)) * bytesPerToken - question.around;
  const most = Math.min(passages.length, Math.max(1, Math.floor(characters / leastShown)));
  const shown = characters / most;
  let used = 0;
  for (const { text, context: above } of passages.slice(0, most)) {
    left -= Buffer.byteLength(text) * Math.min(1, shown / text.length) + Buffer.byteLength(above) + 4;
    if (left < 0) break;
    used++;
  }
  return { used: Math.max(1, used), characters };
}

/** Fewer passages; of the last one less and less. Nothing once that would say nothing. */
export function lessThan({ used, characters }: Part, [best]: Passages): Part | undefined {
  if (used > 1) return { used: Math.floor(used * 0.7), characters };
  const half = Math.floor(Math.min(characters, best!.text.length) / 2);
  return half < leastShown ? undefined : { used, characters: half };
}
