// The refusals of tuning, evaluations and memories, a part of the table of errors.
import { memoryErrors } from './memory-errors.ts';

export const tuningErrors = {
  base_is_tuned: {
    status: 400,
    sentence: '{name} is a tuned model, and tuning on top of one is not supported.',
    hint: 'Submit a new job on its base {base} with all the data, old and new together; what is unchanged is not trained again.',
  },
  base_same: {
    status: 409,
    sentence: '{model} is on the base {base} already, and its weights are the ones that it was taught on.',
    hint: 'Name another base with "base_model"; GET /v1alpha/downloaded_models lists those that are here.',
  },
  base_misfit: {
    status: 400,
    sentence: '{model} was taught on {from}, and its experts cannot act on {base}: {reason}.',
    hint: 'A model moves to another precision of its base. On another model all of its facts are taught anew: send them to POST /v1/train. Nothing was queued.',
  },
  train_data_missing: {
    status: 400,
    sentence: 'The request names no data.',
    hint: 'Send "data" with rows of "input" and "output", or "dataset_id".',
  },
  train_data_ambiguous: {
    status: 400,
    sentence: 'The request names its data twice: {both}.',
    hint: 'Send one of them.',
  },
  upload_file_path_unknown: {
    status: 400,
    sentence: 'The upload_file_path "{path}" is not one of this server.',
    hint: 'Use the dataset_location that POST /v1/existing-data answers.',
  },
  train_type_unsupported: {
    status: 400,
    sentence: 'There is no train_type "{type}" here.',
    hint: 'Leave it out, or send "memory_tuning".',
  },
  facts_conflict: {
    status: 422,
    sentence: '{count} of the rows cannot be taught because of contradictions: {summary}.',
    hint: 'Keep one answer for each question; nothing was stored.',
  },
  facts_too_long: {
    status: 422,
    sentence: '{count} of the rows cannot be taught because of their length: {summary}.',
    hint: 'Shorten them or raise max_length; nothing was stored.',
  },
  data_points_limit: {
    status: 400,
    sentence: 'The request has {count} data points, and the account may tune on {limit} at once.',
    hint: 'Contact {contact} for support with more.',
  },
  gpus_unavailable: {
    status: 400,
    sentence: '{gpus} GPUs on {nodes} nodes were asked for, and there is no more than {most}.',
    hint: 'Ask for what there is: a job waits for it when it is busy.',
  },
  plan_timed_out: {
    status: 524,
    sentence: 'The plan was not ready after {seconds} seconds.',
    hint: 'Send a part of the facts, or shorten the longest rows: where all are short, /v1/train needs no plan.',
  },
  jobs_limit: {
    status: 429,
    sentence: 'The account has {limit} jobs that wait or run already.',
    hint: 'Wait for some of them, cancel those that are not needed, or ask {contact} for a higher limit.',
  },
  job_not_found: {
    status: 404,
    sentence: 'There is no job {id} in this account.',
    hint: 'GET /v1/train/jobs lists them.',
  },
  sweep_not_found: {
    status: 404,
    sentence: 'The job {id} is no sweep.',
    hint: 'GET /v1/train/sweep lists those.',
  },
  job_without_model: {
    status: 400,
    sentence: 'The job {id} is {status} and has no model to evaluate.',
    hint: 'A job has one once it is COMPLETED or PARTIALLY COMPLETED; a sweep makes none.',
  },
  job_not_cancellable: {
    status: 400,
    sentence: 'The job {id} is {status} already.',
    hint: 'Only a job that waits or runs can be cancelled.',
  },
  job_not_resumable: {
    status: 400,
    sentence: 'The job {id} is {status}.',
    hint: 'Only a job that failed or was cancelled can be resumed.',
  },
  job_order_over: {
    status: 409,
    sentence: 'The job {id} was ordered by the change {number} of the memory "{name}", which is over.',
    hint: 'No version would get what it makes. Order the change again; an erasure is tried again by POST /v1/memories/{name}/erasures/{number}/retry.',
  },
  resume_limit: {
    status: 400,
    sentence: 'The job {id} was resumed {limit} times, which is as often as a job can be.',
    hint: 'Send its data as a new job.',
  },
  ...memoryErrors,
  import_invalid: {
    status: 400,
    sentence: 'The file is not a tuned model that can be imported: {reason}.',
    hint: 'Nothing was stored. Send the tar file of an export (format=folder), complete and uncompressed.',
  },
  import_base_missing: {
    status: 400,
    sentence: 'The model was tuned on {base}, and no model here is that base.',
    hint: 'Nothing was stored. Add the same base (POST /v1alpha/downloaded_models, or a copy of its folder) and send the file again.',
  },
  import_base_differs: {
    status: 400,
    sentence:
      'The model was tuned on {base}. {other} is here and of the same shape, but its weights are others: another precision or version.',
    hint: 'Nothing was stored. Add that base beside it (a copy of its folder, or a download with "precision": "{precision}" into a home of its own), or move the model to the weights of {other} where it comes from (POST /v1/models/NAME/move) and export that.',
  },
  webhook_not_found: {
    status: 404,
    sentence: 'There is no webhook {id} in this account.',
    hint: 'GET /v1/webhooks lists them.',
  },
  webhook_address_refused: {
    status: 400,
    sentence: 'A webhook cannot go to {host}: it is not a public address.',
    hint: 'Name a host on the internet, or ask the operator to allow its network with LOREKEEP_WEBHOOK_NETWORKS.',
  },
  webhooks_limit: {
    status: 400,
    sentence: 'The account has {limit} webhooks already.',
    hint: 'Delete those that are no longer needed.',
  },
} as const;
