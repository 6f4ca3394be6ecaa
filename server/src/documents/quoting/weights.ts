// Weights of the features of a candidate. They were fitted by logistic regression over the candidates of each question of the bench's
// development sides, with "none" as one more candidate, and with the same questions about documents without the lines that answer them
// (docs/experiments/2026-11-25-fitted-quotations.md).
import type { Expected } from './expected.ts';
import { type FeatureName, featureNames } from './features.ts';

const bias = -9.852;
const weights: Record<FeatureName, number> = {
  held: 3.122,
  'held by its own words': 1.076,
  'held below the best candidate': 0.838,
  'largest weight that is missing': -1.147,
  'words missing in the whole passage': 0.337,
  'type held': 2.083,
  'no type expected': 1.265,
  'type not held': 0.291,
  'rank of the passage': 3.449,
  'share of its words that are asked': 1.276,
  'little besides the words asked': -4.785,
  'another document than the one named': -0.612,
  pair: -0.297,
  heading: -1.748,
  cell: -1.12,
  row: -4.651,
  backwards: -2.051,
  'words of the row asked': 1.931,
  'words of the column asked': 1.391,
  'further numbers': 1.885,
  'thing asked': -0.354,
  'thing missing': -0.238,
  'tokens of the column asked': -0.026,
  'names missing': -0.776,
  'cell without the thing': -0.904,
  'column is the thing': 0.356,
  length: -1.633,
  similarity: 8.299,
  'similarity below the best candidate': 4.446,
};
const byPlace = featureNames.map((name) => weights[name]);

/** Confidence that a candidate answers: above 0 it is more likely than none. */
export const confidenceOf = (features: number[]): number =>
  features.reduce((sum, value, at) => sum + value * byPlace[at]!, bias);

/** Minimum confidence. A wrong number is worse than a sentence that does not answer. */
export const minConfidence = (expected: Expected | undefined): number =>
  expected && ['number', 'money', 'time'].includes(expected.kind) ? -0.75 : -1.5;
