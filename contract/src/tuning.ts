// Tuning: facts become a model. The calls of the platform's clients on jobs, and ours to plan one, to watch it and to read its log.
import { z } from 'zod';
import { id, isoTimestamp, next, optional, page } from './common.ts';
import { datasetId, rowSchema } from './datasets.ts';
import type { ErrorCode } from './errors.ts';
import { finetuneArgsSchema } from './finetune-args.ts';
import { defaultGate, gatePromise, gateSchema } from './gates.ts';
import { jobStatuses } from './job-states.ts';
import { route } from './route.ts';

const tag = 'Tuning';

const status = z.enum(jobStatuses);

export const resumeLimit = 1000;

/** A name for a model, which can be moved to a newer one. It has no slash, as models of a hub have, and no @, which qualifies names of other accounts. */
export const customModelName = z
  .string()
  .regex(/^[A-Za-z0-9_][A-Za-z0-9._: -]{0,198}[A-Za-z0-9_]$|^[A-Za-z0-9_]$/, {
    error: ({ input }) =>
      String(input).includes('/')
        ? 'must not hold a slash: organisation/name is how models of a hub are called, and a tuned model must not be taken for one'
        : 'must be 1 to 200 letters, digits and . _ : - or spaces, and begin and end with a letter, digit or _',
  })
  .describe(
    'Usable as `model_name` by this account. It moves to the newest model that is tuned under it. Other accounts ask a public model as NAME@ACCOUNT.',
  );

const gpuConfig = z.object({
  gpus: optional(z.int().min(1).max(1_000_000)).describe('GPUs of each node; 1 without it.'),
  nodes: optional(z.int().min(1).max(1_000_000)).describe('1 without it.'),
});

export const trainBody = z.object({
  model_name: z
    .string()
    .min(1)
    .max(200)
    .describe('The base.')
    .meta({ examples: ['lorekeep/quill'] }),
  data: optional(z.array(rowSchema)).describe('The facts; or name a dataset.'),
  dataset_id: optional(datasetId),
  upload_file_path: optional(z.string().max(300)).describe(
    'As /v1/existing-data answers it: another way to name the dataset.',
  ),
  finetune_args: optional(finetuneArgsSchema),
  gpu_config: optional(gpuConfig),
  use_cached_model: optional(z.boolean()).describe(
    'Take over what earlier models of the account have learned from the same facts; true without it.',
  ),
  custom_model_name: optional(customModelName),
  is_public: optional(z.boolean()).describe('Other accounts may use the model and its data.'),
  train_type: optional(z.string().max(100)).describe('`memory_tuning`, which counts without it too.'),
  gate: optional(gateSchema).describe(
    `Similarity threshold above which the memory answers with a fact; \`${defaultGate}\` without it. ${gatePromise} The report of a model says what it came to.`,
  ),
  priority: optional(z.int().min(-100).max(100)).describe(
    'Jobs of a higher one go first; 0 without it. Above 0 the operator only.',
  ),
});
export type TrainBody = z.output<typeof trainBody>;

const moveCounts = z.object({
  facts_taken_over: z
    .int()
    .describe('Facts of the earlier model whose experts recited all of theirs word for word on this base.'),
  facts_taught_again: z.int().describe('Its other facts of this job.'),
});

const progressSchema = z.object({
  facts_total: z.int(),
  facts_done: z.int(),
  facts_recalled: z.int().nullable().describe('Known when the job is over.'),
  experts_total: z.int(),
  experts_done: z.int(),
  experts_reused: z.int().describe('Taken over from earlier models.'),
  move: moveCounts
    .nullable()
    .describe(
      'Facts that moved: the earlier model of the job is on another base or precision. Null for any other job.',
    ),
  eta_seconds: z
    .number()
    .nullable()
    .describe('Seconds that the job still needs, estimated anew with every look; null while it waits.'),
});
export type JobProgress = z.infer<typeof progressSchema>;

/** A job that makes no model but compares values of an argument: sweeps.ts. */
const sweepOrder = z.object({
  argument: z.string(),
  values: z.array(z.unknown()),
  facts: z.int().describe('The first so many are taught once with each value.'),
  best: z.unknown().describe('The value that recalls most; null until the job is over.'),
});

