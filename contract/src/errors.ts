// The one table of errors: code -> status, sentence and hint. Everything the service refuses, it refuses in these words;
// docs/reference/errors.md is made from this table. `{name}` is a place that the thrower must fill.

import { downloadErrors } from './download-errors.ts';
import { generationErrors } from './generation-errors.ts';
import { tuningErrors } from './tuning-errors.ts';
import { upstreamErrors } from './upstream-errors.ts';

interface Entry {
  status: number;
  sentence: string;
  hint: string;
}

export const errors = {
  // the request
  validation: {
    status: 422,
    sentence: 'The request does not fit the schema: {summary}.',
    hint: 'Each entry of detail names a place, what is wrong there and the kind of mistake.',
  },
  rows_invalid: {
    status: 422,
    sentence: '{count} of the rows cannot be accepted: {summary}.',
    hint: 'Correct or remove the rows that detail names and send the data again; nothing was stored.',
  },
  json_invalid: {
    status: 400,
    sentence: 'The body is not valid JSON: {reason}.',
    hint: 'Send one JSON value in UTF-8.',
  },
  body_missing: {
    status: 400,
    sentence: 'The request has no body.',
    hint: 'Send a JSON body with Content-Type: application/json.',
  },
  body_incomplete: {
    status: 400,
    sentence: 'The body ended before it was complete.',
    hint: 'Nothing was stored. Send the whole request again.',
  },
  body_too_slow: {
    status: 408,
    sentence: 'The request arrived too slowly: {reason}.',
    hint: 'Nothing was stored. Send it again over a faster connection, or change LOREKEEP_BODY_TIMEOUT, LOREKEEP_UPLOAD_RATE and LOREKEEP_UPLOAD_TIMEOUT.',
  },
  body_too_large: {
    status: 413,
    sentence: 'The body is larger than the {limit} bytes that this call takes.',
    hint: 'Send less at once; large data goes in as a dataset: POST /v1/datasets.',
  },
  content_type_unsupported: {
    status: 415,
    sentence: 'The content type {type} is not accepted here.',
    hint: 'Send {expected}.',
  },
  content_encoding_unsupported: {
    status: 415,
    sentence: 'A body with Content-Encoding {encoding} is not accepted.',
    hint: 'Send the body uncompressed.',
  },
  upload_invalid: {
    status: 400,
    sentence: 'The upload cannot be read: {reason}.',
    hint: 'Send multipart/form-data with one part named "file".',
  },
  file_type_unsupported: {
    status: 400,
    sentence: 'The file {file} {looks}.',
    hint: 'Send JSON lines (.jsonl), CSV with a header row (.csv) or Parquet (.parquet).',
  },
  file_unreadable: {
    status: 400,
    sentence: 'The file {file} cannot be read: {reason}.',
    hint: 'Nothing was stored. Check the file and send it again.',
  },
  dataset_empty: {
    status: 400,
    sentence: 'The data holds no rows.',
    hint: 'Send at least one row with "input" and "output".',
  },
  upload_base_path_unknown: {
    status: 400,
    sentence: 'The upload base path "{path}" is not one of this server.',
    hint: 'Use the one that GET /v1/get-upload-base-path answers: "local".',
  },

  // authentication
  sign_in_wrong: {
    status: 401,
    sentence: 'The account or the password is wrong.',
    hint: 'Try again, or get a new link for the password: ./lorekeep accounts link NAME on the host, or ask {contact}.',
  },
  session_over: {
    status: 401,
    sentence: 'You are not signed in any more.',
    hint: 'Sign in again.',
  },
  link_unknown: {
    status: 401,
    sentence: 'This link was used already, has expired, or was not copied completely.',
    hint: 'Get a new one: ./lorekeep accounts link NAME on the host, or ask {contact}.',
  },
  csrf_missing: {
    status: 403,
    sentence: 'This call comes from a browser and lacks the token that shows that the page is ours.',
    hint: 'Reload the page; programs use an API key instead of the cookie.',
  },
  too_many_attempts: {
    status: 429,
    sentence: 'There were too many attempts to sign in.',
    hint: 'Try again in {seconds} s.',
  },
  key_missing: {
    status: 401,
    sentence: 'This call needs an API key.',
    hint: 'Send the header "Authorization: Bearer <key>". Make a key with ./lorekeep keys create.',
  },
  key_unknown: {
    status: 401,
    sentence: 'The API key is not known here.',
    hint: 'Check that it was copied completely, or make a new one with ./lorekeep keys create.',
  },
  key_expired: {
    status: 401,
    sentence: 'The API key "{name}" expired at {at}.',
    hint: 'Make a new one, or rotate keys before they expire.',
  },
  key_revoked: {
    status: 401,
    sentence: 'The API key "{name}" was revoked at {at}.',
    hint: 'Use another key of the account.',
  },
  account_disabled: {
    status: 401,
    sentence: 'The account "{name}" is disabled.',
    hint: 'Ask the operator of this installation to enable it.',
  },
  scope_missing: {
    status: 403,
    sentence: 'The API key "{name}" does not have the scope "{scope}" that this call needs.',
    hint: 'Use a key with that scope.',
  },
  operator_only: {
    status: 403,
    sentence: 'Only keys of the operator account may do this.',
    hint: 'Ask the operator of this installation.',
  },
  key_too_strong: {
    status: 403,
    sentence: 'A key cannot make a key that may do more than itself: {reason}.',
    hint: 'Ask for fewer scopes or an earlier expiry, or use a stronger key.',
  },

  // limits
  rate_limited: {
    status: 429,
    sentence: 'The account has used its {limit} requests a minute.',
    hint: 'Wait {seconds} s and try again, or ask {contact} for a higher limit.',
  },
  storage_limit: {
    status: 400,
    sentence: 'The account may store {limit} bytes, and this would take it over them.',
    hint: 'Delete datasets that are no longer needed, or ask {contact} for a higher limit.',
  },

  // objects that exist or not
  route_not_found: {
    status: 404,
    sentence: 'There is nothing at {method} {path}.',
    hint: 'The calls that exist are listed at /docs.',
  },
  method_not_allowed: {
    status: 405,
    sentence: '{path} does not answer {method}.',
    hint: 'It answers {allowed}.',
  },
  account_not_found: {
    status: 404,
    sentence: 'There is no account {id}.',
    hint: 'GET /v1/accounts lists them.',
  },
  key_not_found: {
    status: 404,
    sentence: 'There is no key {id} in this account.',
    hint: 'GET /v1/keys lists them.',
  },
  keys_limit: {
    status: 400,
    sentence: 'The account already has {limit} active keys, the most that it may have.',
    hint: 'Revoke those that are no longer needed, or ask the operator for a higher limit.',
  },
  key_not_active: {
    status: 400,
    sentence: 'The key "{name}" is {status} and cannot be rotated.',
    hint: 'Make a new key instead.',
  },
  dataset_not_found: {
    status: 404,
    sentence: 'There is no dataset {id} in this account.',
    hint: 'GET /v1/datasets lists them.',
  },
  index_not_found: {
    status: 404,
    sentence: 'There is no document index {id} in this account.',
    hint: 'GET /v1/indexes lists them.',
  },
  index_answers_chats: {
    status: 400,
    sentence: '{name} is a document index, which answers conversations and does not go on from a text.',
    hint: 'Ask POST /inf/chat/completions, or POST /alpha/memory-rag/completions with a prompt.',
  },
  index_not_ready: {
    status: 400,
    sentence: 'Trained memory rag model {id} status is not COMPLETED, current status: {status}.',
    hint: '{advice}',
  },
  index_file_not_found: {
    status: 404,
    sentence: 'There is no file {file} in the document index {id}.',
    hint: 'GET /v1/indexes/{id}/files lists them.',
  },
  documents_invalid: {
    status: 400,
    sentence: 'The documents cannot be accepted: {reason}.',
    hint: 'Nothing was stored. Send multipart/form-data with a part "files" for each file.',
  },
  text_not_added: {
    status: 400,
    sentence: 'The text could not be added to the document index {id}: {reason}.',
    hint: 'Nothing of it is in the index.',
  },
  too_many_indexes: {
    status: 429,
    sentence: 'The account has {limit} document indexes that are being built.',
    hint: 'Wait for some of them, or cancel those that are no longer needed.',
  },
  // An unknown model. OpenAI's clients get 404 (openai-errors.ts).
  model_not_found: {
    status: 594,
    sentence: 'There is no model "{name}" here.',
    hint: 'GET /v1/models lists those that can be asked; POST /v1alpha/downloaded_models downloads one from a hub.',
  },
  model_not_tuned: {
    status: 404,
    sentence: '"{name}" can be asked, but is no tuned model.',
    hint: 'This call is for models that jobs have made. The operator deletes a downloaded base with DELETE /v1alpha/downloaded_models/NAME; lorekeep/quill ships with Lorekeep and stays. A document index is deleted with DELETE /v1/indexes/NUMBER.',
  },
  model_loading: {
    status: 513,
    sentence: 'Loading {name}: {progress}.',
    hint: 'It is here and is being read into memory. Try again in a few seconds.',
  },
  model_downloading: {
    status: 513,
    sentence: '{work} {name}: {progress}.',
    hint: 'It is on its way from the hub. Try again in a few seconds.',
  },
  model_unusable: {
    status: 400,
    sentence: 'The model {name} cannot be used: {reason}.',
    hint: 'Its folder has to hold safetensors weights, config.json and tokenizer.json of a family that is known here.',
  },
  data_damaged: {
    status: 500,
    sentence: 'The {what} {name} is damaged: {reason}.',
    hint: 'The stored data is not used. Restore it from a backup, or create it again: a tuned model by its job or an import, a base by a download, a dataset or document by an upload.',
  },
  export_refused: {
    status: 400,
    sentence: '{name} cannot be exported as {format}: {reason}.',
    hint: 'Choose another format; `folder` takes every model.',
  },
  ...downloadErrors,
  model_of_other_kind: {
    status: 400,
    sentence: 'The model {name} is made to {kind}, which is not what was asked of it.',
    hint: 'GET /v1alpha/downloaded_models says what each model is for.',
  },
  run_not_found: {
    status: 404,
    sentence: 'There is no batch or stream {id} in this account.',
    hint: 'GET /v1/batch_completions lists them; results are removed some days after they are complete.',
  },
  run_failed: {
    status: 400,
    sentence: 'The batch {id} failed: {reason}',
    hint: 'Send it again once the cause is fixed.',
  },
  evaluation_not_found: {
    status: 404,
    sentence: 'There is no evaluation {id} in this account.',
    hint: 'GET /v1/evaluations lists them.',
  },
  evaluation_over: {
    status: 400,
    sentence: 'The evaluation {id} is {status} already.',
    hint: 'Its results are at GET /v1/evaluations/{id}/results.',
  },
  evaluation_target_unusable: {
    status: 400,
    sentence: 'The target number {number} cannot be evaluated: {reason}.',
    hint: 'A target has a model_name and optionally a prompt that is put before each question.',
  },
  evaluation_too_large: {
    status: 400,
    sentence: 'The evaluation is too large: {reason}.',
    hint: 'Ask fewer rows with max_rows, or fewer targets.',
  },
  too_many_evaluations: {
    status: 429,
    sentence: 'The account has {limit} evaluations that are not complete.',
    hint: 'Wait for some of them, or cancel those that are no longer needed.',
  },
  name_taken: {
    status: 497,
    sentence: 'The name "{name}" is already taken.',
    hint: 'Choose another name.',
  },
  operator_account: {
    status: 400,
    sentence: 'The operator account cannot be {action}.',
    hint: 'This installation could no longer be managed without it.',
  },

  // tuning
  ...tuningErrors,
  // generation
  ...generationErrors,
  ...upstreamErrors,
  // the service itself
  engine_unavailable: {
    status: 503,
    sentence: 'The engine cannot be asked now: {reason}.',
    hint: 'Try again in a few seconds.',
  },
  overloaded: {
    status: 503,
    sentence: 'The server is overloaded: {reason}.',
    hint: 'Try again in a few seconds.',
  },
  out_of_memory: {
    status: 503,
    sentence: 'The memory does not suffice for this: {reason}.',
    hint: 'Ask for less at once, or give the engine more memory.',
  },
  headers_too_large: {
    status: 431,
    sentence: 'The request headers are larger than {limit} bytes.',
    hint: 'Send smaller headers.',
  },
  request_malformed: {
    status: 400,
    sentence: 'The request is not valid HTTP: {reason}.',
    hint: 'Check the client or the proxy between.',
  },
  storage_full: {
    status: 507,
    sentence: 'The disk of the server is full.',
    hint: 'Nothing was stored. The operator has to free space below {home}.',
  },
  storage_unavailable: {
    status: 503,
    sentence: 'The storage cannot be used now: {reason}.',
    hint: 'Try again in a moment. Nothing was stored; the log of the server shows the operator the reason.',
  },
  busy: {
    status: 503,
    sentence: 'The server is {state}.',
    hint: 'Try again in a few seconds.',
  },
  internal: {
    status: 500,
    sentence: 'Something went wrong on the server (request {request}).',
    hint: 'Try again; if it happens again, look the request up in the log of the server.',
  },
} as const satisfies Record<string, Entry>;

export type ErrorCode = keyof typeof errors;
