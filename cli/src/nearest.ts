// Suggestion for a typo ("did you mean"), by edit distance.

/** Damerau-Levenshtein distance: insertions, deletions, replacements and swaps of neighbours. */
function distance(one: string, other: string): number {
  let before: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let row = 1; row <= one.length; row++) {
    const next = [row];
    for (let column = 1; column <= other.length; column++) {
      const replaced = last[column - 1]! + Number(one[row - 1] !== other[column - 1]);
      next[column] = Math.min(replaced, last[column]! + 1, next[column - 1]! + 1);
      const swapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      if (row > 1 && column > 1 && swapped) next[column] = Math.min(next[column]!, before[column - 2]! + 1);
    }
    before = last;
    last = next;
  }
  return last[other.length]!;
}

/** The nearest word; undefined if none is near, since a wrong guess misleads. A unique prefix counts as near. */
export function nearest(word: string, known: Iterable<string>): string | undefined {
  const typed = word.toLowerCase().slice(0, 50);
  if (typed === '') return undefined;
  const words = [...new Set(known)];
  const ranked = words
    .map((candidate) => ({ candidate, far: distance(typed, candidate.toLowerCase()) }))
    .filter(({ candidate, far }) => far <= Math.max(1, Math.floor(Math.min(typed.length, candidate.length) / 3)))
    .sort((one, other) => one.far - other.far);
  if (ranked[0]) return ranked[0].candidate;
  const begun = words.filter((candidate) => typed.length > 2 && candidate.toLowerCase().startsWith(typed));
  return begun.length === 1 ? begun[0] : undefined;
}

/** The hint ` Did you mean "jobs"?`, or an empty text. */
export function didYouMean(word: string, known: Iterable<string>, before = ''): string {
  const near = nearest(word, known);
  return near === undefined ? '' : ` Did you mean "${before}${near}"?`;
}
