// Corrects typing errors of a question by the words of the passages nearest to it. A letter that is missing, additional or swapped with its
// neighbour counts; a replaced one may make another word: "lease" is not "leave".
import { bestLikeness, wordsOf } from '../quoting/words.ts';

interface Text {
  text: string;
  title: string | null;
  headings: string[];
}

/** Minimum length of a word that is corrected, since short words are easily near to others. */
const minLength = 5;
const maxWords = 16;

/** The question with corrected words; undefined if there is nothing to correct. */
export function corrected(question: string, passages: Text[]): string | undefined {
  const text = passages.map(({ text, title, headings }) => [title, ...headings, text].join('\n')).join('\n');
  const known = wordsOf(text, Number.POSITIVE_INFINITY);
  const unknown = [...new Set(question.match(/\p{L}+/gu))]
    .filter((word) => word.length >= minLength && wordsOf(word).some((one) => bestLikeness(one, known) < 0.9))
    .slice(0, maxWords);
  if (unknown.length === 0) return undefined;
  const candidates = [...new Set(text.toLowerCase().match(/\p{L}+/gu))].filter((word) => word.length >= minLength);
  let fixed = question;
  for (const word of unknown) {
    const meant = candidates.find((candidate) => isTypo(word.toLowerCase(), candidate));
    if (meant) fixed = fixed.replaceAll(new RegExp(String.raw`(?<!\p{L})${word}(?!\p{L})`, 'gu'), meant);
  }
  return fixed === question ? undefined : fixed;
}

/** Whether two words with the same first letter differ by one letter more or less, or by two neighbours that are swapped. */
function isTypo(one: string, other: string): boolean {
  if (one[0] !== other[0] || Math.abs(one.length - other.length) > 1) return false;
  let at = 0;
  while (at < one.length && one[at] === other[at]) at++;
  if (one.length === other.length)
    return one[at] === other[at + 1] && one[at + 1] === other[at] && one.slice(at + 2) === other.slice(at + 2);
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  return short.slice(at) === long.slice(at + 1);
}
