// Made from contract/ by `./lorekeep check --write`; not edited by hand.
import {
  AuthenticationError,
  InvalidRequestError,
  LimitError,
  NotFoundError,
  PermissionError,
  ServerError,
  UnavailableError,
} from '../errors.ts';

/** 422: The request does not fit the schema: {summary}. Each entry of detail names a place, what is wrong there and the kind of mistake. */
export class ValidationError extends InvalidRequestError {
  declare readonly code: 'validation';
}

/** 422: {count} of the rows cannot be accepted: {summary}. Correct or remove the rows that detail names and send the data again; nothing was stored. */
export class RowsInvalidError extends InvalidRequestError {
  declare readonly code: 'rows_invalid';
}

/** 400: The body is not valid JSON: {reason}. Send one JSON value in UTF-8. */
export class JsonInvalidError extends InvalidRequestError {
  declare readonly code: 'json_invalid';
}

/** 400: The request has no body. Send a JSON body with Content-Type: application/json. */
export class BodyMissingError extends InvalidRequestError {
  declare readonly code: 'body_missing';
}

/** 400: The body ended before it was complete. Nothing was stored. Send the whole request again. */
export class BodyIncompleteError extends InvalidRequestError {
  declare readonly code: 'body_incomplete';
}

/** 408: The request arrived too slowly: {reason}. Nothing was stored. Send it again over a faster connection, or change LOREKEEP_BODY_TIMEOUT, LOREKEEP_UPLOAD_RATE and LOREKEEP_UPLOAD_TIMEOUT. */
export class BodyTooSlowError extends InvalidRequestError {
  declare readonly code: 'body_too_slow';
}

/** 413: The body is larger than the {limit} bytes that this call takes. Send less at once; large data goes in as a dataset: POST /v1/datasets. */
export class BodyTooLargeError extends InvalidRequestError {
  declare readonly code: 'body_too_large';
}

/** 415: The content type {type} is not accepted here. Send {expected}. */
export class ContentTypeUnsupportedError extends InvalidRequestError {
  declare readonly code: 'content_type_unsupported';
}

/** 415: A body with Content-Encoding {encoding} is not accepted. Send the body uncompressed. */
export class ContentEncodingUnsupportedError extends InvalidRequestError {
  declare readonly code: 'content_encoding_unsupported';
}

/** 400: The upload cannot be read: {reason}. Send multipart/form-data with one part named "file". */
export class UploadInvalidError extends InvalidRequestError {
  declare readonly code: 'upload_invalid';
}

/** 400: The file {file} {looks}. Send JSON lines (.jsonl), CSV with a header row (.csv) or Parquet (.parquet). */
export class FileTypeUnsupportedError extends InvalidRequestError {
  declare readonly code: 'file_type_unsupported';
}

/** 400: The file {file} cannot be read: {reason}. Nothing was stored. Check the file and send it again. */
export class FileUnreadableError extends InvalidRequestError {
  declare readonly code: 'file_unreadable';
}

/** 400: The data holds no rows. Send at least one row with "input" and "output". */
export class DatasetEmptyError extends InvalidRequestError {
  declare readonly code: 'dataset_empty';
}

/** 400: The upload base path "{path}" is not one of this server. Use the one that GET /v1/get-upload-base-path answers: "local". */
export class UploadBasePathUnknownError extends InvalidRequestError {
  declare readonly code: 'upload_base_path_unknown';
}

/** 401: The account or the password is wrong. Try again, or get a new link for the password: ./lorekeep accounts link NAME on the host, or ask {contact}. */
export class SignInWrongError extends AuthenticationError {
  declare readonly code: 'sign_in_wrong';
}

/** 401: You are not signed in any more. Sign in again. */
export class SessionOverError extends AuthenticationError {
  declare readonly code: 'session_over';
}

/** 401: This link was used already, has expired, or was not copied completely. Get a new one: ./lorekeep accounts link NAME on the host, or ask {contact}. */
export class LinkUnknownError extends AuthenticationError {
  declare readonly code: 'link_unknown';
}

/** 403: This call comes from a browser and lacks the token that shows that the page is ours. Reload the page; programs use an API key instead of the cookie. */
export class CsrfMissingError extends PermissionError {
  declare readonly code: 'csrf_missing';
}

/** 429: There were too many attempts to sign in. Try again in {seconds} s. */
export class TooManyAttemptsError extends LimitError {
  declare readonly code: 'too_many_attempts';
}

/** 401: This call needs an API key. Send the header "Authorization: Bearer <key>". Make a key with ./lorekeep keys create. */
export class KeyMissingError extends AuthenticationError {
  declare readonly code: 'key_missing';
}

/** 401: The API key is not known here. Check that it was copied completely, or make a new one with ./lorekeep keys create. */
export class KeyUnknownError extends AuthenticationError {
  declare readonly code: 'key_unknown';
}

/** 401: The API key "{name}" expired at {at}. Make a new one, or rotate keys before they expire. */
export class KeyExpiredError extends AuthenticationError {
  declare readonly code: 'key_expired';
}

