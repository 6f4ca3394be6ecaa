// The found once more: similarity of meaning and the share of the question's rare words that a passage holds, added. Rare is what few of the
// candidates say.
import { embeddedText } from '../passages/passage.ts';
import { contentWords, stem } from './words.ts';

const wordsWeigh = 0.4;

interface Candidate {
  text: string;
  context: string;
  header: string | null;
  score: number;
}

export function reranked<Passage extends Candidate>(question: string, passages: Passage[]): Passage[] {
  const asked = [...new Set(contentWords(question).map(stem))];
  const said = passages.map(
    (passage) => new Set(contentWords(embeddedText({ ...passage, header: passage.header ?? undefined })).map(stem)),
  );
  const weights = asked.map((word) => {
    const holding = said.filter((words) => words.has(word)).length;
    return Math.log(1 + (passages.length - holding + 0.5) / (holding + 0.5));
  });
  const all = weights.reduce((sum, weight) => sum + weight, 0) || 1;
  return passages
    .map((passage, rank) => {
      const covered = asked.reduce((sum, word, at) => sum + (said[rank]!.has(word) ? weights[at]! : 0), 0);
      return { passage, rank, score: passage.score + (wordsWeigh * covered) / all };
    })
    .sort((one, other) => other.score - one.score || one.rank - other.rank)
    .map(({ passage }) => passage);
}
