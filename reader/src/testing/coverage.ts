// Share of a source's words that was found, in order: the longest common subsequence of words over the words of the
// source.

export const wordsOf = (text: string): string[] =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [];

/** Share of the source's words that stand in the text in the same order. */
export function coverage(source: string, text: string): number {
  const expected = wordsOf(source);
  const places = new Map<string, number[]>();
  for (const [at, word] of wordsOf(text).entries()) places.set(word, [...(places.get(word) ?? []), at]);
  // Hunt and Szymanski: the longest rising run of places, with the places of one word taken backwards.
  const ends: number[] = [];
  for (const word of expected) {
    for (const place of (places.get(word) ?? []).toReversed()) {
      let low = 0;
      let high = ends.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (ends[middle]! < place) low = middle + 1;
        else high = middle;
      }
      ends[low] = place;
    }
  }
  return expected.length === 0 ? 1 : ends.length / expected.length;
}