/** 401: The API key "{name}" was revoked at {at}. Use another key of the account. */
export class KeyRevokedError extends AuthenticationError {
  declare readonly code: 'key_revoked';
}

/** 401: The account "{name}" is disabled. Ask the operator of this installation to enable it. */
export class AccountDisabledError extends AuthenticationError {
  declare readonly code: 'account_disabled';
}

/** 403: The API key "{name}" does not have the scope "{scope}" that this call needs. Use a key with that scope. */
export class ScopeMissingError extends PermissionError {
  declare readonly code: 'scope_missing';
}

/** 403: Only keys of the operator account may do this. Ask the operator of this installation. */
export class OperatorOnlyError extends PermissionError {
  declare readonly code: 'operator_only';
}

/** 403: A key cannot make a key that may do more than itself: {reason}. Ask for fewer scopes or an earlier expiry, or use a stronger key. */
export class KeyTooStrongError extends PermissionError {
  declare readonly code: 'key_too_strong';
}

/** 429: The account has used its {limit} requests a minute. Wait {seconds} s and try again, or ask {contact} for a higher limit. */
export class RateLimitedError extends LimitError {
  declare readonly code: 'rate_limited';
}

/** 400: The account may store {limit} bytes, and this would take it over them. Delete datasets that are no longer needed, or ask {contact} for a higher limit. */
export class StorageLimitError extends InvalidRequestError {
  declare readonly code: 'storage_limit';
}

/** 404: There is nothing at {method} {path}. The calls that exist are listed at /docs. */
export class RouteNotFoundError extends NotFoundError {
  declare readonly code: 'route_not_found';
}

/** 405: {path} does not answer {method}. It answers {allowed}. */
export class MethodNotAllowedError extends InvalidRequestError {
  declare readonly code: 'method_not_allowed';
}

/** 404: There is no account {id}. GET /v1/accounts lists them. */
export class AccountNotFoundError extends NotFoundError {
  declare readonly code: 'account_not_found';
}

/** 404: There is no key {id} in this account. GET /v1/keys lists them. */
export class KeyNotFoundError extends NotFoundError {
  declare readonly code: 'key_not_found';
}

/** 400: The account already has {limit} active keys, the most that it may have. Revoke those that are no longer needed, or ask the operator for a higher limit. */
export class KeysLimitError extends InvalidRequestError {
  declare readonly code: 'keys_limit';
}

/** 400: The key "{name}" is {status} and cannot be rotated. Make a new key instead. */
export class KeyNotActiveError extends InvalidRequestError {
  declare readonly code: 'key_not_active';
}

/** 404: There is no dataset {id} in this account. GET /v1/datasets lists them. */
export class DatasetNotFoundError extends NotFoundError {
  declare readonly code: 'dataset_not_found';
}

/** 404: There is no document index {id} in this account. GET /v1/indexes lists them. */
export class IndexNotFoundError extends NotFoundError {
  declare readonly code: 'index_not_found';
}

/** 400: {name} is a document index, which answers conversations and does not go on from a text. Ask POST /inf/chat/completions, or POST /alpha/memory-rag/completions with a prompt. */
export class IndexAnswersChatsError extends InvalidRequestError {
  declare readonly code: 'index_answers_chats';
}

/** 400: Trained memory rag model {id} status is not COMPLETED, current status: {status}. {advice} */
export class IndexNotReadyError extends InvalidRequestError {
  declare readonly code: 'index_not_ready';
}

/** 404: There is no file {file} in the document index {id}. GET /v1/indexes/{id}/files lists them. */
export class IndexFileNotFoundError extends NotFoundError {
  declare readonly code: 'index_file_not_found';
}

/** 400: The documents cannot be accepted: {reason}. Nothing was stored. Send multipart/form-data with a part "files" for each file. */
export class DocumentsInvalidError extends InvalidRequestError {
  declare readonly code: 'documents_invalid';
}

/** 400: The text could not be added to the document index {id}: {reason}. Nothing of it is in the index. */
export class TextNotAddedError extends InvalidRequestError {
  declare readonly code: 'text_not_added';
}

/** 429: The account has {limit} document indexes that are being built. Wait for some of them, or cancel those that are no longer needed. */
export class TooManyIndexesError extends LimitError {
  declare readonly code: 'too_many_indexes';
}

/** 594: There is no model "{name}" here. GET /v1/models lists those that can be asked; POST /v1alpha/downloaded_models downloads one from a hub. */
export class ModelNotFoundError extends NotFoundError {
  declare readonly code: 'model_not_found';
}

/** 404: "{name}" can be asked, but is no tuned model. This call is for models that jobs have made. The operator deletes a downloaded base with DELETE /v1alpha/downloaded_models/NAME; lorekeep/quill ships with Lorekeep and stays. A document index is deleted with DELETE /v1/indexes/NUMBER. */
export class ModelNotTunedError extends NotFoundError {
  declare readonly code: 'model_not_tuned';
}

/** 513: Loading {name}: {progress}. It is here and is being read into memory. Try again in a few seconds. */
export class ModelLoadingError extends UnavailableError {
  declare readonly code: 'model_loading';
}

