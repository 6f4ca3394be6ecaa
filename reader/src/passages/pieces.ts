// Texts that are too long for a passage, taken apart where they bear it best: between lines, sentences, words, and at last between characters.

export type Cost = (text: string) => number;

const sentences = new Intl.Segmenter('und', { granularity: 'sentence' });

/** Pieces that together are the text, each within the limit, none longer than it must be. */
export function piecesOf(text: string, limit: number, small: number, cost: Cost): string[] {
  return byLines(text).flatMap((line) => {
    if (cost(line) <= limit) return [line];
    return bySentences(line).flatMap((sentence) =>
      cost(sentence) <= limit ? [sentence] : byWords(sentence, small, cost),
    );
  });
}

const byLines = (text: string) => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

/** The segmenter takes its time on long texts, and reads "e.g. this" as two sentences: pieces that begin in lower case belong to the one before. */
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

/** Halves until it fits; never inside a character. */
function byCharacters(word: string, limit: number, cost: Cost): string[] {
  if (cost(word) <= limit || word.length < 2) return [word];
  let middle = Math.floor(word.length / 2);
  const unit = word.charCodeAt(middle - 1);
  if (unit >= 0xd800 && unit <= 0xdbff) middle = middle === 1 ? 2 : middle - 1;
  if (middle >= word.length) return [word];
  return [...byCharacters(word.slice(0, middle), limit, cost), ...byCharacters(word.slice(middle), limit, cost)];
}
