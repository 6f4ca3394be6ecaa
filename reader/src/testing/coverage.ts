// Share of a source's words found in order: the length of the longest common subsequence of words, relative to the
// source.

export const wordsOf = (text: string): string[] =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [];

/** Share of the source's words that occur in the text in the same order. */
export function coverage(source: string, text: string): number {
  const expected = wordsOf(source);
  const places = new Map<string, number[]>();
  for (const [at, word] of wordsOf(text).entries()) places.set(word, [...(places.get(word) ?? []), at]);
  // Hunt-Szymanski algorithm: the longest increasing subsequence of positions, with the positions of one word in descending order.
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