/** 513: {work} {name}: {progress}. It is on its way from the hub. Try again in a few seconds. */
export class ModelDownloadingError extends UnavailableError {
  declare readonly code: 'model_downloading';
}

/** 400: The model {name} cannot be used: {reason}. Its folder has to hold safetensors weights, config.json and tokenizer.json of a family that is known here. */
export class ModelUnusableError extends InvalidRequestError {
  declare readonly code: 'model_unusable';
}

/** 500: The {what} {name} is damaged: {reason}. The stored data is not used. Restore it from a backup, or create it again: a tuned model by its job or an import, a base by a download, a dataset or document by an upload. */
export class DataDamagedError extends ServerError {
  declare readonly code: 'data_damaged';
}

/** 400: {name} cannot be exported as {format}: {reason}. Choose another format; `folder` takes every model. */
export class ExportRefusedError extends InvalidRequestError {
  declare readonly code: 'export_refused';
}

/** 400: The model {name} could not be downloaded: {reason}. POST it to /v1alpha/downloaded_models again once that is fixed; it continues from the stored part. */
export class ModelDownloadFailedError extends InvalidRequestError {
  declare readonly code: 'model_download_failed';
}

/** 400: "{name}" cannot be the name of a model to download: {reason}. Write it as on the hub, such as organisation/name. */
export class ModelNameInvalidError extends InvalidRequestError {
  declare readonly code: 'model_name_invalid';
}

/** 409: The model {name} is here already, and its weights have the precision {precision}, not {wished}. Ask for it without a precision to use it as it is, or delete it and download it again. Models tuned on it are moved afterwards: POST /v1/models/MODEL/move. */
export class ModelPrecisionDiffersError extends InvalidRequestError {
  declare readonly code: 'model_precision_differs';
}

/** 400: The model {name} belongs to the product and cannot be deleted. Models that were downloaded or put below the home can be. */
export class ModelBuiltInError extends InvalidRequestError {
  declare readonly code: 'model_built_in';
}

/** 429: The account has {limit} downloads that wait or run already. Ask for more when some of them are complete. */
export class DownloadsLimitError extends LimitError {
  declare readonly code: 'downloads_limit';
}

/** 400: The model {name} is made to {kind}, which is not what was asked of it. GET /v1alpha/downloaded_models says what each model is for. */
export class ModelOfOtherKindError extends InvalidRequestError {
  declare readonly code: 'model_of_other_kind';
}

/** 404: There is no batch or stream {id} in this account. GET /v1/batch_completions lists them; results are removed some days after they are complete. */
export class RunNotFoundError extends NotFoundError {
  declare readonly code: 'run_not_found';
}

/** 400: The batch {id} failed: {reason} Send it again once the cause is fixed. */
export class RunFailedError extends InvalidRequestError {
  declare readonly code: 'run_failed';
}

/** 404: There is no evaluation {id} in this account. GET /v1/evaluations lists them. */
export class EvaluationNotFoundError extends NotFoundError {
  declare readonly code: 'evaluation_not_found';
}

/** 400: The evaluation {id} is {status} already. Its results are at GET /v1/evaluations/{id}/results. */
export class EvaluationOverError extends InvalidRequestError {
  declare readonly code: 'evaluation_over';
}

/** 400: The target number {number} cannot be evaluated: {reason}. A target has a model_name and optionally a prompt that is put before each question. */
export class EvaluationTargetUnusableError extends InvalidRequestError {
  declare readonly code: 'evaluation_target_unusable';
}

/** 400: The evaluation is too large: {reason}. Ask fewer rows with max_rows, or fewer targets. */
export class EvaluationTooLargeError extends InvalidRequestError {
  declare readonly code: 'evaluation_too_large';
}

/** 429: The account has {limit} evaluations that are not complete. Wait for some of them, or cancel those that are no longer needed. */
export class TooManyEvaluationsError extends LimitError {
  declare readonly code: 'too_many_evaluations';
}

/** 497: The name "{name}" is already taken. Choose another name. */
export class NameTakenError extends InvalidRequestError {
  declare readonly code: 'name_taken';
}

/** 400: The operator account cannot be {action}. This installation could no longer be managed without it. */
export class OperatorAccountError extends InvalidRequestError {
  declare readonly code: 'operator_account';
}

/** 400: {name} is a tuned model, and tuning on top of one is not supported. Submit a new job on its base {base} with all the data, old and new together; what is unchanged is not trained again. */
export class BaseIsTunedError extends InvalidRequestError {
  declare readonly code: 'base_is_tuned';
}

/** 409: {model} is on the base {base} already, and its weights are the ones that it was taught on. Name another base with "base_model"; GET /v1alpha/downloaded_models lists those that are here. */
export class BaseSameError extends InvalidRequestError {
  declare readonly code: 'base_same';
}

/** 400: {model} was taught on {from}, and its experts cannot act on {base}: {reason}. A model moves to another precision of its base. On another model all of its facts are taught anew: send them to POST /v1/train. Nothing was queued. */
export class BaseMisfitError extends InvalidRequestError {
  declare readonly code: 'base_misfit';
}

