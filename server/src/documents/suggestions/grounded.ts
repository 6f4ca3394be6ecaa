// Checks that a suggested question is grounded, so that its passage answers it, and that a model's answer equals the expected one.
import { createHash } from 'node:crypto';
import { contentWords, stem } from '../search/content-words.ts';
import type { Suggestion } from './suggestion.ts';

/** Whether the answer occurs in the passage as whole words, and the question is about the passage and does not contain the answer. */
export function isGrounded({ question, answer }: Suggestion, passage: string): boolean {
  const words = contentWords(question).map(stem);
  const passageStems = new Set(contentWords(passage).map(stem));
  return (
    /^\p{Lu}.{8,300}\?$/su.test(question) &&
    /[\p{L}\p{N}]/u.test(answer) &&
    answer.length <= 600 &&
    holds(passage, answer) &&
    !holds(question, answer) &&
    (words.length >= 2 || (words.length === 1 && / (?:an? |\p{Lu})/u.test(question))) &&
    words.filter((word) => passageStems.has(word)).length >= words.length / 2
  );
}

/** Whether two answers are approximately equal: at least 0.8 of their words are shared. */
export function sameAnswer(output: string, answer: string): boolean {
  const [one, other] = [contentWords(output).map(stem), contentWords(answer).map(stem)];
  if (one.length === 0 || other.length === 0) return flat(output) === flat(answer);
  const left = [...other];
  const shared = one.filter((word) => {
    const at = left.indexOf(word);
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  }).length;
  return (2 * shared) / (one.length + other.length) >= 0.8;
}

/**
 * Hash of a question. The words are not stored, since they come from a file that may be removed. Case, space and punctuation do not
 * affect the hash.
 */
export function hashOf(question: string): string {
  const words =
    question
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  return createHash('sha256').update(words.join(' ')).digest('base64url').slice(0, 22);
}

const flat = (text: string) => text.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim();

/** Whether a text contains another at word boundaries, ignoring case and space. */
function holds(text: string, part: string): boolean {
  const [all, needle] = [flat(text), flat(part)];
  const inWord = /[\p{L}\p{N}]/u;
  for (let at = all.indexOf(needle); at >= 0; at = all.indexOf(needle, at + 1)) {
    const [before = '', after = ''] = [all[at - 1], all[at + needle.length]];
    const open = !(inWord.test(before) && inWord.test(needle[0]!) && !spaceless.test(before));
    const closed = !(inWord.test(after) && inWord.test(needle.at(-1)!) && !spaceless.test(after));
    if (open && closed) return true;
  }
  return false;
}

/** Scripts without spaces between words. */
const spaceless =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;
