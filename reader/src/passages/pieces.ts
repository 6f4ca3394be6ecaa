// Splits texts that are too long for a passage, preferably between lines, then sentences, words, and finally characters.

export type Cost = (text: string) => number;

const sentences = new Intl.Segmenter('und', { granularity: 'sentence' });

/** Splits a text into pieces within the limit; joined they are the text again. */
export function piecesOf(text: string, limit: number, small: number, cost: Cost): string[] {
  return byLines(text).flatMap((line) => {
    if (cost(line) <= limit) return [line];
    return bySentences(line).flatMap((sentence) =>
      cost(sentence) <= limit ? [sentence] : byWords(sentence, small, cost),
    );
  });
}

const byLines = (text: string) => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

/** Splits into sentences. The segmenter is slow on long texts, and splits at "e.g. this", so pieces in lower case join the one before. */
function bySentences(text: string): string[] {
  const found: string[] = [];
  for (const { segment } of sentences.segment(text)) {
    if (found.length > 0 && /^\p{Ll}/u.test(segment) && found.at(-1)!.length < 1000) found[found.length - 1] += segment;
    else found.push(segment);
  }
  return found;
}

function byWords(text: string, limit: number, cost: Cost): string[] {
  const pieces: string[] = [];
  let piece = '';
  let total = 0;
  for (const [word] of text.matchAll(/\s*\S+\s*$|\s*\S+/g)) {
    const own = cost(word);
    if (piece !== '' && total + own > limit) {
      pieces.push(piece);
      piece = '';
      total = 0;
    }
    if (own > limit) pieces.push(...byCharacters(word, limit, cost));
    else {
      piece += word;
      total += own;
    }
  }
  if (piece !== '') pieces.push(piece);
  return pieces;
}

/** Splits a text in halves until it fits, never inside of a character. */
function byCharacters(word: string, limit: number, cost: Cost): string[] {
  if (cost(word) <= limit || word.length < 2) return [word];
  let middle = Math.floor(word.length / 2);
  const unit = word.charCodeAt(middle - 1);
  if (unit >= 0xd800 && unit <= 0xdbff) middle = middle === 1 ? 2 : middle - 1;
  if (middle >= word.length) return [word];
  return [...byCharacters(word.slice(0, middle), limit, cost), ...byCharacters(word.slice(middle), limit, cost)];
}