/** 400: The request names no data. Send "data" with rows of "input" and "output", or "dataset_id". */
export class TrainDataMissingError extends InvalidRequestError {
  declare readonly code: 'train_data_missing';
}

/** 400: The request names its data twice: {both}. Send one of them. */
export class TrainDataAmbiguousError extends InvalidRequestError {
  declare readonly code: 'train_data_ambiguous';
}

/** 400: The upload_file_path "{path}" is not one of this server. Use the dataset_location that POST /v1/existing-data answers. */
export class UploadFilePathUnknownError extends InvalidRequestError {
  declare readonly code: 'upload_file_path_unknown';
}

/** 400: There is no train_type "{type}" here. Leave it out, or send "memory_tuning". */
export class TrainTypeUnsupportedError extends InvalidRequestError {
  declare readonly code: 'train_type_unsupported';
}

/** 422: {count} of the rows cannot be taught because of contradictions: {summary}. Keep one answer for each question; nothing was stored. */
export class FactsConflictError extends InvalidRequestError {
  declare readonly code: 'facts_conflict';
}

/** 422: {count} of the rows cannot be taught because of their length: {summary}. Shorten them or raise max_length; nothing was stored. */
export class FactsTooLongError extends InvalidRequestError {
  declare readonly code: 'facts_too_long';
}

/** 400: The request has {count} data points, and the account may tune on {limit} at once. Contact {contact} for support with more. */
export class DataPointsLimitError extends InvalidRequestError {
  declare readonly code: 'data_points_limit';
}

/** 400: {gpus} GPUs on {nodes} nodes were asked for, and there is no more than {most}. Ask for what there is: a job waits for it when it is busy. */
export class GpusUnavailableError extends InvalidRequestError {
  declare readonly code: 'gpus_unavailable';
}

/** 524: The plan was not ready after {seconds} seconds. Send a part of the facts, or shorten the longest rows: where all are short, /v1/train needs no plan. */
export class PlanTimedOutError extends ServerError {
  declare readonly code: 'plan_timed_out';
}

/** 429: The account has {limit} jobs that wait or run already. Wait for some of them, cancel those that are not needed, or ask {contact} for a higher limit. */
export class JobsLimitError extends LimitError {
  declare readonly code: 'jobs_limit';
}

/** 404: There is no job {id} in this account. GET /v1/train/jobs lists them. */
export class JobNotFoundError extends NotFoundError {
  declare readonly code: 'job_not_found';
}

/** 404: The job {id} is no sweep. GET /v1/train/sweep lists those. */
export class SweepNotFoundError extends NotFoundError {
  declare readonly code: 'sweep_not_found';
}

/** 400: The job {id} is {status} and has no model to evaluate. A job has one once it is COMPLETED or PARTIALLY COMPLETED; a sweep makes none. */
export class JobWithoutModelError extends InvalidRequestError {
  declare readonly code: 'job_without_model';
}

/** 400: The job {id} is {status} already. Only a job that waits or runs can be cancelled. */
export class JobNotCancellableError extends InvalidRequestError {
  declare readonly code: 'job_not_cancellable';
}

/** 400: The job {id} is {status}. Only a job that failed or was cancelled can be resumed. */
export class JobNotResumableError extends InvalidRequestError {
  declare readonly code: 'job_not_resumable';
}

/** 409: The job {id} was ordered by the change {number} of the memory "{name}", which is over. No version would get what it makes. Order the change again; an erasure is tried again by POST /v1/memories/{name}/erasures/{number}/retry. */
export class JobOrderOverError extends InvalidRequestError {
  declare readonly code: 'job_order_over';
}

/** 400: The job {id} was resumed {limit} times, which is as often as a job can be. Send its data as a new job. */
export class ResumeLimitError extends InvalidRequestError {
  declare readonly code: 'resume_limit';
}

/** 404: The model has no fact with the question "{input}". GET /v1/models/{model}/facts lists them; write the question as it was taught. */
export class FactNotFoundError extends NotFoundError {
  declare readonly code: 'fact_not_found';
}

/** 400: No fact of the model would be left. Delete the model instead: DELETE /v1/models/{model}. */
export class NothingLeftError extends InvalidRequestError {
  declare readonly code: 'nothing_left';
}

/** 404: There is no memory "{name}" in this account. GET /v1/memories lists them. */
export class MemoryNotFoundError extends NotFoundError {
  declare readonly code: 'memory_not_found';
}

/** 409: The memory "{name}" has no version yet. Wait for its first job: GET /v1/memories/{name}/changes tells how far it is. */
export class MemoryEmptyError extends InvalidRequestError {
  declare readonly code: 'memory_empty';
}

/** 404: The memory "{name}" has no version {version}. GET /v1/memories/{name}/versions lists them. */
export class VersionNotFoundError extends NotFoundError {
  declare readonly code: 'version_not_found';
}

/** 404: The memory "{name}" has no change {number}. GET /v1/memories/{name}/changes lists them. */
export class ChangeNotFoundError extends NotFoundError {
  declare readonly code: 'change_not_found';
}

/** 422: {count} of the facts cannot be changed as requested: {summary}. Correct those that detail names and send the change again; nothing was changed. */
export class ChangeInvalidError extends InvalidRequestError {
  declare readonly code: 'change_invalid';
}

