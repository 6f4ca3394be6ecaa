// Questions whose answer is known: each is made from one sentence of a manual, or from the heading above it, rewritten by rules. Somebody who asks does not
// know how the manual words it: half of the words are gone, names of options too, others are replaced by words that mean the same. What is asked for is
// the passage with that sentence, which no question quotes.
import { contentWords } from '../../server/src/documents/search/content-words.ts';
import { by, digest, type Manual } from './manuals.ts';
import { synonyms } from './synonyms.ts';

export type Kind = 'keywords' | 'reworded' | 'heading';
export const kinds: Kind[] = ['keywords', 'reworded', 'heading'];

export interface Question {
  kind: Kind;
  question: string;
  file: string;
  /** Words of the sentence that a found passage has to contain. */
  sentence: string;
}

interface Sentence {
  file: string;
  text: string;
  words: string;
  /** Heading of the section that the sentence begins. */
  heading?: string;
  title: string;
}

const segments = new Intl.Segmenter('en', { granularity: 'sentence' });

/** A share of each kind; the same manuals give the same questions. */
export function questionsOf(manuals: Manual[], count: number): Question[] {
  const all = manuals.flatMap(sentencesOf);
  const counts = new Map<string, number>();
  for (const { words } of all) counts.set(words, (counts.get(words) ?? 0) + 1);
  const headings = new Map<string, number>();
  for (const { heading } of all) if (heading) headings.set(heading, (headings.get(heading) ?? 0) + 1);
  // A sentence that occurs more than once is not used.
  const usable = all
    .filter(({ words }) => counts.get(words) === 1 && contentWords(words).length >= 7)
    .sort(by(({ file, words }) => digest(`${file} ${words}`)));
  const taken = new Set<Sentence>();
  return kinds.flatMap((kind) => {
    const questions: Question[] = [];
    for (const sentence of usable) {
      if (questions.length >= count / kinds.length) break;
      if (taken.has(sentence)) continue;
      if (kind === 'heading' && !(sentence.heading && headings.get(sentence.heading) === 1)) continue;
      const question = rewritten(kind, sentence);
      if (!question || quotes(question, sentence.words)) continue;
      taken.add(sentence);
      questions.push({ kind, question, file: sentence.file, sentence: sentence.words });
    }
    return questions;
  });
}

/** Normalized text for comparison, without the characters of Markdown and of typesetting. */
export const plainWords = (text: string) => (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(' ');

/** Four consecutive words of the sentence would be enough to find it. */
function quotes(question: string, sentence: string): boolean {
  const words = plainWords(question).split(' ');
  return words.some((_, at) => at + 4 <= words.length && sentence.includes(words.slice(at, at + 4).join(' ')));
}

function sentencesOf({ name, text }: Manual): Sentence[] {
  const found: Sentence[] = [];
  const title = shownText(/^# +(.+)$/m.exec(text)?.[1] ?? '');
  let heading: string | undefined;
  let coded = false;
  for (const paragraph of text.split(/\n\s*\n/)) {
    const fences = paragraph.match(/^\s*(?:```|~~~)/gm)?.length ?? 0;
    const inside = coded || fences > 0;
    if (fences % 2 === 1) coded = !coded;
    if (inside) continue;
    const lines = paragraph.trim().split('\n');
    const above = /^#{1,6} +(.+?)[ #]*$/.exec(lines[0]!)?.[1];
    if (above) {
      heading = shownText(above);
      lines.shift();
    }
    const line = lines.join(' ').trim();
    // Tables, lists, quotes, HTML and code blocks are no prose.
    if (line === '' || /^(?:[-*+>|<]|\d+\.|\s{4}|\[)/.test(line) || /^( {4}|\t)/.test(paragraph)) continue;
    for (const { segment } of segments.segment(line)) {
      const sentence = segment.trim();
      const plain = sentence.length >= 50 && sentence.length <= 260 && /^[A-Z].*[.!?]$/.test(sentence);
      if (plain && !/[[\]<>|{}]|https?:/.test(sentence))
        found.push({ file: name, text: sentence, words: plainWords(sentence), title, ...(heading && { heading }) });
      heading = undefined;
    }
  }
  return found;
}

/** Text without the targets of links. */
const shownText = (text: string) => text.replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/https?:\S+|<[^>]*>/g, '');

function rewritten(kind: Kind, sentence: Sentence): string | undefined {
  const dice = seeded(digest(`${kind} ${sentence.words}`));
  if (kind === 'heading') {
    const words = wordsOf(`${sentence.title} ${sentence.heading}`)
      .filter((word) => /\p{L}/u.test(word))
      .map(otherwise);
    return wordsOf(sentence.heading!).length >= 2 ? `${pick(openings, dice)} ${unique(words).join(' ')}?` : undefined;
  }
  const words = wordsOf(sentence.text);
  if (kind === 'keywords') {
    const sampled = words.filter(() => dice() < 0.5).slice(0, 8);
    return sampled.length >= 4 ? sampled.join(' ') : undefined;
  }
  const names = (word: string) => /[\d_.]|[a-z][A-Z]|^[A-Z]{2}/.test(word);
  const sampled = words.filter((word) => !names(word)).filter((word) => synonyms.has(base(word)) || dice() < 0.6);
  if (sampled.length < 3 || !sampled.some((word) => synonyms.has(base(word)))) return undefined;
  return `${pick(openings, dice)} ${unique(sampled.slice(0, 10).map(otherwise)).join(' ')}?`;
}

const openings = [
  'How about',
  'What do I have to know of',
  'How does one get',
  'Where is it said about',
  'What happens with',
];

const wordsOf = (text: string) =>
  (text.match(/[\p{L}\p{N}_.]*[\p{L}\p{N}_]/gu) ?? []).filter((word) => contentWords(word).length > 0);

/** Another word of the same meaning where the table has one; else the word in its plain form. */
const otherwise = (word: string) => synonyms.get(base(word)) ?? base(word);

/** Word without the endings of number and person. */
function base(word: string): string {
  const lower = word.toLowerCase();
  if (lower.length < 5 || !/^[a-z]+s$/.test(lower) || /(?:ss|us|is|perhaps|always|besides)$/.test(lower)) return lower;
  if (lower.endsWith('ies')) return `${lower.slice(0, -3)}y`;
  return /(?:sh|ch|x|ss)es$/.test(lower) ? lower.slice(0, -2) : lower.slice(0, -1);
}

const unique = (words: string[]) => [...new Set(words)];
const pick = <Value>(from: Value[], dice: () => number): Value => from[Math.floor(dice() * from.length)]!;

/** Pseudorandom numbers from 0 to 1, seeded by the text. */
function seeded(text: string): () => number {
  let state = Number.parseInt(text.slice(0, 8), 16);
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state >>> 8) / 2 ** 24;
  };
}
