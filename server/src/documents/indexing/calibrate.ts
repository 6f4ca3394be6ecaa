// Calibrates the similarity threshold from which a passage counts as an answer, on the index itself. Sentences of its passages
// with half of their words left out simulate questions that it answers; questions about other subjects simulate those that it
// does not answer.
import { Refusal } from '@lorekeep/contract';
import type { CallContext } from '../../inference/model-client.ts';
import { retry } from '../../inference/retry.ts';
import { float32Rows } from '../../inference/vectors.ts';
import { contentWords } from '../search/content-words.ts';
import type { IndexingDependencies } from './dependencies.ts';
import type { LeasedIndex } from './index-store.ts';

const maxSamples = 48;

/** Questions about many subjects. One collection of documents can answer only few of them. */
const unrelatedQuestions = [
  'How long should I boil an egg?',
  'Who won the football match last night?',
  'What is the capital of Mongolia?',
  'How do I tie a bow tie?',
  'Which vaccine does a puppy need first?',
  'What is the tallest mountain in South America?',
  'When was the violin invented?',
  'How many players are in a volleyball team?',
  'What does a sonnet consist of?',
  'Which wine goes with grilled salmon?',
  'How far is the moon from the earth?',
  'Who painted the ceiling of the chapel?',
  'What is the boiling point of mercury?',
  'How do I renew my passport?',
  'Which king signed the treaty?',
  'What time does the train to the coast leave?',
  'How do bees make honey?',
  'What is the best season to plant tulips?',
  'Can I bring my dog on the ferry?',
  'What is the mortgage rate this month?',
  'How do I remove a red wine stain?',
  'Which muscles does swimming train?',
  'What causes the northern lights?',
  'How is parmesan cheese aged?',
];

/** Number of texts embedded to calibrate an index, unless it is small. Those of `elsewhere` are embedded once per server process. */
export const embeddedToMeasure = { own: maxSamples, elsewhere: unrelatedQuestions.length };

/** Cached vectors of the unrelated questions, by embedder. */
const unrelatedVectors = new Map<string, Float32Array[]>();

/** Undefined if the index has no text to calibrate with. */
export async function calibrate(
  { indexStore, vectors, modelClient }: IndexingDependencies,
  index: LeasedIndex,
  callContext: CallContext,
): Promise<number | undefined> {
  const own = await indexStore.sample(index.id, maxSamples);
  const questions = own.map(simulatedQuestion).filter((text) => text !== '');
  const embed = async (texts: string[]) => {
    if (texts.length === 0) return [];
    const rows = await retry(callContext.signal, async () =>
      float32Rows(await modelClient.embed(index.embedder, { texts }, callContext)),
    );
    if (rows instanceof Refusal) throw rows;
    return rows;
  };
  const strange = unrelatedVectors.get(index.embedder) ?? (await embed(unrelatedQuestions));
  unrelatedVectors.set(index.embedder, strange);
  const rows = [...strange, ...(await embed(questions))];
  const best: number[] = [];
  for (const row of rows) best.push((await vectors.nearest(index.vectors, row, 1, { not: [] }))[0]?.similarity ?? 0);
  const strangers = best.slice(0, unrelatedQuestions.length).sort((one, other) => one - other);
  const answered = best.slice(unrelatedQuestions.length).sort((one, other) => one - other);
  return thresholdBetween(strangers, answered);
}

/** Above most unrelated and below most answered questions. In doubt, a false acceptance is preferred to a false refusal. */
export function thresholdBetween(strangers: number[], answered: number[]): number {
  const low = quantile(strangers, 0.9) ?? 0;
  const high = quantile(answered, 0.1) ?? 1;
  const threshold = low < high ? low + (high - low) * 0.25 : (low + high) / 2;
  return Math.round(Math.min(0.6, Math.max(0.15, threshold)) * 1000) / 1000;
}

const quantile = (sorted: number[], share: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];

/** A simulated question: every other content word of the longest sentence of a passage. */
function simulatedQuestion(text: string): string {
  const sentence = text
    .split(/(?<=[.!?。])\s+|\n/)
    .slice(0, 20)
    .sort((one, other) => other.length - one.length)[0];
  return contentWords(sentence ?? '')
    .slice(0, 24)
    .filter((_, at) => at % 2 === 0)
    .join(' ');
}