/** 409: The memory "{name}" is not at version {expected} any more: {state}. Check its current facts, and send the change again with the current version. */
export class MemoryChangedError extends InvalidRequestError {
  declare readonly code: 'memory_changed';
}

/** 409: The change {number} by {who}, which is not over, concerns the fact "{input}" as well. Wait for it: GET /v1/memories/{name}/changes/{number}. Nothing was changed. */
export class FactInChangeError extends InvalidRequestError {
  declare readonly code: 'fact_in_change';
}

/** 404: The memory "{name}" has no gate. POST /v1/memories/{name}/gate sets one. */
export class GateNotFoundError extends NotFoundError {
  declare readonly code: 'gate_not_found';
}

/** 422: The dataset cannot be the set of this gate: {reason}. Take another dataset, or leave the bar out. The gate is as it was. */
export class GateInvalidError extends InvalidRequestError {
  declare readonly code: 'gate_invalid';
}

/** 404: Version {version} of the memory "{name}" was not checked by a gate. A gate checks the versions that are made while it is set. GET /v1/memories/{name}/gate shows it. */
export class GateNotCheckedError extends NotFoundError {
  declare readonly code: 'gate_not_checked';
}

/** 409: Version {version} does not hold the gate of the memory "{name}": {failing}. GET /v1/memories/{name}/versions/{version}/regressions lists rows. To publish it anyway, send "force": true and a reason. */
export class GateNotHeldError extends InvalidRequestError {
  declare readonly code: 'gate_not_held';
}

/** 409: Version {version} of the memory "{name}" was never published, and its gate has not checked it. Send a change, whose version is checked; or publish this one with "force": true and a reason. */
export class GateNotPassedError extends InvalidRequestError {
  declare readonly code: 'gate_not_passed';
}

/** 422: The answers of versions {from} and {to} cannot be compared: {reason}. Name two versions with "from" and "to", and an evaluation set with "dataset_id". */
export class ComparisonInvalidError extends InvalidRequestError {
  declare readonly code: 'comparison_invalid';
}

/** 404: The memory "{name}" has no comparison {id}. POST /v1/memories/{name}/comparisons starts one. A comparison ends with its evaluation, and where a version was rebuilt without an erased fact. */
export class ComparisonNotFoundError extends NotFoundError {
  declare readonly code: 'comparison_not_found';
}

/** 404: The memory "{name}" has no proposal {number}. GET /v1/memories/{name}/proposals?state=all lists them. */
export class ProposalNotFoundError extends NotFoundError {
  declare readonly code: 'proposal_not_found';
}

/** 409: The proposal {number} is {state} already, by {who}. Leave it out and send the others again; nothing was changed. */
export class ProposalDecidedError extends InvalidRequestError {
  declare readonly code: 'proposal_decided';
}

/** 422: {count} of the proposals cannot be accepted as requested: {summary}. Correct or leave out those that detail names and send the others again; nothing was changed. */
export class ProposalsInvalidError extends InvalidRequestError {
  declare readonly code: 'proposals_invalid';
}

/** 409: The memory "{name}" has {count} open proposals; there may be {limit}. Accept or reject some first. */
export class ProposalsFullError extends InvalidRequestError {
  declare readonly code: 'proposals_full';
}

/** 404: The memory "{name}" has no reading {id}. GET /v1/memories/{name}/readings lists them. */
export class ReadingNotFoundError extends NotFoundError {
  declare readonly code: 'reading_not_found';
}

/** 404: Nothing is kept of an answer {id}: the account does not keep decision records, it is too old, or it is not of this account. Send model and input with it, or opt in with PATCH /v1/feedback/settings. */
export class AnswerUnknownError extends NotFoundError {
  declare readonly code: 'answer_unknown';
}

/** 409: The name "{name}" is that of a memory. A memory moves its name itself: POST /v1/memories/{name}/changes or /publish. Or choose another name. */
export class NameOfMemoryError extends InvalidRequestError {
  declare readonly code: 'name_of_memory';
}

/** 409: The model is version {version} of the memory "{name}". Delete the memory first: DELETE /v1/memories/{name}. */
export class ModelOfMemoryError extends InvalidRequestError {
  declare readonly code: 'model_of_memory';
}

/** 404: No version of the memory "{name}" holds {what}. GET /v1/memories/{name}/facts?state=all lists its facts; write the question as it was taught. Nothing was changed. */
export class NothingToEraseError extends NotFoundError {
  declare readonly code: 'nothing_to_erase';
}

/** 422: {count} facts hold this, and one erasure takes at most {limit}. Name a longer text, or erase by questions in several requests. */
export class ErasureTooLargeError extends InvalidRequestError {
  declare readonly code: 'erasure_too_large';
}

/** 409: The facts that would be erased are {count} now, and not the set that was confirmed. POST /v1/memories/{name}/erasures/plan lists them; look at them and send the digest that it answers. Nothing was changed. */
export class ErasureUnconfirmedError extends InvalidRequestError {
  declare readonly code: 'erasure_unconfirmed';
}

