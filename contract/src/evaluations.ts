// Evaluations: the questions of a dataset asked of several targets, the answers compared with the right ones, side by side in one table.
import { z } from 'zod';
import { outcomeNames, outcomeSchema } from './answering.ts';
import { displayName, id, isoTimestamp, next, optional, page } from './common.ts';
import { engineErrors } from './completions.ts';
import { datasetId } from './datasets.ts';
import type { ErrorCode } from './errors.ts';
import { maxTokens } from './generation-limits.ts';
import { route } from './route.ts';

const tag = 'Evaluations';

export const maxTargets = 20;
/** Rows times targets. */
export const maxQuestions = 100_000;

/** JSON does not keep how a number with a fraction was written, and answers are compared as they are written. */
const digits = 999_999_999_999_999;
const text = z
  .union([z.string().regex(/\S/, 'must not be empty'), z.int().min(-digits).max(digits), z.boolean()], {
    error: 'must be text; a number with a fraction, or of over 15 digits, is sent as text too, as it is written',
  })
  .transform(String);
const row = z.looseObject({ input: text.describe('The question.'), output: text.describe('The right answer.') });

const label = displayName.describe('Name of the target in the results; derived from the target without it.');
const modelName = z.string().min(1).max(200);

const modelTarget = z.strictObject({
  model_name: modelName.describe('A base or a tuned model.'),
  prompt: optional(z.string().min(1).max(100_000)).describe('Put before each question, with an empty line between.'),
  name: optional(label),
});
const indexTarget = z.strictObject({ job_id: id.describe('A document index.'), name: optional(label) });
const target = z.union([modelTarget, indexTarget]);
export type EvaluationTarget = z.output<typeof target>;

const evaluationId = z.int().describe('As the call that started it answered.');
const params = z.object({ id });

export const evaluationBody = z
  .strictObject({
    dataset_id: optional(datasetId),
    data: optional(z.array(row).min(1)).describe('The rows themselves, instead of a dataset.'),
    targets: z.array(target).min(1).max(maxTargets),
    name: optional(displayName),
    max_rows: optional(z.int().min(1).max(maxQuestions)).describe('Ask only the first so many rows.'),
    max_tokens: maxTokens.describe(
      'Maximum number of tokens generated for each question; without it as many as the right answer has bytes, and 32.',
    ),
    form: z
      .enum(['chat', 'raw'])
      .nullish()
      .transform((form) => form ?? 'chat')
      .describe("`chat`: in the model's chat template, where it has one. `raw`: as it is."),
  })
  .refine(({ dataset_id, data }) => (dataset_id === undefined) !== (data === undefined), {
    message: 'give either dataset_id or data',
    path: ['dataset_id'],
  });
export type EvaluationBody = z.output<typeof evaluationBody>;

const share = z.number().min(0).max(1).nullable();
const ofOutcome = z.object({ answered: z.int(), exact: z.int(), normalised: z.int() });
const targetResult = z.object({
  name: z.string(),
  model_name: z.string().nullable(),
  prompt: z.string().nullable(),
  job_id: z.int().nullable(),
  answered: z.int().describe('Rows that are done, those that could not be asked among them.'),
  failed: z.int().describe('Rows that could not be asked. They count as wrong.'),
  exact: share.describe('The share of the rows done whose answer is the right one word for word; null before any is.'),
  normalised: share.describe('The same, forgiving case, white space, articles and punctuation around words.'),
  outcomes: z
    .record(z.enum(outcomeNames), ofOutcome)
    .nullable()
    .describe(
      'Rows of a tuned model by outcome: how many were answered so, and how many of them right. Null for others.',
    ),
  latency_ms: z
    .object({ mean: z.number(), longest: z.number() })
    .nullable()
    .describe('Time from the question to the end of its answer, with others asked at the same time.'),
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
});

export const evaluationStatus = z.enum(['running', 'completed', 'failed', 'cancelled']);

const evaluationSchema = z
  .object({
    evaluation_id: evaluationId,
    name: z.string().nullable(),
    status: evaluationStatus,
    dataset_id: datasetId.nullable(),
    rows: z.int(),
    answered: z.int().describe('Answers so far, of rows times targets.'),
    targets: z.array(targetResult),
    error: z.string().nullable(),
    created_at: isoTimestamp,
    finished_at: isoTimestamp.nullable(),
  })
  .meta({ id: 'Evaluation' });
export type Evaluation = z.infer<typeof evaluationSchema>;

const answerSchema = z.object({
  output: z.string(),
  exact: z.boolean(),
  normalised: z.boolean(),
  finish_reason: z.enum(['stop', 'length', 'error']),
  outcome: outcomeSchema.nullable().describe('Outcome of an answer of a tuned model; null of others.'),
  error: z.string().nullable().describe('Reason for which it could not be asked.'),
  latency_ms: z.number(),
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
});