export const jobSchema = z
  .object({
    job_id: z.int(),
    status,
    start_time: z.string().describe('Time of its creation: UTC without a zone, with microseconds.'),
    model_name: z.string().nullable().describe('The tuned model, once it is saved.'),
    custom_model_name: z.string().nullable(),
    is_public: z.boolean(),
    dataset_id: z.string().nullable(),
    resume_count: z.int(),
    resume_limit: z.int(),
    history: z
      .string()
      .describe(
        'A JSON list of {loss, learning_rate, epoch, iter_time, flops, remaining_time, step}. `loss` is the mean over all facts of the job, from before the first wave (step 0) to after the last; `epoch` is the share of facts learned.',
      ),
    base_model: z.string(),
    train_type: z.string().describe('`memory_tuning` or `sweep`.'),
    finetune_args: z.record(z.string(), z.unknown()),
    gpu_config: z.object({ gpus: z.int(), nodes: z.int() }),
    use_cached_model: z.boolean(),
    sweep: sweepOrder.nullable().describe('The comparison of a job that makes no model: POST /v1/train/sweep.'),
    priority: z.int(),
    queue_position: z.int().nullable().describe('1 is the next; null when it does not wait.'),
    progress: progressSchema,
    warnings: z.array(z.string()),
    error: z.string().nullable().describe('Reason of the failure.'),
    created_at: isoTimestamp,
    finished_at: isoTimestamp.nullable(),
  })
  .meta({ id: 'TuningJob' });
export type TuningJob = z.infer<typeof jobSchema>;

export const dataErrors: ErrorCode[] = [
  'model_not_found',
  'model_loading',
  'model_downloading',
  'model_download_failed',
  'model_of_other_kind',
  'base_is_tuned',
  'upstream_only',
  'train_data_missing',
  'train_data_ambiguous',
  'train_type_unsupported',
  'upload_file_path_unknown',
  'dataset_not_found',
  'dataset_empty',
  'rows_invalid',
  'facts_conflict',
  'facts_too_long',
  'data_points_limit',
  'gpus_unavailable',
  'operator_only',
  'name_taken',
  'name_of_memory',
  'body_incomplete',
  'storage_limit',
  'engine_unavailable',
  'overloaded',
  'plan_timed_out',
];

/** Not idempotent: no idempotency key is read, and a duplicate submit makes a second job. Clients do not retry it. */
export const train = route({
  name: 'train',
  method: 'POST',
  path: '/v1/train',
  tag,
  summary: 'Tune a base on facts',
  description:
    'Everything is checked before there is a job: what is refused leaves nothing behind. The body is read as it arrives and may hold any ' +
    'number of facts.',
  access: 'tune',
  body: trainBody,
  bodyKind: 'json-stream',
  answer: z.object({
    job_id: z.int(),
    status: z.literal('CREATED'),
    dataset_id: z.string(),
  }),
  errors: [...dataErrors, 'jobs_limit'],
});

export const planTraining = route({
  name: 'planTraining',
  method: 'POST',
  path: '/v1/train/plan',
  tag,
  summary: 'The plan and cost of a tuning, without doing it',
  description:
    'Takes the body of /v1/train. Seconds and memory come from the jobs that this installation has finished.',
  access: 'tune',
  body: trainBody,
  bodyKind: 'json-stream',
  answer: z.object({
    facts: z.int().describe('Number of facts, each counted once.'),
    duplicates: z.array(z.int()).describe('Rows that repeat another one; at most 100.'),
    duplicates_total: z.int(),
    conflicts: z
      .array(z.object({ rows: z.array(z.int()), message: z.string() }))
      .describe('Rows that ask the same and answer differently; the job would be refused. At most 100.'),
    too_long: z
      .array(z.object({ row: z.int(), message: z.string() }))
      .describe('Rows that are too long, at most 100 of them.'),
    experts_to_train: z.int().nullable().describe('Null while there are conflicts.'),
    experts_to_verify: z
      .int()
      .nullable()
      .describe(
        'Those among `experts_to_train` that an earlier model on another precision of the base has: each is taken over if it recites its facts, and trained only if not.',
      ),
    experts_to_reuse: z.int().nullable(),
    seconds: z.number().nullable().describe('Running time, once it has started.'),
    seconds_from_jobs: z.int().describe('Number of finished jobs that the estimate is learned from; 0: a guess.'),
    memory_bytes: z.int().nullable().describe('Memory of each process.'),
    model_bytes: z.int().nullable().describe('Size of the model on the disk.'),
    slots: z.int(),
    queue: z.object({
      position: z.int().describe('1 is the next.'),
      slots_total: z.int(),
      slots_free: z.int(),
      seconds_until_start: z.number().nullable(),
    }),
    warnings: z.array(z.string()),
  }),
  errors: dataErrors,
});