/** 409: The change {number} of the memory "{name}" by {who} is not over. Wait for it: GET /v1/memories/{name}/changes/{number}. Then send this again; nothing was changed. */
export class MemoryBusyError extends InvalidRequestError {
  declare readonly code: 'memory_busy';
}

/** 409: Version {version} of the memory "{name}" was ended by an erasure (receipt {receipt}). GET /v1/receipts/{receipt} shows the details. Publish another version. */
export class VersionErasedError extends InvalidRequestError {
  declare readonly code: 'version_erased';
}

/** 404: The memory "{name}" has no erasure {number}. GET /v1/memories/{name}/erasures lists them. */
export class ErasureNotFoundError extends NotFoundError {
  declare readonly code: 'erasure_not_found';
}

/** 409: The erasure {number} of the memory "{name}" has not failed: it is {state}. Only a failed erasure is tried again. POST /v1/memories/{name}/erasures orders another one. */
export class ErasureNotFailedError extends InvalidRequestError {
  declare readonly code: 'erasure_not_failed';
}

/** 404: There is no receipt {number} in this account. GET /v1/receipts lists them. */
export class ReceiptNotFoundError extends NotFoundError {
  declare readonly code: 'receipt_not_found';
}

/** 400: The file is not a tuned model that can be imported: {reason}. Nothing was stored. Send the tar file of an export (format=folder), complete and uncompressed. */
export class ImportInvalidError extends InvalidRequestError {
  declare readonly code: 'import_invalid';
}

/** 400: The model was tuned on {base}, and no model here is that base. Nothing was stored. Add the same base (POST /v1alpha/downloaded_models, or a copy of its folder) and send the file again. */
export class ImportBaseMissingError extends InvalidRequestError {
  declare readonly code: 'import_base_missing';
}

/** 400: The model was tuned on {base}. {other} is here and of the same shape, but its weights are others: another precision or version. Nothing was stored. Add that base beside it (a copy of its folder, or a download with "precision": "{precision}" into a home of its own), or move the model to the weights of {other} where it comes from (POST /v1/models/NAME/move) and export that. */
export class ImportBaseDiffersError extends InvalidRequestError {
  declare readonly code: 'import_base_differs';
}

/** 404: There is no webhook {id} in this account. GET /v1/webhooks lists them. */
export class WebhookNotFoundError extends NotFoundError {
  declare readonly code: 'webhook_not_found';
}

/** 400: A webhook cannot go to {host}: it is not a public address. Name a host on the internet, or ask the operator to allow its network with LOREKEEP_WEBHOOK_NETWORKS. */
export class WebhookAddressRefusedError extends InvalidRequestError {
  declare readonly code: 'webhook_address_refused';
}

/** 400: The account has {limit} webhooks already. Delete those that are no longer needed. */
export class WebhooksLimitError extends InvalidRequestError {
  declare readonly code: 'webhooks_limit';
}

/** 400: The prompt{which} is empty. Send at least one character. */
export class PromptEmptyError extends InvalidRequestError {
  declare readonly code: 'prompt_empty';
}

/** 400: The prompt{which} has {prompt_tokens} tokens, and {name} reads {context}{with}. Send a shorter prompt: nothing is cut off silently. */
export class ContextExceededError extends InvalidRequestError {
  declare readonly code: 'context_exceeded';
}

/** 400: The conversation cannot be put to {name}: {reason}. Send a raw prompt to /inf/completions, or other messages. */
export class ChatTemplateRefusesError extends InvalidRequestError {
  declare readonly code: 'chat_template_refuses';
}

/** 400: A message holds a part of type "{type}", and models here read text alone. Send parts of type "text", or a plain string. */
export class ContentUnsupportedError extends InvalidRequestError {
  declare readonly code: 'content_unsupported';
}

/** 400: No answer can have the shape that was asked for: {reason}. Change output_type or the JSON schema. */
export class SchemaImpossibleError extends InvalidRequestError {
  declare readonly code: 'schema_impossible';
}

/** 400: The shortest answer of the shape that was asked for has {shortest} tokens, and at most {max_tokens} are allowed. Raise the number of tokens or ask for less. */
export class MaxTokensTooSmallError extends InvalidRequestError {
  declare readonly code: 'max_tokens_too_small';
}

/** 400: The vectors of {name} have {dimensions} dimensions. Leave "dimensions" out. */
export class DimensionsFixedError extends InvalidRequestError {
  declare readonly code: 'dimensions_fixed';
}

/** 429: The account has {limit} batches and streams that are not complete. Wait for some of them, or delete those that are no longer needed. */
export class TooManyRunsError extends LimitError {
  declare readonly code: 'too_many_runs';
}

/** 524: The answer was not ready after {seconds} seconds. Ask for fewer prompts or tokens at once, or use POST /v1/batch_completions, which has no time limit. */
export class TimedOutError extends ServerError {
  declare readonly code: 'timed_out';
}

/** 499: The client went away before the answer was ready. The work for it was stopped. */
export class ClientGoneError extends InvalidRequestError {
  declare readonly code: 'client_gone';
}

