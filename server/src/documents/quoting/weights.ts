// Weights of the features of a candidate. They were fitted by logistic regression over the candidates of each question of the bench's
// development sides, with "none" as one more candidate, and with the same questions about documents without the lines that answer them
// (docs/experiments/2026-11-25-fitted-quotations.md).
import type { Expected } from './expected.ts';
import { type FeatureName, featureNames } from './features.ts';

const bias = -10.978;
const weights: Record<FeatureName, number> = {
  held: 3.247,
  'held by its own words': 1.442,
  'held below the best candidate': -0.422,
  'largest weight that is missing': -0.882,
  'words missing in the whole passage': -0.194,
  'type held': 2.146,
  'no type expected': 1.319,
  'type not held': 0.229,
  'rank of the passage': 3.221,
  'share of its words that are asked': 1.914,
  'little besides the words asked': -5.61,
  'another document than the one named': -0.524,
  pair: -0.056,
  heading: 1.836,
  cell: -1.355,
  row: -3.548,
  backwards: -1.187,
  'words of the row asked': 2.365,
  'words of the column asked': 1.77,
  'further numbers': 2.538,
  'thing asked': -0.338,
  'thing missing': -0.175,
  'tokens of the column asked': 0.335,
  length: -0.617,
  similarity: 8.113,
  'similarity below the best candidate': 3.611,
};
const byPlace = featureNames.map((name) => weights[name]);

/** Confidence that a candidate answers: above 0 it is more likely than none. */
export const confidenceOf = (features: number[]): number =>
  features.reduce((sum, value, at) => sum + value * byPlace[at]!, bias);

/** Minimum confidence. A wrong number is worse than a sentence that does not answer. */
export const minConfidence = (expected: Expected | undefined): number =>
  expected && ['number', 'money', 'time'].includes(expected.kind) ? -0.75 : -2;