export const listJobs = route({
  name: 'listJobs',
  method: 'GET',
  path: '/v1/train/jobs',
  tag,
  summary: 'The jobs of the account, newest first',
  access: 'read',
  query: z.object({
    limit: z.coerce.number().int().min(1).max(10_000).default(1000).describe('Maximum number of entries.'),
    after: optional(id).describe('Only jobs that are older than this one.'),
  }),
  answer: z.array(jobSchema),
});

const params = z.object({ id });

export const showJob = route({
  name: 'showJob',
  method: 'GET',
  path: '/v1/train/jobs/{id}',
  tag,
  summary: 'One job',
  access: 'read',
  params,
  answer: jobSchema,
  errors: ['job_not_found'],
});

/** Clients send `{}` or nothing. */
const nothing = z.looseObject({});

export const cancelJob = route({
  name: 'cancelJob',
  method: 'POST',
  path: '/v1/train/jobs/{id}/cancel',
  tag,
  summary: 'Stop a job; what it has finished is kept',
  access: 'tune',
  params,
  body: nothing,
  bodyOptional: true,
  answer: z.object({ status: z.literal('CANCELLED'), message: z.string() }),
  errors: ['job_not_found', 'job_not_cancellable'],
});

export const resumeJob = route({
  name: 'resumeJob',
  method: 'POST',
  path: '/v1/train/jobs/{id}/resume',
  tag,
  summary: 'Go on with a job that failed or was cancelled, from what it has finished',
  access: 'tune',
  params,
  body: nothing,
  bodyOptional: true,
  answer: z.object({ status, message: z.string() }),
  errors: [
    'job_not_found',
    'job_not_resumable',
    'job_order_over',
    'resume_limit',
    'jobs_limit',
    'name_taken',
    'name_of_memory',
  ],
});

export const cancelJobs = route({
  name: 'cancelJobs',
  method: 'POST',
  path: '/v1/train/jobs/cancel',
  tag,
  summary: 'Stop all jobs of the account that wait or run',
  access: 'tune',
  body: nothing,
  bodyOptional: true,
  answer: z.object({ status: z.literal('CANCELLED'), message: z.string(), cancelled: z.array(z.int()) }),
});

export const jobEventSchema = z
  .object({
    id: z.int(),
    job_id: z.int(),
    time: isoTimestamp,
    type: z.enum(['status', 'warning']),
    status: status.nullable(),
    reason: z.string().nullable(),
  })
  .meta({ id: 'TuningEvent' });
export type JobEvent = z.infer<typeof jobEventSchema>;

export const listJobEvents = route({
  name: 'listJobEvents',
  method: 'GET',
  path: '/v1/train/jobs/{id}/events',
  tag,
  summary: 'The events of a job with their times and reasons, oldest first',
  access: 'read',
  params,
  query: page,
  answer: z.object({ events: z.array(jobEventSchema), next }),
  errors: ['job_not_found'],
});

export const watchJob = route({
  name: 'watchJob',
  method: 'GET',
  path: '/v1/train/jobs/{id}/events/live',
  tag,
  summary: 'The same while it happens, as server-sent events',
  description:
    'Events `status` and `warning` hold a TuningEvent, `progress` the progress of the job with its queue position. Begins with all ' +
    'that was; with the header Last-Event-ID after that event. Ends when the job is over.',
  access: 'read',
  params,
  answer: z.string(),
  answerType: 'text/event-stream; charset=utf-8',
  errors: ['job_not_found'],
});

export const readJobLog = route({
  name: 'readJobLog',
  method: 'GET',
  path: '/v1/train/jobs/{id}/logs',
  tag,
  summary: 'The output of the workers of a job: its last lines',
  access: 'read',
  params,
  query: z.object({
    lines: z.coerce.number().int().min(1).max(100_000).default(1000).describe('Maximum number of lines.'),
  }),
  answer: z.array(z.string()),
  errors: ['job_not_found'],
});
