// Weights of the features of a candidate. `./lorekeep bench fit-quotations` fits them by logistic regression over the candidates of each
// question of the bench's development sides, with "none" as one more candidate, and with the same questions about passages without the
// lines that answer them (docs/experiments/2026-11-25-fitted-quotations.md).
import type { Expected } from './expected.ts';
import { type FeatureName, featureNames } from './features.ts';

const bias = -10.193;
const weights: Record<FeatureName, number> = {
  held: 3.25,
  'held by its own words': 0.452,
  'held below the best candidate': 1.457,
  'largest weight that is missing': -1.17,
  'words missing in the whole passage': 0.021,
  'type held': 2.477,
  'no type expected': 1.733,
  'type not held': 0.234,
  'rank of the passage': 3.729,
  'share of its words that are asked': 1.471,
  'little besides the words asked': -3.275,
  'another document than the one named': -0.72,
  pair: -0.668,
  heading: -1.323,
  cell: -1.326,
  row: -4.4,
  backwards: -1.916,
  'words of the row asked': 1.971,
  'words of the column asked': 1.334,
  'further numbers': 1.353,
  'thing asked': -0.133,
  'thing missing': -0.2,
  'tokens of the column asked': 0.217,
  'names missing': -0.939,
  'cell without the thing': -0.961,
  'column is the thing': 0.429,
  length: -0.674,
  similarity: 7.759,
  'similarity below the best candidate': 4.106,
};
const byPlace = featureNames.map((name) => weights[name]);

/** Logarithm of the odds that a candidate answers, against none. */
export const confidenceOf = (features: number[]): number =>
  features.reduce((sum, value, at) => sum + value * byPlace[at]!, bias);

/** Minimum probability of a quotation. A wrong number is worse than a sentence that does not answer. */
export const minProbability = (expected: Expected | undefined): number =>
  expected && ['number', 'money', 'time'].includes(expected.kind) ? 0.36 : 0.2;
