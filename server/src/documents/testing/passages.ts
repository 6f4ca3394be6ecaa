// Passages and a likeness by shared words, for the tests of quotations.
import type { Likeness } from '../quoting/quote.ts';
import type { QuotedPassage } from '../quoting/units.ts';
import { bestLikeness, wordsOf } from '../quoting/words.ts';

export const passage = (text: string, more: Partial<QuotedPassage> = {}): QuotedPassage => ({
  ...{ text, title: null, headings: [], header: null, file: 'manual.md' },
  ...more,
});

export const shared: Likeness = async (question, texts) => {
  const asked = wordsOf(question);
  return texts.map((text) => {
    const words = wordsOf(text);
    return asked.filter((word) => bestLikeness(word, words) >= 0.6).length / Math.max(1, asked.length);
  });
};
