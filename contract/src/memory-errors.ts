// The refusals of facts and memories, a part of the table of errors.
import { erasureErrors } from './erasure-errors.ts';

export const memoryErrors = {
  fact_not_found: {
    status: 404,
    sentence: 'The model has no fact with the question "{input}".',
    hint: 'GET /v1/models/{model}/facts lists them; write the question as it was taught.',
  },
  nothing_left: {
    status: 400,
    sentence: 'No fact of the model would be left.',
    hint: 'Delete the model instead: DELETE /v1/models/{model}.',
  },
  memory_not_found: {
    status: 404,
    sentence: 'There is no memory "{name}" in this account.',
    hint: 'GET /v1/memories lists them.',
  },
  memory_empty: {
    status: 409,
    sentence: 'The memory "{name}" has no version yet.',
    hint: 'Wait for its first job: GET /v1/memories/{name}/changes tells how far it is.',
  },
  version_not_found: {
    status: 404,
    sentence: 'The memory "{name}" has no version {version}.',
    hint: 'GET /v1/memories/{name}/versions lists them.',
  },
  change_not_found: {
    status: 404,
    sentence: 'The memory "{name}" has no change {number}.',
    hint: 'GET /v1/memories/{name}/changes lists them.',
  },
  change_invalid: {
    status: 422,
    sentence: '{count} of the facts cannot be changed as requested: {summary}.',
    hint: 'Correct those that detail names and send the change again; nothing was changed.',
  },
  memory_changed: {
    status: 409,
    sentence: 'The memory "{name}" is not at version {expected} any more: {state}.',
    hint: 'Check its current facts, and send the change again with the current version.',
  },
  fact_in_change: {
    status: 409,
    sentence: 'The change {number} by {who}, which is not over, concerns the fact "{input}" as well.',
    hint: 'Wait for it: GET /v1/memories/{name}/changes/{number}. Nothing was changed.',
  },
  gate_not_found: {
    status: 404,
    sentence: 'The memory "{name}" has no gate.',
    hint: 'POST /v1/memories/{name}/gate sets one.',
  },
  gate_invalid: {
    status: 422,
    sentence: 'The dataset cannot be the set of this gate: {reason}.',
    hint: 'Take another dataset, or leave the bar out. The gate is as it was.',
  },
  gate_not_checked: {
    status: 404,
    sentence: 'Version {version} of the memory "{name}" was not checked by a gate.',
    hint: 'A gate checks the versions that are made while it is set. GET /v1/memories/{name}/gate shows it.',
  },
  gate_not_held: {
    status: 409,
    sentence: 'Version {version} does not hold the gate of the memory "{name}": {failing}.',
    hint: 'GET /v1/memories/{name}/versions/{version}/regressions lists rows. To publish it anyway, send "force": true and a reason.',
  },
  gate_not_passed: {
    status: 409,
    sentence: 'Version {version} of the memory "{name}" was never published, and its gate has not checked it.',
    hint: 'Send a change, whose version is checked; or publish this one with "force": true and a reason.',
  },
  comparison_invalid: {
    status: 422,
    sentence: 'The answers of versions {from} and {to} cannot be compared: {reason}.',
    hint: 'Name two versions with "from" and "to", and an evaluation set with "dataset_id".',
  },
  comparison_not_found: {
    status: 404,
    sentence: 'The memory "{name}" has no comparison {id}.',
    hint: 'POST /v1/memories/{name}/comparisons starts one. A comparison ends with its evaluation, and where a version was rebuilt without an erased fact.',
  },
  proposal_not_found: {
    status: 404,
    sentence: 'The memory "{name}" has no proposal {number}.',
    hint: 'GET /v1/memories/{name}/proposals?state=all lists them.',
  },
  proposal_decided: {
    status: 409,
    sentence: 'The proposal {number} is {state} already, by {who}.',
    hint: 'Leave it out and send the others again; nothing was changed.',
  },
  proposals_invalid: {
    status: 422,
    sentence: '{count} of the proposals cannot be accepted as requested: {summary}.',
    hint: 'Correct or leave out those that detail names and send the others again; nothing was changed.',
  },
  proposals_full: {
    status: 409,
    sentence: 'The memory "{name}" has {count} open proposals; there may be {limit}.',
    hint: 'Accept or reject some first.',
  },
  reading_not_found: {
    status: 404,
    sentence: 'The memory "{name}" has no reading {id}.',
    hint: 'GET /v1/memories/{name}/readings lists them.',
  },
  answer_unknown: {
    status: 404,
    sentence:
      'Nothing is kept of an answer {id}: the account does not keep decision records, it is too old, or it is not of this account.',
    hint: 'Send model and input with it, or opt in with PATCH /v1/feedback/settings.',
  },
  name_of_memory: {
    status: 409,
    sentence: 'The name "{name}" is that of a memory.',
    hint: 'A memory moves its name itself: POST /v1/memories/{name}/changes or /publish. Or choose another name.',
  },
  model_of_memory: {
    status: 409,
    sentence: 'The model is version {version} of the memory "{name}".',
    hint: 'Delete the memory first: DELETE /v1/memories/{name}.',
  },
  ...erasureErrors,
} as const;
