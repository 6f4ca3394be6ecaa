// Key-value lines ("Warranty: 2 years") and other lines that must not be joined to a paragraph. Shared by the text parsers.
import { type Block, blocks, plainText } from '../block.ts';

const pair = /^\s*(?:\d+(?:\.\d+)*\s+)?\p{Lu}[^:|]{0,40}:\s+\S.{0,160}$/u;
/** The name of a subject above its properties: short, without final punctuation. */
const namePattern = /^\s*\p{Lu}[^:|]{0,58}[\p{L}\p{N})]$/u;
const maxNameWords = 6;

export const isKeyed = (line: string): boolean => pair.test(line);

/** Whether several lines are key-value lines, which are a list instead of prose. The first may name their subject. */
export function areKeyed(lines: string[]): boolean {
  const [first = '', ...rest] = lines;
  const named = rest.length > 1 && namePattern.test(first) && first.trim().split(/\s+/).length <= maxNameWords;
  return lines.length > 1 && (isKeyed(first) || named) && rest.every(isKeyed);
}

/** Whether a text has a question alone on its first line, and its answer below. */
export const isQuestionWithAnswer = ([first = '', ...rest]: string[]): boolean =>
  rest.length > 0 && /^\s*\p{Lu}[^?!.]*\?\s*$/u.test(first);

export function* keyedBlocks(lines: string[], line: number): Generator<Block> {
  for (const [at, text] of lines.entries())
    yield* blocks({ kind: 'paragraph', text: plainText(text), line: line + at });
}
