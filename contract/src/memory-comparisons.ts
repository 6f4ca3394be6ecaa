// Answers of two versions of a memory compared on an evaluation set: started once, read while it runs, the rows that differ in pages.
import { z } from 'zod';
import { id, next, optional, page } from './common.ts';
import { datasetId } from './datasets.ts';
import { evaluationErrors, evaluationStatus } from './evaluations.ts';
import { regressionSchema, sideOfVersion } from './memory-gates.ts';
import { route } from './route.ts';

const tag = 'Memories';

const params = z.object({ name: z.string().min(1).max(200) });
const oneParams = params.extend({ id });
const version = z.int().min(1).max(1_000_000_000);

export const rightSides = ['before', 'after', 'neither'] as const;
export type RightSide = (typeof rightSides)[number];

export const comparisonSchema = z
  .object({
    evaluation_id: z.int().describe('The evaluation that asks both versions; the number of the comparison.'),
    from_version: z.int(),
    to_version: z.int(),
    dataset_id: datasetId,
    status: evaluationStatus,
    error: z.string().nullable(),
    rows: z.int(),
    compared: z.int().describe('Rows that both versions have answered so far; the counts are of these.'),
    right_before: z.int().describe('Rows that `from_version` answers right, word for word.'),
    right_after: z.int().describe('Rows that `to_version` answers right, word for word.'),
    differing: z.int().describe('Rows whose answers differ. Two right answers do not.'),
    differing_right: z
      .object({ before: z.int(), after: z.int(), neither: z.int() })
      .describe('The differing rows by the version that is right.'),
  })
  .meta({ id: 'Comparison' });
export type Comparison = z.infer<typeof comparisonSchema>;

export const answerDifferenceSchema = regressionSchema
  .extend({
    before: sideOfVersion.describe('Answer of `from_version`.'),
    after: sideOfVersion.describe('Answer of `to_version`.'),
    right: z.enum(rightSides).describe('The version whose answer is the right one, word for word.'),
  })
  .meta({ id: 'AnswerDifference' });
export type AnswerDifference = z.infer<typeof answerDifferenceSchema>;

export const startComparison = route({
  name: 'startComparison',
  method: 'POST',
  path: '/v1/memories/{name}/comparisons',
  tag,
  summary: 'Ask two versions of a memory an evaluation set, to compare their answers',
  description:
    'An evaluation asks them; follow it here or among the evaluations. Where these versions were asked this set before, also by the gate, that evaluation is answered and nothing is asked.',
  access: 'infer',
  repeatable: true,
  params,
  body: z.strictObject({
    from: optional(version).describe('The one before `to` without it.'),
    to: optional(version).describe('The published one without it.'),
    dataset_id: optional(datasetId).describe('The evaluation set; that of the gate without it.'),
  }),
  answer: comparisonSchema,
  errors: [
    ...(['memory_not_found', 'memory_empty', 'version_not_found', 'comparison_invalid', 'dataset_not_found'] as const),
    ...(['version_erased', 'memory_busy'] as const),
    ...evaluationErrors,
  ],
});

export const showComparison = route({
  name: 'showComparison',
  method: 'GET',
  path: '/v1/memories/{name}/comparisons/{id}',
  tag,
  summary: 'The progress of a comparison of answers, and its counts',
  access: 'read',
  params: oneParams,
  answer: comparisonSchema,
  errors: ['memory_not_found', 'comparison_not_found'],
});

export const listAnswerDifferences = route({
  name: 'listAnswerDifferences',
  method: 'GET',
  path: '/v1/memories/{name}/comparisons/{id}/differences',
  tag,
  summary: 'The rows of the set whose answers differ between the two versions, with both answers and the right one',
  access: 'read',
  params: oneParams,
  query: page.extend({
    right: optional(z.enum(rightSides)).describe('Only rows where this version is right: `before` are regressions.'),
  }),
  answer: z.object({ differences: z.array(answerDifferenceSchema), next }),
  errors: ['memory_not_found', 'comparison_not_found'],
});
