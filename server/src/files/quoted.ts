// Tells whether an answer stands in a quote, word for word: the same characters, with any white space between words.

const inWord = /[\p{L}\p{N}]/u;
const spaced = (text: string) => text.normalize('NFC').replace(/\s+/g, ' ').trim();

export function isQuoted(answer: string, quote: string): boolean {
  const [part, whole] = [spaced(answer), spaced(quote)];
  if (part === '') return false;
  for (let at = whole.indexOf(part); at >= 0; at = whole.indexOf(part, at + 1)) {
    const [before = '', after = ''] = [whole[at - 1], whole[at + part.length]];
    if (!(inWord.test(before) && inWord.test(part[0]!)) && !(inWord.test(after) && inWord.test(part.at(-1)!)))
      return true;
  }
  return false;
}
