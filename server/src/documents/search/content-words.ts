// Content words of a text for comparison: lower case, without accents and stop words, stemmed (see `stem`).

const stopWords = new Set(
  (
    'a about after all also am an and any are as at be been but by can could did do does for from had has have he her his how i if in into is it its ' +
    'me more most my no not of on one only or our out over she should so some such tell than that the their them then there these they this those to ' +
    'up us was we were what when where which while who whom whose why will with would you your please explain describe give'
  ).split(' '),
);

/** Abbreviations that are stop words in small letters, unless the whole text is in capitals. */
const abbreviations = new Set(['IT', 'US']);

export function contentWords(text: string): string[] {
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '');
  const words = plain.match(/[\p{L}\p{N}]+(?:[-_.][\p{L}\p{N}]+)*/gu) ?? [];
  const isAbbreviation = (word: string) => abbreviations.has(word) && (words.length === 1 || /\p{Ll}/u.test(plain));
  return words.flatMap((word) =>
    stopWords.has(word.toLowerCase()) && !isAbbreviation(word) ? [] : [word.toLowerCase()],
  );
}

/** Minimal English stemmer: strips common endings, which suffices to compare words of a question and a passage. */
export const stem = (word: string): string =>
  word.length < 5 || /\d/.test(word) ? word : word.replace(/(?:ies|ing|edly|ed|es|s|ly)$/, '').replace(/(.)\1$/, '$1');
