// Checks whether a quote contains an answer word for word: the same characters, with any white space between words.

const inWord = /[\p{L}\p{N}]/u;
const normalizeSpaces = (text: string) => text.normalize('NFC').replace(/\s+/g, ' ').trim();

export function isQuoted(answer: string, quote: string): boolean {
  const [part, whole] = [normalizeSpaces(answer), normalizeSpaces(quote)];
  if (part === '') return false;
  for (let at = whole.indexOf(part); at >= 0; at = whole.indexOf(part, at + 1)) {
    const [before = '', after = ''] = [whole[at - 1], whole[at + part.length]];
    if (!(inWord.test(before) && inWord.test(part[0]!)) && !(inWord.test(after) && inWord.test(part.at(-1)!)))
      return true;
  }
  return false;
}