const resultRow = z
  .object({
    row: z.int().describe('Counted from 1.'),
    input: z.string(),
    output: z.string().describe('The right answer.'),
    answers: z.array(answerSchema.nullable()).describe('In the order of the targets; null where there is none yet.'),
  })
  .meta({ id: 'EvaluationRow' });
export type EvaluationRow = z.infer<typeof resultRow>;

export const evaluationErrors: ErrorCode[] = [
  ...engineErrors.filter((code) => code === 'model_not_found' || code.startsWith('model_')),
  'evaluation_target_unusable',
  'evaluation_too_large',
  'too_many_evaluations',
];

export const startEvaluation = route({
  name: 'startEvaluation',
  method: 'POST',
  path: '/v1/evaluations',
  tag,
  summary: 'Ask every question of a dataset of several targets, and count the right answers',
  description:
    'A target is a model (base or tuned), or a model with a prompt before each question. Greedy, so that the same question has the same answer. ' +
    'Stored before it is acknowledged; it survives restarts, and nothing that was answered is asked again.',
  access: 'infer',
  body: evaluationBody,
  answer: evaluationSchema,
  errors: ['dataset_not_found', 'index_not_found', 'index_not_ready', ...evaluationErrors],
});

export const listEvaluations = route({
  name: 'listEvaluations',
  method: 'GET',
  path: '/v1/evaluations',
  tag,
  summary: 'The evaluations of the account, newest first',
  access: 'read',
  query: page,
  answer: z.object({ evaluations: z.array(evaluationSchema), next }),
});

export const showEvaluation = route({
  name: 'showEvaluation',
  method: 'GET',
  path: '/v1/evaluations/{id}',
  tag,
  summary: 'The progress of an evaluation, and its figures by target',
  access: 'read',
  params,
  answer: evaluationSchema,
  errors: ['evaluation_not_found'],
});

export const showEvaluationResults = route({
  name: 'showEvaluationResults',
  method: 'GET',
  path: '/v1/evaluations/{id}/results',
  tag,
  summary: 'The rows with the answers of all targets side by side',
  access: 'read',
  params,
  query: page.extend({
    outcome: optional(z.enum(outcomeNames)).describe('Only rows that a target answered so.'),
  }),
  answer: z.object({ targets: z.array(z.string()), rows: z.array(resultRow), next }),
  errors: ['evaluation_not_found'],
});

export const downloadEvaluation = route({
  name: 'downloadEvaluation',
  method: 'GET',
  path: '/v1/evaluations/{id}/results.csv',
  tag,
  summary: 'The whole table as CSV',
  description:
    'Texts stand word for word, so that programs read back what was said. A spreadsheet takes a cell that begins with `=`, `+`, `-` or `@` for a formula: `cells=safe` puts an apostrophe before it.',
  access: 'read',
  params,
  query: z.object({
    cells: optional(
      z.enum(['plain', 'safe']).describe('`safe` for spreadsheets: no cell begins like a formula. `plain` is usual.'),
    ),
  }),
  answer: z.string(),
  answerType: 'text/csv',
  errors: ['evaluation_not_found'],
});

export const cancelEvaluation = route({
  name: 'cancelEvaluation',
  method: 'POST',
  path: '/v1/evaluations/{id}/cancel',
  tag,
  summary: 'Stop an evaluation; what is answered is kept',
  access: 'infer',
  params,
  body: z.object({}),
  bodyOptional: true,
  answer: evaluationSchema,
  errors: ['evaluation_not_found', 'evaluation_over'],
});

export const deleteEvaluation = route({
  name: 'deleteEvaluation',
  method: 'DELETE',
  path: '/v1/evaluations/{id}',
  tag,
  summary: 'Stop an evaluation where it still runs, and remove its questions and answers',
  access: 'infer',
  params,
  answer: z.object({ deleted: evaluationId }),
  errors: ['evaluation_not_found'],
});

/** Number of a job's facts in its evaluation. */
export const maxFactsOfJob = 200;

export const evaluateJob = route({
  name: 'evaluateJob',
  method: 'GET',
  path: '/v1/train/jobs/{id}/eval',
  makes: true,
  tag,
  summary: 'The model of a job beside its base, on the facts that it was taught',
  description:
    `Asks the first ${maxFactsOfJob} facts of both, facts that were not learnt among them in proportion, once: the next call answers from what is kept. Where that takes longer than a minute the ` +
    'status is `running` and the results are those so far; call again, or follow the evaluation.',
  access: 'infer',
  params,
  answer: z.object({
    job_id: z.int(),
    evaluation_id: evaluationId,
    status: evaluationStatus,
    base_model: z.string(),
    model_name: z.string(),
    rows: z.int(),
    targets: z.array(targetResult),
    eval_results: z.array(
      z.object({
        input: z.string(),
        expected: z.string(),
        outputs: z
          .array(z.object({ model_name: z.string(), output: z.string() }))
          .describe('Answers of the model, then of the base.'),
      }),
    ),
  }),
  errors: ['job_not_found', 'job_without_model', ...evaluationErrors],
});
