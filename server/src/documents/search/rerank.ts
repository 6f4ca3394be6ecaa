// Reranks the candidates by their text: adds to the search scores the share of the question's rare words in a passage, and the share of
// its adjacent word pairs that are close together in it. Words are rare if few candidates have them.
import { embeddedText } from '@lorekeep/reader';
import { contentWords, stem } from './content-words.ts';

const rareWordWeight = 0.2;
const neighbourWeight = 0.3;
/** Maximum distance of close words. */
const maxNeighbourDistance = 4;

interface Candidate {
  passage: { text: string; context: string; header: string | null };
  fused: number;
}

export function reranked<One extends Candidate>(question: string, found: One[]): One[] {
  const asked = [...new Set(contentWords(question).map(stem))];
  const neighbours = asked.slice(1).map((word, at) => [asked[at]!, word] as const);
  const wordPositions = found.map(({ passage }) => placesOf(passage));
  const weights = asked.map((word) => {
    const holding = wordPositions.filter((places) => places.has(word)).length;
    return Math.log(1 + (found.length - holding + 0.5) / (holding + 0.5));
  });
  const all = weights.reduce((sum, weight) => sum + weight, 0) || 1;
  return found
    .map((one, rank) => {
      const places = wordPositions[rank]!;
      const held = asked.reduce((sum, word, at) => sum + (places.has(word) ? weights[at]! : 0), 0) / all;
      const together = neighbours.filter(([word, next]) => areClose(places.get(word), places.get(next))).length;
      const score = one.fused + rareWordWeight * held + (neighbourWeight * together) / Math.max(1, neighbours.length);
      return { one, rank, score };
    })
    .sort((one, other) => other.score - one.score || one.rank - other.rank)
    .map(({ one }) => one);
}

/** Positions of each word of a passage, counted in words. */
function placesOf(passage: Candidate['passage']): Map<string, number[]> {
  const places = new Map<string, number[]>();
  const words = contentWords(embeddedText({ ...passage, header: passage.header ?? undefined })).map(stem);
  for (const [at, word] of words.entries()) {
    const known = places.get(word);
    if (known) known.push(at);
    else places.set(word, [at]);
  }
  return places;
}

/** Merges two sorted lists: the smaller position advances. */
function areClose(one: number[] = [], other: number[] = []): boolean {
  for (let at = 0, next = 0; at < one.length && next < other.length; ) {
    const apart = one[at]! - other[next]!;
    if (Math.abs(apart) <= maxNeighbourDistance) return true;
    if (apart < 0) at++;
    else next++;
  }
  return false;
}
