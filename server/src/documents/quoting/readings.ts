// Follow-ups in a conversation about documents: "And on Sundays?", "when does it end?". A follow-up has several readings: the question
// before it, with the follow-up in place of one of its phrases. The documents decide which of them is meant.
import { asksForm, expectedOf } from './expected.ts';
import { questionWords, wordsOf } from './words.ts';

/** A question as it is compared with the passages. */
export interface Reading {
  /** The whole question. */
  text: string;
  /** The part of it that says which type of answer is expected. */
  form: string;
  /** Words that the last message added. */
  own: string[];
  /** Number of words of the earlier question that are left out. */
  dropped: number;
}

/** Number of earlier questions that a follow-up may refer to. */
const maxEarlier = 3;
/** Maximum words of an earlier question that are replaced, and of a phrase of them. */
const maxReplaceable = 8;
const maxPhrase = 2;

const whole = (words: string) => String.raw`(?<![\p{L}\p{N}'’-])(?:${words})(?![\p{L}\p{N}]|['’-]\p{L}{2})`;
const lead = new RegExp(
  String.raw`^\s*(?:(?:ok|okay|thanks|danke|merci|gracias)[\s,.!]+)?(?:(?:and|or|but|also|then|und|oder|aber|et|ou|mais|y|pero)(?![\p{L}\p{N}'’-])[\s,]*)?` +
    String.raw`(?:(?:what|how) about|what if|same for|was ist mit|wie ist es mit|qu['’]en est-il d[eu]|qué tal)?`,
  'iu',
);
const pronoun = new RegExp(
  whole(
    "it|its|it['’]s|they|them|their|theirs|he|him|his|she|her|hers|that|those|these|this|then|others?|ones?|instead|" +
      'es|er|ihn|ihm|ihre?[nmrs]?|seine?[nmrs]?|dort|davon|dafür|damit|dabei|danach|ça|cela|elles?|ils|lui|ella|ellos|ellas|eso|esto|allí',
  ) + String.raw`|(?<![\p{L}\p{N}])(?:there|too|either|as well|auch|aussi|también)(?=\W*$)`,
  'iu',
);
/** "Sie" within a German sentence is the reader. */
const germanPronoun = /(?<=\p{L}\s)sie(?!\p{L})/u;
const preposition =
  /^\s*(?:for|on|in|at|with|without|from|to|by|before|after|during|until|per|of|under|over|between|für|am|im|an|bei|mit|ohne|von|nach|vor|bis|um|pour|à|au|avec|sans|para|en|con|sin|a)\s/iu;
const maxFragmentWords = 5;

const hasPronoun = (text: string): boolean => pronoun.test(text) || germanPronoun.test(text);

/**
 * Whether a message depends on the messages before it by its wording: `surely` with a pronoun, as a fragment, or without a subject,
 * `perhaps` after "and" or "what about". Other messages may depend on them as well: "How many are in stock?"
 */
export function pointsBack(text: string): 'surely' | 'perhaps' | undefined {
  const said = text.replace(lead, '').trim();
  const fragment = preposition.test(said) && said.split(/\s+/).length <= maxFragmentWords;
  const isBare = questionWords(said).length === 0;
  if (hasPronoun(text) || fragment || isBare) return 'surely';
  return said.length < text.trim().length ? 'perhaps' : undefined;
}

/** Whether a message asks for no more than what comes next: "and after that?" */
export function asksOn(text: string): boolean {
  const said = text.replace(lead, '');
  return (
    /(?<!\p{L})(?:after|afterwards|then|otherwise|else|danach|dann|sonst|après|después)(?!\p{L})/iu.test(text) &&
    questionWords(said).length === 0 &&
    expectedOf(said) === undefined
  );
}

/** The last of the earlier questions that a message may refer to, back to one that stands alone. */
export function threadOf(earlier: string[]): string[] {
  const last = earlier.filter((text) => text.trim() !== '').slice(-maxEarlier);
  const start = last.findLastIndex((text) => !pointsBack(text));
  return last.slice(Math.max(0, start));
}

export const plainReading = (text: string): Reading => ({ text, form: text, own: [], dropped: 0 });

/** The readings of a message after an earlier question. Without a question word it takes over the form of the earlier one. */
export function readingsAfter(earlier: Reading, message: string): Reading[] {
  const said = message.replace(lead, '').trim();
  const words = questionWords(said);
  const isTyped = expectedOf(said) !== undefined;
  const asks = isTyped || asksForm(said);
  // The capital letter of a question behind another one marks no name.
  const joined = (question: string) => (asks ? `${question.replace(/[\s.!?]+$/, '')}? ${said}` : `${question} ${said}`);
  if (words.length === 0) return [isTyped ? { ...earlier, text: joined(earlier.text), form: said } : earlier];
  const asked = questionWords(earlier.text);
  const own = words.filter((word) => !asked.includes(word));
  const forms = asks ? [said] : [earlier.form, said];
  return shortened(earlier.text, words).flatMap(({ text, dropped }) =>
    forms.slice(0, dropped === 0 ? 1 : 2).map((form) => ({ text: joined(text), form, own, dropped })),
  );
}

/** The question whole, and without each of its phrases. Words that the follow-up repeats stay. */
function shortened(question: string, repeated: string[]): { text: string; dropped: number }[] {
  const tokens = [...question.matchAll(/[\p{L}\p{N}]+(?:[-_.'’][\p{L}\p{N}]+)*/gu)]
    .map(({ 0: word, index }) => ({ from: index, to: index + word.length, words: wordsOf(word) }))
    .filter(({ words }) => words.length > 0 && !words.every((word) => repeated.includes(word)))
    .slice(-maxReplaceable);
  const phrases = tokens.flatMap((_, at) =>
    Array.from({ length: Math.min(maxPhrase, tokens.length - at) }, (_, more) => tokens.slice(at, at + more + 1)),
  );
  return [
    { text: question, dropped: 0 },
    ...phrases
      .filter((phrase) => phrase.length < tokens.length)
      .map((phrase) => ({
        text: `${question.slice(0, phrase[0]!.from)}${question.slice(phrase.at(-1)!.to)}`.replace(/\s+/g, ' ').trim(),
        dropped: phrase.length,
      })),
  ];
}