/** 503: The upstream engine of {name} cannot be asked: {reason}. Try again in a few seconds; if it stays so, ./lorekeep doctor shows the operator the reason. */
export class UpstreamUnavailableError extends UnavailableError {
  declare readonly code: 'upstream_unavailable';
}

/** 502: The upstream engine of {name} did not answer as it should: {reason}. Try again; if it happens again, the operator finds the reason in the log of the upstream engine. */
export class UpstreamFailedError extends ServerError {
  declare readonly code: 'upstream_failed';
}

/** 524: The upstream engine of {name} sent nothing for {seconds} seconds. Ask for fewer tokens, or let the operator raise the "timeout" of this upstream engine. */
export class UpstreamSlowError extends ServerError {
  declare readonly code: 'upstream_slow';
}

/** 400: The upstream engine of {name} refuses this request: {reason}. Change the request as the reason says. */
export class UpstreamRefusedError extends InvalidRequestError {
  declare readonly code: 'upstream_refused';
}

/** 400: {name} is computed by an upstream engine, which cannot do this: {what}. Leave it out, or ask a model that is computed here. */
export class UpstreamCannotError extends InvalidRequestError {
  declare readonly code: 'upstream_cannot';
}

/** 400: {name} is computed by an upstream engine, and its weights are not here. They are needed to {purpose}. Download the same model under this name (POST /v1alpha/downloaded_models); its answers still come from upstream. */
export class UpstreamOnlyError extends InvalidRequestError {
  declare readonly code: 'upstream_only';
}

/** 503: The engine cannot be asked now: {reason}. Try again in a few seconds. */
export class EngineUnavailableError extends UnavailableError {
  declare readonly code: 'engine_unavailable';
}

/** 503: The server is overloaded: {reason}. Try again in a few seconds. */
export class OverloadedError extends UnavailableError {
  declare readonly code: 'overloaded';
}

/** 503: The memory does not suffice for this: {reason}. Ask for less at once, or give the engine more memory. */
export class OutOfMemoryError extends UnavailableError {
  declare readonly code: 'out_of_memory';
}

/** 431: The request headers are larger than {limit} bytes. Send smaller headers. */
export class HeadersTooLargeError extends InvalidRequestError {
  declare readonly code: 'headers_too_large';
}

/** 400: The request is not valid HTTP: {reason}. Check the client or the proxy between. */
export class RequestMalformedError extends InvalidRequestError {
  declare readonly code: 'request_malformed';
}

/** 507: The disk of the server is full. Nothing was stored. The operator has to free space below {home}. */
export class StorageFullError extends ServerError {
  declare readonly code: 'storage_full';
}

/** 503: The storage cannot be used now: {reason}. Try again in a moment. Nothing was stored; the log of the server shows the operator the reason. */
export class StorageUnavailableError extends UnavailableError {
  declare readonly code: 'storage_unavailable';
}

/** 503: The server is {state}. Try again in a few seconds. */
export class BusyError extends UnavailableError {
  declare readonly code: 'busy';
}

/** 500: Something went wrong on the server (request {request}). Try again; if it happens again, look the request up in the log of the server. */
export class InternalError extends ServerError {
  declare readonly code: 'internal';
}

