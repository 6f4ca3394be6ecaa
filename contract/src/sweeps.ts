// Sweeps: one argument of the tuning tried with several values on a part of the facts, as one job, to find the best value.
import { z } from 'zod';
import { id, optional } from './common.ts';
import { argumentProblem, finetuneArgs } from './finetune-args.ts';
import { route } from './route.ts';
import { dataErrors, jobSchema, trainBody } from './tuning.ts';

const tag = 'Tuning';

/** Maximum number of values that a sweep compares. */
export const maxSweepValues = 100;
/** Defaults of the console and the command line; `facts` also counts for every request that does not say how many. */
export const defaultSweep = { argument: 'learning_rate', values: [1e-4, 3e-4, 9e-4], facts: 100 };

const { model_name, data, dataset_id, upload_file_path, finetune_args, priority } = trainBody.shape;

/** The number of facts is set by `facts`. */
export const sweepArguments = Object.keys(finetuneArgs).filter((name) => name !== 'max_finetuning_examples');

const fields = z.object({
  model_name,
  dataset_id,
  upload_file_path,
  finetune_args,
  argument: z
    .enum(sweepArguments as [string, ...string[]])
    .describe('The argument that is tried; what finetune_args says of it does not count.'),
  values: z
    .array(z.unknown())
    .min(1)
    .max(maxSweepValues)
    .describe('In the order of the results; null is the argument left out.')
    .meta({ examples: [defaultSweep.values] }),
  facts: optional(z.int().min(1).max(1_000_000_000)).describe(
    `The first so many are taught once with each value; ${defaultSweep.facts} without it.`,
  ),
  priority,
});

function holdValues(
  { argument, values }: { argument: string; values: unknown[] },
  context: z.core.$RefinementCtx,
): void {
  const seen = new Map<string, number>();
  for (const [place, value] of values.entries()) {
    const before = seen.get(JSON.stringify(value));
    const message =
      argumentProblem(argument, value) ?? (before === undefined ? undefined : `is the same as value ${before + 1}`);
    if (message !== undefined) context.addIssue({ code: 'custom', path: ['values', place], message });
    seen.set(JSON.stringify(value), place);
  }
}

/** Fields besides the rows. */
export const sweepFields = fields.superRefine(holdValues);
export const sweepBody = fields.extend({ data }).superRefine(holdValues);
export type SweepBody = z.output<typeof sweepBody>;

export const trialSchema = z.object({
  value: z.unknown(),
  facts: z.int(),
  facts_recalled: z.int().describe('Recited word for word, by free greedy generation.'),
  recall: z.number().describe('Their share.'),
  experts: z.int(),
  steps: z.number().describe('Steps of an expert, the mean.'),
  restarts: z.int().describe('Experts that diverged and were begun anew.'),
  loss: z.number().nullable().describe('Loss at the end, the mean over all experts.'),
  learning_rate_effective: z.number(),
  seconds: z.number(),
  curve: z
    .array(z.object({ step: z.int(), loss: z.number().nullable() }))
    .describe('The mean over all experts at each step; at most 200 points.'),
});
export type Trial = z.infer<typeof trialSchema>;

export const sweepSchema = jobSchema
  .extend({ trials: z.array(trialSchema).describe('Trials of the values that are done, in the order of the request.') })
  .meta({ id: 'Sweep' });
export type Sweep = z.infer<typeof sweepSchema>;

export const sweep = route({
  name: 'sweep',
  method: 'POST',
  path: '/v1/train/sweep',
  tag,
  summary: 'Try values of an argument on a part of the facts, and see which is best',
  description:
    'One job in the queue, which takes one slot and makes no model. It is watched, cancelled and resumed as any job. The best value recalls ' +
    'most; among equals it needs the fewest steps.',
  access: 'tune',
  body: sweepBody,
  bodyKind: 'json-stream',
  answer: z.object({
    job_id: z.int(),
    status: z.literal('CREATED'),
    dataset_id: z.string(),
  }),
  errors: [...dataErrors.filter((code) => code !== 'name_taken' && code !== 'train_type_unsupported'), 'jobs_limit'],
});

export const listSweeps = route({
  name: 'listSweeps',
  method: 'GET',
  path: '/v1/train/sweep',
  tag,
  summary: 'The sweeps of the account, newest first',
  access: 'read',
  query: z.object({
    limit: z.coerce.number().int().min(1).max(10_000).default(1000).describe('Maximum number of entries.'),
    after: optional(id).describe('Only sweeps that are older than this one.'),
  }),
  answer: z.array(jobSchema),
});

export const showSweep = route({
  name: 'showSweep',
  method: 'GET',
  path: '/v1/train/sweep/{id}',
  tag,
  summary: 'One sweep: the loss curves and the recall of its values side by side',
  access: 'read',
  params: z.object({ id }),
  answer: sweepSchema,
  errors: ['job_not_found', 'sweep_not_found'],
});
