// Equality of questions and of answers as the engine decides it (engine/lorekeep/tune/facts.py): white space and encoding do not count.
import { createHash } from 'node:crypto';

/** White space as Python's str.split knows it. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: Python counts them
const space = /[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/g;
const oneSpace = new RegExp(space.source.slice(0, -1));

/** Without white space at both ends. An expression that ends in `$` takes quadratic time on white space within a text. */
function stripWhitespace(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && oneSpace.test(text[start]!)) start++;
  while (end > start && oneSpace.test(text[end - 1]!)) end--;
  return text.slice(start, end);
}

const digest = (text: string) => createHash('sha256').update(text).digest('base64').slice(0, 24);

/** Replaces characters that PostgreSQL refuses. Facts of earlier versions may hold them in models and datasets. */
export const storable = (text: string): string => text.replaceAll('\0', '\ufffd').toWellFormed();

/** Equal for questions that the engine considers the same, and for a question and its stored form. */
export const questionKey = (input: string): string =>
  digest(stripWhitespace(storable(input).normalize('NFC').replace(space, ' ')));

/** Equal for answers that are taught as the same. */
export const answerKey = (output: string): string => digest(stripWhitespace(output));