/** Classes by the codes of the table of errors. */
export const errorClasses = {
  validation: ValidationError,
  rows_invalid: RowsInvalidError,
  json_invalid: JsonInvalidError,
  body_missing: BodyMissingError,
  body_incomplete: BodyIncompleteError,
  body_too_slow: BodyTooSlowError,
  body_too_large: BodyTooLargeError,
  content_type_unsupported: ContentTypeUnsupportedError,
  content_encoding_unsupported: ContentEncodingUnsupportedError,
  upload_invalid: UploadInvalidError,
  file_type_unsupported: FileTypeUnsupportedError,
  file_unreadable: FileUnreadableError,
  dataset_empty: DatasetEmptyError,
  upload_base_path_unknown: UploadBasePathUnknownError,
  sign_in_wrong: SignInWrongError,
  session_over: SessionOverError,
  link_unknown: LinkUnknownError,
  csrf_missing: CsrfMissingError,
  too_many_attempts: TooManyAttemptsError,
  key_missing: KeyMissingError,
  key_unknown: KeyUnknownError,
  key_expired: KeyExpiredError,
  key_revoked: KeyRevokedError,
  account_disabled: AccountDisabledError,
  scope_missing: ScopeMissingError,
  operator_only: OperatorOnlyError,
  key_too_strong: KeyTooStrongError,
  rate_limited: RateLimitedError,
  storage_limit: StorageLimitError,
  route_not_found: RouteNotFoundError,
  method_not_allowed: MethodNotAllowedError,
  account_not_found: AccountNotFoundError,
  key_not_found: KeyNotFoundError,
  keys_limit: KeysLimitError,
  key_not_active: KeyNotActiveError,
  dataset_not_found: DatasetNotFoundError,
  index_not_found: IndexNotFoundError,
  index_answers_chats: IndexAnswersChatsError,
  index_not_ready: IndexNotReadyError,
  index_file_not_found: IndexFileNotFoundError,
  documents_invalid: DocumentsInvalidError,
  text_not_added: TextNotAddedError,
  too_many_indexes: TooManyIndexesError,
  model_not_found: ModelNotFoundError,
  model_not_tuned: ModelNotTunedError,
  model_loading: ModelLoadingError,
  model_downloading: ModelDownloadingError,
  model_unusable: ModelUnusableError,
  data_damaged: DataDamagedError,
  export_refused: ExportRefusedError,
  model_download_failed: ModelDownloadFailedError,
  model_name_invalid: ModelNameInvalidError,
  model_precision_differs: ModelPrecisionDiffersError,
  model_built_in: ModelBuiltInError,
  downloads_limit: DownloadsLimitError,
  model_of_other_kind: ModelOfOtherKindError,
  run_not_found: RunNotFoundError,
  run_failed: RunFailedError,
  evaluation_not_found: EvaluationNotFoundError,
  evaluation_over: EvaluationOverError,
  evaluation_target_unusable: EvaluationTargetUnusableError,
  evaluation_too_large: EvaluationTooLargeError,
  too_many_evaluations: TooManyEvaluationsError,
  name_taken: NameTakenError,
  operator_account: OperatorAccountError,
  base_is_tuned: BaseIsTunedError,
  base_same: BaseSameError,
  base_misfit: BaseMisfitError,
  train_data_missing: TrainDataMissingError,
  train_data_ambiguous: TrainDataAmbiguousError,
  upload_file_path_unknown: UploadFilePathUnknownError,
  train_type_unsupported: TrainTypeUnsupportedError,
  facts_conflict: FactsConflictError,
  facts_too_long: FactsTooLongError,
  data_points_limit: DataPointsLimitError,
  gpus_unavailable: GpusUnavailableError,
  plan_timed_out: PlanTimedOutError,
  jobs_limit: JobsLimitError,
  job_not_found: JobNotFoundError,
  sweep_not_found: SweepNotFoundError,
  job_without_model: JobWithoutModelError,
  job_not_cancellable: JobNotCancellableError,
  job_not_resumable: JobNotResumableError,
  job_order_over: JobOrderOverError,
  resume_limit: ResumeLimitError,
  fact_not_found: FactNotFoundError,
  nothing_left: NothingLeftError,
  memory_not_found: MemoryNotFoundError,
  memory_empty: MemoryEmptyError,
  version_not_found: VersionNotFoundError,
  change_not_found: ChangeNotFoundError,
  change_invalid: ChangeInvalidError,
  memory_changed: MemoryChangedError,
  fact_in_change: FactInChangeError,
  gate_not_found: GateNotFoundError,
  gate_invalid: GateInvalidError,
  gate_not_checked: GateNotCheckedError,
  gate_not_held: GateNotHeldError,
  gate_not_passed: GateNotPassedError,
  comparison_invalid: ComparisonInvalidError,
  comparison_not_found: ComparisonNotFoundError,
  proposal_not_found: ProposalNotFoundError,
  proposal_decided: ProposalDecidedError,
  proposals_invalid: ProposalsInvalidError,
  proposals_full: ProposalsFullError,
  reading_not_found: ReadingNotFoundError,
  answer_unknown: AnswerUnknownError,
  name_of_memory: NameOfMemoryError,
  model_of_memory: ModelOfMemoryError,
  nothing_to_erase: NothingToEraseError,
  erasure_too_large: ErasureTooLargeError,
  erasure_unconfirmed: ErasureUnconfirmedError,
  memory_busy: MemoryBusyError,
  version_erased: VersionErasedError,
  erasure_not_found: ErasureNotFoundError,
  erasure_not_failed: ErasureNotFailedError,
  receipt_not_found: ReceiptNotFoundError,
  import_invalid: ImportInvalidError,
  import_base_missing: ImportBaseMissingError,
  import_base_differs: ImportBaseDiffersError,
  webhook_not_found: WebhookNotFoundError,
  webhook_address_refused: WebhookAddressRefusedError,
  webhooks_limit: WebhooksLimitError,
  prompt_empty: PromptEmptyError,
  context_exceeded: ContextExceededError,
  chat_template_refuses: ChatTemplateRefusesError,
  content_unsupported: ContentUnsupportedError,
  schema_impossible: SchemaImpossibleError,
  max_tokens_too_small: MaxTokensTooSmallError,
  dimensions_fixed: DimensionsFixedError,
  too_many_runs: TooManyRunsError,
  timed_out: TimedOutError,
  client_gone: ClientGoneError,
  upstream_unavailable: UpstreamUnavailableError,
  upstream_failed: UpstreamFailedError,
  upstream_slow: UpstreamSlowError,
  upstream_refused: UpstreamRefusedError,
  upstream_cannot: UpstreamCannotError,
  upstream_only: UpstreamOnlyError,
  engine_unavailable: EngineUnavailableError,
  overloaded: OverloadedError,
  out_of_memory: OutOfMemoryError,
  headers_too_large: HeadersTooLargeError,
  request_malformed: RequestMalformedError,
  storage_full: StorageFullError,
  storage_unavailable: StorageUnavailableError,
  busy: BusyError,
  internal: InternalError,
};
export type ErrorCode = keyof typeof errorClasses;
