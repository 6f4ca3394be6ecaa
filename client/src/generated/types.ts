// Made from contract/ by `./lorekeep check --write`; not edited by hand.
import type { Rows, Upload } from '../bodies.ts';

export interface Account {
  id: number;
  name: string;
  role: "operator" | "member";
  /** What holds for the account: its own limits, or the defaults of the installation. */
  limits: Limits;
  storage_used_bytes: number;
  created_at: string;
  disabled_at: string | null;
}

export interface ChatCompletion {
  id: string;
  created: number;
  model: string;
  object: "chat.completion";
  choices: {
    index: number;
    message: {
      role: "assistant";
      content: string;
      refusal: null;
    };
    finish_reason: "stop" | "length";
    logprobs: {
      content: {
        token: string;
        logprob: number;
        bytes: number[];
        top_logprobs: {
          token: string;
          logprob: number;
          bytes: number[];
        }[];
      }[];
    } | null;
    memory?: Memory | null | undefined;
  }[];
  usage: {
    prompt_tokens: number;
    completion_tokens: number;
    total_tokens: number;
    prompt_tokens_details: {
      cached_tokens: number;
    };
  };
  /** Of a document index: the passages that the answer was made from; in a stream with its first chunk. */
  citations?: Citation[] | undefined;
  /** Of a document index: how the citations were found. */
  retrieval?: {
    /** What was searched for: the bare question, without its chat template. */
    question: string;
    /** Whether the documents hold anything relevant. */
    found: boolean;
    /** Passages asked for. */
    asked: number;
    /** Passages that the model was given. */
    used: number;
    /** Why it were fewer, or not the whole of each. */
    reason: string | null;
    best: number | null;
    threshold: number | null;
  } | undefined;
}

export interface ChatCompletionChunk {
  id: string;
  created: number;
  model: string;
  object: "chat.completion.chunk";
  choices: {
    index: number;
    delta: {
      role?: "assistant" | undefined;
      content?: string | undefined;
    };
    finish_reason: "stop" | "length" | null;
    logprobs: {
      content: {
        token: string;
        logprob: number;
        bytes: number[];
        top_logprobs: {
          token: string;
          logprob: number;
          bytes: number[];
        }[];
      }[];
    } | null;
    memory?: Memory | null | undefined;
  }[];
  usage?: {
    prompt_tokens: number;
    completion_tokens: number;
    total_tokens: number;
    prompt_tokens_details: {
      cached_tokens: number;
    };
  } | null | undefined;
  /** Of a document index: the passages that the answer was made from; in a stream with its first chunk. */
  citations?: Citation[] | undefined;
  /** Of a document index: how the citations were found. */
  retrieval?: {
    /** What was searched for: the bare question, without its chat template. */
    question: string;
    /** Whether the documents hold anything relevant. */
    found: boolean;
    /** Passages asked for. */
    asked: number;
    /** Passages that the model was given. */
    used: number;
    /** Why it were fewer, or not the whole of each. */
    reason: string | null;
    best: number | null;
    threshold: number | null;
  } | undefined;
}

export interface Citation {
  file: string;
  file_id: number;
  /** The file inside the file: of an archive, of a mail. */
  part?: string | undefined;
  page: number | null;
  last_page: number | null;
  line: number | null;
  title: string | null;
  headings: string[];
  /** The innermost of the headings. */
  heading: string | null;
  /** Its number in the file, from 0. */
  passage: number;
  /** Where it begins in the text of its file, or of the file inside it, in UTF-16 units: that is where a passage without page and line stands. */
  start: number;
  end: number;
  text: string;
  /** Where it stands on its pages, in points from the top left. */
  boxes?: {
    page: number;
    x: number;
    y: number;
    width: number;
    height: number;
  }[] | undefined;
  /** Similarity of question and passage, at most 1; in a search by words alone the share of the question's words that it holds. */
  score: number;
  /** What you want to know of a file, and to filter by. */
  metadata: { [key: string]: string | number | boolean };
}

export interface Dataset {
  /** The hash of the content. */
  dataset_id: string;
  /** What /v1/train takes as upload_file_path. */
  dataset_location: string;
  name: string | null;
  rows: number;
  bytes: number;
  /** Other accounts may read and use it. */
  is_public: boolean;
  created_at: string;
}

export interface DownloadedModel {
  /** Of a model that was downloaded; null for the others. */
  model_id: number | null;
  model_name: string;
  /** Null until it is known. */
  model_type: "transformer" | "embedding" | null;
  /** `folder`: put below the home by hand. */
  source: "built-in" | "hub" | "folder";
  /** `available` is what can be asked. */
  status: "queued" | "downloading" | "available" | "failed";
  /** The account that asked for it. */
  user_id: number | null;
  /** Whether every account may use it. */
  is_public: boolean;
  creation_ts: string;
  /** When the last attempt was begun. */
  prev_download_ts: string | null;
  /** Why the last attempt failed. */
  prev_download_error: string | null;
  download_attempts: number;
  bytes_done: number | null;
  /** Null until it is known. */
  bytes_total: number | null;
  /** Of its weights: what it needs in memory, at the least. Null until it is here. */
  weights_bytes: number | null;
  /** The commit of the hub that it is of, once it is here. */
  commit: string | null;
}

export interface Evaluation {
  /** As the call that started it answered. */
  evaluation_id: number;
  name: string | null;
  status: "running" | "completed" | "failed" | "cancelled";
  /** The hash of the content. */
  dataset_id: string | null;
  rows: number;
  /** Of rows times targets. */
  answered: number;
  targets: {
    name: string;
    model_name: string | null;
    prompt: string | null;
    job_id: number | null;
    /** Rows that are done, those that could not be asked among them. */
    answered: number;
    /** Rows that could not be asked. They count as wrong. */
    failed: number;
    /** The share of the rows done whose answer is the right one word for word; null before any is. */
    exact: number | null;
    /** The same, forgiving case, white space, articles and punctuation around words. */
    normalised: number | null;
    /** From the question to the end of its answer, with others asked at the same time. */
    latency_ms: {
      mean: number;
      longest: number;
    } | null;
    prompt_tokens: number;
    completion_tokens: number;
  }[];
  error: string | null;
  created_at: string;
  finished_at: string | null;
}

export interface EvaluationRow {
  /** Counted from 1. */
  row: number;
  input: string;
  /** The right answer. */
  output: string;
  /** In the order of the targets; null where there is none yet. */
  answers: ({
    output: string;
    exact: boolean;
    normalised: boolean;
    finish_reason: "stop" | "length" | "error";
    /** Why it could not be asked. */
    error: string | null;
    latency_ms: number;
    prompt_tokens: number;
    completion_tokens: number;
  } | null)[];
}

export interface Index {
  job_id: number;
  name: string | null;
  /** The name under which OpenAI clients ask it. */
  model: string;
  model_name: string;
  embedder: string;
  status: "CREATED" | "QUEUED" | "LOADING DATA" | "SAVING MODEL" | "COMPLETED" | "PARTIALLY COMPLETED" | "FAILED" | "CANCELLED";
  /** It can be asked: also while files are added to it. */
  ready: boolean;
  error: string | null;
  progress: {
    files: number;
    files_done: number;
    files_failed: number;
    pages_done: number;
    /** Passages that are embedded and stored. */
    passages: number;
  };
  /** Below this similarity nothing counts as an answer. Measured on the index itself. */
  threshold: number | null;
  /** Whether every passage is compared, or a graph of them is walked. */
  search: {
    exact: boolean;
    measured: {
      passages: number;
      /** Share of the fifty nearest passages that the fast search finds, measured on its own passages. */
      recall: number;
    } | null;
  };
  created_at: string;
  finished_at: string | null;
}

export interface IndexFile {
  id: number;
  name: string;
  bytes: number;
  sha256: string;
  /** What the content is, whatever the name says. */
  kind: string | null;
  title: string | null;
  state: "waiting" | "reading" | "done" | "failed" | "cancelled" | "deleting";
  /** Why it failed. */
  reason: string | null;
  /** What was passed over in it. */
  notices: string[];
  pages_done: number;
  pages: number | null;
  passages: number;
  /** What you want to know of a file, and to filter by. */
  metadata: { [key: string]: string | number | boolean };
  created_at: string;
  finished_at: string | null;
}

export interface Key {
  id: number;
  account_id: number;
  name: string;
  /** The first characters of the key, to tell keys apart. */
  prefix: string;
  scopes: ("read" | "infer" | "tune" | "admin")[];
  status: "active" | "expired" | "revoked";
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
  /** Written every few seconds, not with each request. */
  last_used_at: string | null;
}

/** For each limit a number, "none", or "default" for the installation's own. */
export interface LimitChanges {
  requests_per_minute?: number | "none" | "default" | null | undefined;
  data_points?: number | "none" | "default" | null | undefined;
  storage_bytes?: number | "none" | "default" | null | undefined;
  jobs?: number | "none" | "default" | null | undefined;
}

export interface Limits {
  /** Requests a minute; null for no limit. */
  requests_per_minute: number | null;
  /** Data points of one tuning job; null for no limit. */
  data_points: number | null;
  /** Bytes of stored data; null for no limit. */
  storage_bytes: number | null;
  /** Jobs queued or running at once; null for no limit. */
  jobs: number | null;
}

export interface Memory {
  /** Whether the answer is a fact; else the base gave it. */
  used: boolean;
  /** The fact that was used, or those that came nearest. */
  facts: {
    input: string;
    similarity: number;
    dataset_id: string | null;
    /** Counted from 1. */
    row: number;
  }[];
}

export interface NewKey {
  id: number;
  account_id: number;
  name: string;
  /** The first characters of the key, to tell keys apart. */
  prefix: string;
  scopes: ("read" | "infer" | "tune" | "admin")[];
  status: "active" | "expired" | "revoked";
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
  /** Written every few seconds, not with each request. */
  last_used_at: string | null;
  /** The key itself. It is shown this once and cannot be read again. */
  key: string;
}

export interface OpenAIModel {
  id: string;
  object: "model";
  created: number;
  owned_by: string;
}

/** The keys of the answer, each with its type: str, int, float or bool (string, integer, number, boolean), a list of values to choose from, a list of one type, or an object of these. The answer is an object with exactly these keys. */
export type OutputType = { [key: string]: ValueType };

export interface Row {
  /** The question or prompt. */
  input: string | number | boolean;
  /** The exact answer. */
  output: string | number | boolean;
  [field: string]: unknown;
}

export interface Run {
  /** As the call that started it answered. */
  id: string;
  kind: "batch" | "stream" | "embeddings";
  model_name: string;
  status: "running" | "completed" | "failed";
  prompts: number;
  answered: number;
  error: string | null;
  created_at: string;
  finished_at: string | null;
  /** When the results are removed. */
  kept_until: string | null;
}

export interface Session {
  id: number;
  account: {
    id: number;
    name: string;
    role: "operator" | "member";
  };
  scopes: ("read" | "infer" | "tune" | "admin")[];
  /** Send it as x-lorekeep-csrf with every call that is not a GET. */
  csrf: string;
  created_at: string;
  expires_at: string;
}

export interface Sweep {
  job_id: number;
  status: "CREATED" | "QUEUED" | "LOADING DATA" | "TRAINING MODEL" | "EVALUATING MODEL" | "SAVING MODEL" | "COMPLETED" | "PARTIALLY COMPLETED" | "FAILED" | "CANCELLED" | "TIMED OUT";
  /** When it was made: UTC without a zone, with microseconds. */
  start_time: string;
  /** The tuned model, once it is saved. */
  model_name: string | null;
  custom_model_name: string | null;
  is_public: boolean;
  dataset_id: string | null;
  resume_count: number;
  resume_limit: number;
  /** A JSON list of {loss, learning_rate, epoch, iter_time, flops, remaining_time, step}. */
  history: string;
  base_model: string;
  /** `memory_tuning` or `sweep`. */
  train_type: string;
  finetune_args: { [key: string]: unknown };
  gpu_config: {
    gpus: number;
    nodes: number;
  };
  use_cached_model: boolean;
  /** What it compares, where it makes no model: POST /v1/train/sweep. */
  sweep: {
    argument: string;
    values: unknown[];
    /** The first so many are taught once with each value. */
    facts: number;
    /** The value that recalls most; null until the job is over. */
    best: unknown;
  } | null;
  priority: number;
  /** 1 is the next; null when it does not wait. */
  queue_position: number | null;
  progress: {
    facts_total: number;
    facts_done: number;
    /** Known when the job is over. */
    facts_recalled: number | null;
    experts_total: number;
    experts_done: number;
    /** Taken over from earlier models. */
    experts_reused: number;
    eta_seconds: number | null;
  };
  warnings: string[];
  /** Why it failed. */
  error: string | null;
  created_at: string;
  finished_at: string | null;
  /** Of the values that are done, in the order of the request. */
  trials: {
    value: unknown;
    facts: number;
    /** Recited word for word, by free greedy generation. */
    facts_recalled: number;
    /** Their share. */
    recall: number;
    experts: number;
    /** Of an expert, the mean. */
    steps: number;
    /** Experts that diverged and were begun anew. */
    restarts: number;
    /** At the end, the mean over all experts. */
    loss: number | null;
    learning_rate_effective: number;
    seconds: number;
    /** The mean over all experts at each step; at most 200 points. */
    curve: {
      step: number;
      loss: number | null;
    }[];
  }[];
}

export interface TextCompletion {
  id: string;
  created: number;
  model: string;
  object: "text_completion";
  choices: {
    index: number;
    text: string;
    finish_reason: "stop" | "length" | null;
    logprobs: {
      tokens: string[];
      token_logprobs: number[];
      top_logprobs: { [key: string]: number }[];
      text_offset: number[];
    } | null;
    memory?: Memory | null | undefined;
  }[];
  usage?: {
    prompt_tokens: number;
    completion_tokens: number;
    total_tokens: number;
    prompt_tokens_details: {
      cached_tokens: number;
    };
  } | null | undefined;
}

export interface TunedModel {
  model_name: string;
  /** The name that points to it now. */
  custom_model_name: string | null;
  base_model: string;
  job_id: number;
  dataset_id: string | null;
  is_public: boolean;
  facts: number;
  facts_recalled: number;
  experts: number;
  bytes: number;
  created_at: string;
}

export interface TuningEvent {
  id: number;
  job_id: number;
  time: string;
  type: "status" | "warning";
  status: "CREATED" | "QUEUED" | "LOADING DATA" | "TRAINING MODEL" | "EVALUATING MODEL" | "SAVING MODEL" | "COMPLETED" | "PARTIALLY COMPLETED" | "FAILED" | "CANCELLED" | "TIMED OUT" | null;
  reason: string | null;
}

export interface TuningJob {
  job_id: number;
  status: "CREATED" | "QUEUED" | "LOADING DATA" | "TRAINING MODEL" | "EVALUATING MODEL" | "SAVING MODEL" | "COMPLETED" | "PARTIALLY COMPLETED" | "FAILED" | "CANCELLED" | "TIMED OUT";
  /** When it was made: UTC without a zone, with microseconds. */
  start_time: string;
  /** The tuned model, once it is saved. */
  model_name: string | null;
  custom_model_name: string | null;
  is_public: boolean;
  dataset_id: string | null;
  resume_count: number;
  resume_limit: number;
  /** A JSON list of {loss, learning_rate, epoch, iter_time, flops, remaining_time, step}. */
  history: string;
  base_model: string;
  /** `memory_tuning` or `sweep`. */
  train_type: string;
  finetune_args: { [key: string]: unknown };
  gpu_config: {
    gpus: number;
    nodes: number;
  };
  use_cached_model: boolean;
  /** What it compares, where it makes no model: POST /v1/train/sweep. */
  sweep: {
    argument: string;
    values: unknown[];
    /** The first so many are taught once with each value. */
    facts: number;
    /** The value that recalls most; null until the job is over. */
    best: unknown;
  } | null;
  priority: number;
  /** 1 is the next; null when it does not wait. */
  queue_position: number | null;
  progress: {
    facts_total: number;
    facts_done: number;
    /** Known when the job is over. */
    facts_recalled: number | null;
    experts_total: number;
    experts_done: number;
    /** Taken over from earlier models. */
    experts_reused: number;
    eta_seconds: number | null;
  };
  warnings: string[];
  /** Why it failed. */
  error: string | null;
  created_at: string;
  finished_at: string | null;
}

export interface Usage {
  /** In UTC. */
  day: string;
  key_id: number;
  key_name: string;
  /** Of tuning, the base. */
  model_name: string;
  /** Prompts and texts that the model worked on. */
  requests: number;
  prompt_tokens: number;
  completion_tokens: number;
  /** Of tuning jobs: the time that they ran, once for each slot they held. */
  slot_seconds: number;
}

export type ValueType = "str" | "string" | "int" | "integer" | "float" | "number" | "bool" | "boolean" | (string | number | boolean | null)[] | ValueType[] | OutputType;

export interface Webhook {
  id: number;
  url: string;
  created_at: string;
}

/** What `health` answers. */
export interface HealthAnswer {
  status: "ok";
}

/** What `openapi` answers. */
export interface OpenapiAnswer {
  openapi: string;
  [field: string]: unknown;
}

/** What `readiness` answers. */
export interface ReadinessAnswer {
  status: "ready" | "not ready";
  /** Each part with "ok" or what is wrong with it. */
  parts: { [key: string]: string };
}

/** What `version` answers. */
export interface VersionAnswer {
  server: string;
  /** The newest version of the platform client that is known to work. */
  client: string;
  api: {
    name: string;
    path: string;
  }[];
}

/** What `changeAccount` takes. */
export interface ChangeAccountArgs {
  id: number | string;
  name?: string | null | undefined;
  limits?: LimitChanges | null | undefined;
  /** The keys of a disabled account stop working at once, and its sessions end. */
  disabled?: boolean | null | undefined;
}

/** What `changeAccount` answers. */
export type ChangeAccountAnswer = Account;

/** What `createAccount` takes. */
export interface CreateAccountArgs {
  name: string;
  limits?: LimitChanges | null | undefined;
}

/** What `createAccount` answers. */
export type CreateAccountAnswer = Account;

/** What `deleteAccount` takes. */
export interface DeleteAccountArgs {
  id: number | string;
}

/** What `deleteAccount` answers. */
export interface DeleteAccountAnswer {
  deleted: number;
}

/** What `listAccounts` answers. */
export interface ListAccountsAnswer {
  accounts: Account[];
}

/** What `showAccount` takes. */
export interface ShowAccountArgs {
  id: number | string;
}

/** What `showAccount` answers. */
export type ShowAccountAnswer = Account;

/** What `showOwnAccount` answers. */
export interface ShowOwnAccountAnswer {
  id: number;
  name: string;
  role: "operator" | "member";
  /** What holds for the account: its own limits, or the defaults of the installation. */
  limits: Limits;
  storage_used_bytes: number;
  created_at: string;
  disabled_at: string | null;
  key: {
    id: number;
    name: string;
    scopes: ("read" | "infer" | "tune" | "admin")[];
    expires_at: string | null;
  };
}

/** What `createKey` takes. */
export interface CreateKeyArgs {
  name: string;
  /** Without it: read, infer and tune. */
  scopes?: ("read" | "infer" | "tune" | "admin")[] | null | undefined;
  /** Without it the key does not expire by itself. */
  expires_at?: string | null | undefined;
  /** Another account's; for the operator only. */
  account_id?: number | string | null | undefined;
}

/** What `createKey` answers. */
export type CreateKeyAnswer = NewKey;

/** What `listKeys` takes. */
export interface ListKeysArgs {
  /** Another account's; for the operator only. */
  account_id?: number | string | undefined;
}

/** What `listKeys` answers. */
export interface ListKeysAnswer {
  keys: Key[];
}

/** What `revokeKey` takes. */
export interface RevokeKeyArgs {
  id: number | string;
}

/** What `revokeKey` answers. */
export type RevokeKeyAnswer = Key;

/** What `rotateKey` takes. */
export interface RotateKeyArgs {
  id: number | string;
  /** How long the old key still works; a day without it. */
  grace_seconds?: number | null | undefined;
  /** Expiry of the new key; without it, it lives as long as the old one was made to. */
  expires_at?: string | null | undefined;
}

/** What `rotateKey` answers. */
export type RotateKeyAnswer = NewKey;

/** What `showKey` takes. */
export interface ShowKeyArgs {
  id: number | string;
}

/** What `showKey` answers. */
export type ShowKeyAnswer = Key;

/** What `changePassword` takes. */
export interface ChangePasswordArgs {
  /** The present one. */
  password: string;
  new_password: string;
}

/** What `changePassword` answers. */
export interface ChangePasswordAnswer {
  signed_out: number;
}

/** What `createSignInLink` takes. */
export interface CreateSignInLinkArgs {
  id: number | string;
}

/** What `createSignInLink` answers. */
export interface CreateSignInLinkAnswer {
  /** Put it behind the address of the server. */
  path: string;
  expires_at: string;
}

/** What `listSessions` answers. */
export interface ListSessionsAnswer {
  sessions: {
    id: number;
    /** As it named itself. */
    browser: string;
    created_at: string;
    expires_at: string;
    /** The one of this request. */
    current: boolean;
  }[];
}

/** What `redeemSignInLink` takes. */
export interface RedeemSignInLinkArgs {
  token: string;
  password: string;
}

/** What `redeemSignInLink` answers. */
export type RedeemSignInLinkAnswer = Session;

/** What `showSession` answers. */
export interface ShowSessionAnswer {
  /** Null when nobody is. */
  session: Session | null;
}

/** What `showSignInLink` takes. */
export interface ShowSignInLinkArgs {
  token: string;
}

/** What `showSignInLink` answers. */
export interface ShowSignInLinkAnswer {
  account: string;
  expires_at: string;
}

/** What `signIn` takes. */
export interface SignInArgs {
  /** The name of the account. */
  account: string;
  password: string;
}

/** What `signIn` answers. */
export type SignInAnswer = Session;

/** What `signOut` answers. */
export interface SignOutAnswer {
  /** How many sessions this ended. */
  signed_out: number;
}

/** What `signOutEverywhere` answers. */
export interface SignOutEverywhereAnswer {
  signed_out: number;
}

/** What `showUsage` takes. */
export interface ShowUsageArgs {
  /** The first day; 30 days ago without it. */
  from?: string | undefined;
  /** The last day; today without it. */
  to?: string | undefined;
  /** Another account's; for the operator only. */
  account_id?: number | string | undefined;
}

/** What `showUsage` answers. */
export interface ShowUsageAnswer {
  usage: Usage[];
  total: {
    /** Prompts and texts that the model worked on. */
    requests: number;
    prompt_tokens: number;
    completion_tokens: number;
    /** Of tuning jobs: the time that they ran, once for each slot they held. */
    slot_seconds: number;
  };
}

/** What `changeDataset` takes. */
export interface ChangeDatasetArgs {
  /** The hash of the content. */
  id: string;
  name?: string | null | undefined;
  is_public?: boolean | null | undefined;
}

/** What `changeDataset` answers. */
export type ChangeDatasetAnswer = Dataset;

/** What `deleteDataset` takes. */
export interface DeleteDatasetArgs {
  /** The hash of the content. */
  id: string;
}

/** What `deleteDataset` answers. */
export interface DeleteDatasetAnswer {
  /** The hash of the content. */
  deleted: string;
}

/** What `downloadDataset` takes. */
export interface DownloadDatasetArgs {
  /** The hash of the content. */
  id: string;
}

/** What `listDatasets` takes. */
export interface ListDatasetsArgs {
  /** How many at most. */
  limit?: number | undefined;
  /** The value of `next` of the page before. */
  after?: number | string | undefined;
}

/** What `listDatasets` answers. */
export interface ListDatasetsAnswer {
  datasets: Dataset[];
  /** Send it as `after` for the next page; null at the end. */
  next: number | null;
}

/** What `locateDataset` takes. */
export interface LocateDatasetArgs {
  /** The hash of the content. */
  dataset_id: string;
  /** "local": the value of GET /v1/get-upload-base-path. */
  upload_base_path?: string | null | undefined;
}

/** What `locateDataset` answers. */
export interface LocateDatasetAnswer {
  dataset_location: string;
}

/** What `showDataset` takes. */
export interface ShowDatasetArgs {
  /** The hash of the content. */
  id: string;
}

/** What `showDataset` answers. */
export interface ShowDatasetAnswer {
  /** The hash of the content. */
  dataset_id: string;
  /** What /v1/train takes as upload_file_path. */
  dataset_location: string;
  name: string | null;
  rows: number;
  bytes: number;
  /** Other accounts may read and use it. */
  is_public: boolean;
  created_at: string;
  first_rows: {
    input: string;
    output: string;
    [field: string]: unknown;
  }[];
}

/** What `showUploadBasePath` answers. */
export interface ShowUploadBasePathAnswer {
  upload_base_path: "local";
}

/** What `uploadFile` takes. */
export interface UploadFileArgs {
  file: Upload;
  name?: string | undefined;
  is_public?: boolean | undefined;
  /** The column of the questions; "input" without it. */
  input_column?: string | undefined;
  /** The column of the answers; "output" without it. */
  output_column?: string | undefined;
}

/** What `uploadFile` answers. */
export type UploadFileAnswer = Dataset;

/** What `uploadRows` takes. */
export interface UploadRowsArgs {
  /** "local": the value of GET /v1/get-upload-base-path. */
  upload_base_path?: string | null | undefined;
  data: Rows<Row>;
  is_public?: boolean | null | undefined;
  name?: string | null | undefined;
}

/** What `uploadRows` answers. */
export interface UploadRowsAnswer {
  /** The hash of the content. */
  dataset_id: string;
  dataset_location: string;
}

/** What `deleteDownloadedModel` takes. */
export interface DeleteDownloadedModelArgs {
  model: string;
}

/** What `deleteDownloadedModel` answers. */
export interface DeleteDownloadedModelAnswer {
  deleted: string;
}

/** What `deleteDownloadedModelByParts` takes. */
export interface DeleteDownloadedModelByPartsArgs {
  organisation: string;
  model: string;
}

/** What `deleteDownloadedModelByParts` answers. */
export interface DeleteDownloadedModelByPartsAnswer {
  deleted: string;
}

/** What `downloadModel` takes. */
export interface DownloadModelArgs {
  /** As on the hub: organisation/name. */
  hf_model_name: string;
  /** Without it, the configuration of the model decides. */
  model_type?: "transformer" | "embedding" | null | undefined;
  /** For models that are private or gated. Kept in memory while it is downloaded, and nowhere else. */
  private_hf_token?: string | null | undefined;
  /** Whether other accounts may use it. Without it: yes, unless a token was sent by an account that is not the operator. */
  is_public?: boolean | null | undefined;
}

/** What `downloadModel` answers. */
export type DownloadModelAnswer = DownloadedModel;

/** What `listDownloadedModels` answers. */
export type ListDownloadedModelsAnswer = DownloadedModel[];

/** What `showDownloadedModel` takes. */
export interface ShowDownloadedModelArgs {
  model: string;
}

/** What `showDownloadedModel` answers. */
export type ShowDownloadedModelAnswer = DownloadedModel;

/** What `showDownloadedModelByParts` takes. */
export interface ShowDownloadedModelByPartsArgs {
  organisation: string;
  model: string;
}

/** What `showDownloadedModelByParts` answers. */
export type ShowDownloadedModelByPartsAnswer = DownloadedModel;

/** What `cancelJob` takes. */
export interface CancelJobArgs {
  id: number | string;
  [field: string]: unknown;
}

/** What `cancelJob` answers. */
export interface CancelJobAnswer {
  status: "CANCELLED";
  message: string;
}

/** What `cancelJobs` takes. */
export type CancelJobsArgs = { [key: string]: unknown };

/** What `cancelJobs` answers. */
export interface CancelJobsAnswer {
  status: "CANCELLED";
  message: string;
  cancelled: number[];
}

/** What `listJobEvents` takes. */
export interface ListJobEventsArgs {
  id: number | string;
  /** How many at most. */
  limit?: number | undefined;
  /** The value of `next` of the page before. */
  after?: number | string | undefined;
}

/** What `listJobEvents` answers. */
export interface ListJobEventsAnswer {
  events: TuningEvent[];
  /** Send it as `after` for the next page; null at the end. */
  next: number | null;
}

/** What `listJobs` takes. */
export interface ListJobsArgs {
  /** How many at most. */
  limit?: number | undefined;
  /** Only jobs that are older than this one. */
  after?: number | string | undefined;
}

/** What `listJobs` answers. */
export type ListJobsAnswer = TuningJob[];

/** What `planTraining` takes. */
export interface PlanTrainingArgs {
  /** The base. */
  model_name: string;
  /** The facts; or name a dataset. */
  data?: Rows<Row> | null | undefined;
  /** The hash of the content. */
  dataset_id?: string | null | undefined;
  /** As /v1/existing-data answers it: another way to name the dataset. */
  upload_file_path?: string | null | undefined;
  /** Arguments of the tuning, docs/reference/tuning.md. Names that are not known are accepted and told in X-Warning. */
  finetune_args?: { [key: string]: unknown } | null | undefined;
  gpu_config?: {
    /** GPUs of each node; 1 without it. */
    gpus?: number | null | undefined;
    /** 1 without it. */
    nodes?: number | null | undefined;
  } | null | undefined;
  /** Take over what earlier models of the account have learned from the same facts; true without it. */
  use_cached_model?: boolean | null | undefined;
  /** Usable as `model_name`. It moves to the newest model that is tuned under it. */
  custom_model_name?: string | null | undefined;
  /** Other accounts may use the model and its data. */
  is_public?: boolean | null | undefined;
  /** `memory_tuning`, which counts without it too. */
  train_type?: string | null | undefined;
  /** How near a question has to come to a fact before the memory answers; `balanced` without it. `strict`, `balanced` and `generous` let through about 10, 40 and 70% of questions about a known name that no fact answers, and 2, 5 and 10% of near misses of facts without names. The report of a model says what it came to. */
  gate?: "strict" | "balanced" | "generous" | null | undefined;
  /** Jobs of a higher one go first; 0 without it. Above 0 the operator only. */
  priority?: number | null | undefined;
}

/** What `planTraining` answers. */
export interface PlanTrainingAnswer {
  /** Each once. */
  facts: number;
  /** Rows that repeat another one; at most 100. */
  duplicates: number[];
  duplicates_total: number;
  /** Rows that ask the same and answer differently; the job would be refused. At most 100. */
  conflicts: {
    rows: number[];
    message: string;
  }[];
  /** At most 100. */
  too_long: {
    row: number;
    message: string;
  }[];
  /** Null while there are conflicts. */
  experts_to_train: number | null;
  experts_to_reuse: number | null;
  /** Of running, once it has started. */
  seconds: number | null;
  /** Of so many finished jobs this is learned; 0: a guess. */
  seconds_from_jobs: number;
  /** Of each process. */
  memory_bytes: number | null;
  /** On the disk. */
  model_bytes: number | null;
  slots: number;
  queue: {
    /** 1 is the next. */
    position: number;
    slots_total: number;
    slots_free: number;
    seconds_until_start: number | null;
  };
  warnings: string[];
}

/** What `readJobLog` takes. */
export interface ReadJobLogArgs {
  id: number | string;
  /** How many at most. */
  lines?: number | undefined;
}

/** What `readJobLog` answers. */
export type ReadJobLogAnswer = string[];

/** What `resumeJob` takes. */
export interface ResumeJobArgs {
  id: number | string;
  [field: string]: unknown;
}

/** What `resumeJob` answers. */
export interface ResumeJobAnswer {
  status: "CREATED" | "QUEUED" | "LOADING DATA" | "TRAINING MODEL" | "EVALUATING MODEL" | "SAVING MODEL" | "COMPLETED" | "PARTIALLY COMPLETED" | "FAILED" | "CANCELLED" | "TIMED OUT";
  message: string;
}

/** What `showJob` takes. */
export interface ShowJobArgs {
  id: number | string;
}

/** What `showJob` answers. */
export type ShowJobAnswer = TuningJob;

/** What `train` takes. */
export interface TrainArgs {
  /** The base. */
  model_name: string;
  /** The facts; or name a dataset. */
  data?: Rows<Row> | null | undefined;
  /** The hash of the content. */
  dataset_id?: string | null | undefined;
  /** As /v1/existing-data answers it: another way to name the dataset. */
  upload_file_path?: string | null | undefined;
  /** Arguments of the tuning, docs/reference/tuning.md. Names that are not known are accepted and told in X-Warning. */
  finetune_args?: { [key: string]: unknown } | null | undefined;
  gpu_config?: {
    /** GPUs of each node; 1 without it. */
    gpus?: number | null | undefined;
    /** 1 without it. */
    nodes?: number | null | undefined;
  } | null | undefined;
  /** Take over what earlier models of the account have learned from the same facts; true without it. */
  use_cached_model?: boolean | null | undefined;
  /** Usable as `model_name`. It moves to the newest model that is tuned under it. */
  custom_model_name?: string | null | undefined;
  /** Other accounts may use the model and its data. */
  is_public?: boolean | null | undefined;
  /** `memory_tuning`, which counts without it too. */
  train_type?: string | null | undefined;
  /** How near a question has to come to a fact before the memory answers; `balanced` without it. `strict`, `balanced` and `generous` let through about 10, 40 and 70% of questions about a known name that no fact answers, and 2, 5 and 10% of near misses of facts without names. The report of a model says what it came to. */
  gate?: "strict" | "balanced" | "generous" | null | undefined;
  /** Jobs of a higher one go first; 0 without it. Above 0 the operator only. */
  priority?: number | null | undefined;
}

/** What `train` answers. */
export interface TrainAnswer {
  job_id: number;
  status: "CREATED";
  dataset_id: string;
}

/** What `watchJob` takes. */
export interface WatchJobArgs {
  id: number | string;
}

/** What `listSweeps` takes. */
export interface ListSweepsArgs {
  /** How many at most. */
  limit?: number | undefined;
  /** Only sweeps that are older than this one. */
  after?: number | string | undefined;
}

/** What `listSweeps` answers. */
export type ListSweepsAnswer = TuningJob[];

/** What `showSweep` takes. */
export interface ShowSweepArgs {
  id: number | string;
}

/** What `showSweep` answers. */
export type ShowSweepAnswer = Sweep;

/** What `sweep` takes. */
export interface SweepArgs {
  /** The base. */
  model_name: string;
  /** The hash of the content. */
  dataset_id?: string | null | undefined;
  /** As /v1/existing-data answers it: another way to name the dataset. */
  upload_file_path?: string | null | undefined;
  /** Arguments of the tuning, docs/reference/tuning.md. Names that are not known are accepted and told in X-Warning. */
  finetune_args?: { [key: string]: unknown } | null | undefined;
  /** The argument that is tried; what finetune_args says of it does not count. */
  argument: "learning_rate" | "max_steps" | "r_value" | "lora_alpha" | "num_train_epochs" | "max_length" | "index_max_size" | "index_k" | "index_method" | "index_ivf_nlist" | "index_ivf_nprobe" | "index_pq_m" | "index_pq_nbits" | "index_hnsw_m" | "index_hnsw_efConstruction" | "index_hnsw_efSearch" | "facts_per_expert" | "gradient_accumulation_steps" | "batch_size" | "save_steps" | "optim" | "early_stopping";
  /** In the order of the results; null is the argument left out. */
  values: Rows<unknown>;
  /** The first so many are taught once with each value; 100 without it. */
  facts?: number | null | undefined;
  /** Jobs of a higher one go first; 0 without it. Above 0 the operator only. */
  priority?: number | null | undefined;
  /** The facts; or name a dataset. */
  data?: Rows<Row> | null | undefined;
}

/** What `sweep` answers. */
export interface SweepAnswer {
  job_id: number;
  status: "CREATED";
  dataset_id: string;
}

/** What `showCluster` answers. */
export interface ShowClusterAnswer {
  slots_total: number;
  slots_free: number;
  /** Jobs in the queue, of all accounts. */
  waiting: number;
  held: {
    slots: number;
    status: "CREATED" | "QUEUED" | "LOADING DATA" | "TRAINING MODEL" | "EVALUATING MODEL" | "SAVING MODEL" | "COMPLETED" | "PARTIALLY COMPLETED" | "FAILED" | "CANCELLED" | "TIMED OUT";
    started_at: string | null;
    /** Null where it is another account's. */
    job_id: number | null;
    account: string | null;
  }[];
}

/** What `changeTunedModel` takes. */
export interface ChangeTunedModelArgs {
  /** The model, or the custom name that points to it; a slash written as %2F. */
  model: string;
  /** Usable as `model_name`. It moves to the newest model that is tuned under it. */
  custom_model_name?: string | null | undefined;
  is_public?: boolean | null | undefined;
}

/** What `changeTunedModel` answers. */
export type ChangeTunedModelAnswer = TunedModel;

/** What `deleteTunedModel` takes. */
export interface DeleteTunedModelArgs {
  /** The model, or the custom name that points to it; a slash written as %2F. */
  model: string;
}

/** What `deleteTunedModel` answers. */
export interface DeleteTunedModelAnswer {
  deleted: string;
}

/** What `exportTunedModel` takes. */
export interface ExportTunedModelArgs {
  /** The model, or the custom name that points to it; a slash written as %2F. */
  model: string;
  /** `folder` without it. */
  format?: "folder" | "peft" | undefined;
}

/** What `forgetFacts` takes. */
export interface ForgetFactsArgs {
  /** The model, or the custom name that points to it; a slash written as %2F. */
  model: string;
  /** The questions of the facts, as they were taught. */
  inputs: string[];
  /** Without it, the custom name of the model, which moves. */
  custom_model_name?: string | null | undefined;
}

/** What `forgetFacts` answers. */
export interface ForgetFactsAnswer {
  job_id: number;
  status: "CREATED";
  /** Those that stay. */
  facts: number;
}

/** What `importTunedModel` takes. */
export interface ImportTunedModelArgs {
  file: Upload;
  /** Usable as `model_name`. It moves to the newest model that is tuned under it. */
  custom_model_name?: string | undefined;
  /** Other accounts may use the model. */
  is_public?: boolean | undefined;
}

/** What `importTunedModel` answers. */
export type ImportTunedModelAnswer = TunedModel;

/** What `listModelFacts` takes. */
export interface ListModelFactsArgs {
  /** The model, or the custom name that points to it; a slash written as %2F. */
  model: string;
  limit?: number | undefined;
  /** The value of `next` of the page before. */
  after?: number | string | undefined;
}

/** What `listModelFacts` answers. */
export interface ListModelFactsAnswer {
  facts: {
    row: number;
    input: string;
    output: string;
    dataset_id: string | null;
    /** One that is not recalled is never said. */
    recalled: boolean;
  }[];
  /** Send it as `after` for the next page; null at the end. */
  next: number | null;
}

/** What `listTunedModels` takes. */
export interface ListTunedModelsArgs {
  /** How many at most. */
  limit?: number | undefined;
  /** The value of `next` of the page before. */
  after?: number | string | undefined;
}

/** What `listTunedModels` answers. */
export interface ListTunedModelsAnswer {
  models: TunedModel[];
  /** Send it as `after` for the next page; null at the end. */
  next: number | null;
}

/** What `showTunedModel` takes. */
export interface ShowTunedModelArgs {
  /** The model, or the custom name that points to it; a slash written as %2F. */
  model: string;
}

/** What `showTunedModel` answers. */
export interface ShowTunedModelAnswer {
  model_name: string;
  /** The name that points to it now. */
  custom_model_name: string | null;
  base_model: string;
  job_id: number;
  dataset_id: string | null;
  is_public: boolean;
  facts: number;
  facts_recalled: number;
  experts: number;
  bytes: number;
  created_at: string;
  report: { [key: string]: unknown } | null;
}

/** What `createWebhook` takes. */
export interface CreateWebhookArgs {
  url: string;
}

/** What `createWebhook` answers. */
export interface CreateWebhookAnswer {
  id: number;
  url: string;
  created_at: string;
  secret: string;
}

/** What `deleteWebhook` takes. */
export interface DeleteWebhookArgs {
  id: number | string;
}

/** What `deleteWebhook` answers. */
export interface DeleteWebhookAnswer {
  deleted: number;
}

/** What `listDeliveries` takes. */
export interface ListDeliveriesArgs {
  id: number | string;
  /** How many at most. */
  limit?: number | undefined;
  /** The value of `next` of the page before. */
  after?: number | string | undefined;
}

/** What `listDeliveries` answers. */
export interface ListDeliveriesAnswer {
  deliveries: {
    id: number;
    job_id: number;
    status: "waiting" | "delivered" | "given up";
    attempts: number;
    /** The status that came back, or why none did. */
    last_answer: string | null;
    next_attempt_at: string | null;
    created_at: string;
  }[];
  /** Send it as `after` for the next page; null at the end. */
  next: number | null;
}

/** What `listWebhooks` answers. */
export interface ListWebhooksAnswer {
  webhooks: Webhook[];
}

/** What `complete` takes. */
export interface CompleteArgs {
  model_name: string;
  /** One prompt or a list of up to 10,000. */
  prompt: string | string[];
  output_type?: OutputType | null | undefined;
  /** How many tokens at most are generated for each prompt; 1024 without it. */
  max_tokens?: number | null | undefined;
  /** The same; it counts where both are given. */
  max_new_tokens?: number | null | undefined;
  /** Answers of a tuned model say in `memory` which fact they come from. */
  explain?: boolean | null | undefined;
  /** How near a question has to come to a fact of a tuned model; without it as it was tuned. What each lets through is told at `POST /v1/train`. */
  gate?: "strict" | "balanced" | "generous" | null | undefined;
}

/** What `complete` answers. */
export type CompleteAnswer = {
  output: string;
  memory?: Memory | null | undefined;
} | { [key: string]: unknown } | ({
  output: string;
  memory?: Memory | null | undefined;
} | { [key: string]: unknown })[];

/** What `completeInArrays` takes. */
export interface CompleteInArraysArgs {
  model_name: string;
  /** One prompt or a list of up to 10,000. */
  prompt: string | string[];
  output_type?: OutputType | null | undefined;
  /** How many tokens at most are generated for each prompt; 1024 without it. */
  max_tokens?: number | null | undefined;
  /** The same; it counts where both are given. */
  max_new_tokens?: number | null | undefined;
  /** Answers of a tuned model say in `memory` which fact they come from. */
  explain?: boolean | null | undefined;
  /** How near a question has to come to a fact of a tuned model; without it as it was tuned. What each lets through is told at `POST /v1/train`. */
  gate?: "strict" | "balanced" | "generous" | null | undefined;
}

/** What `completeInArrays` answers. */
export interface CompleteInArraysAnswer {
  outputs: (string | { [key: string]: unknown })[];
  finish_reason: ("stop" | "length" | "timeout" | "error")[];
  /** With `explain`. */
  memory?: (Memory | null)[] | undefined;
}

/** What `completeInSession` takes. */
export interface CompleteInSessionArgs {
  model_name: string;
  /** One prompt or a list of up to 10,000. */
  prompt: string | string[];
  output_type?: OutputType | null | undefined;
  /** How many tokens at most are generated for each prompt; 1024 without it. */
  max_tokens?: number | null | undefined;
  /** The same; it counts where both are given. */
  max_new_tokens?: number | null | undefined;
  /** Answers of a tuned model say in `memory` which fact they come from. */
  explain?: boolean | null | undefined;
  /** How near a question has to come to a fact of a tuned model; without it as it was tuned. What each lets through is told at `POST /v1/train`. */
  gate?: "strict" | "balanced" | "generous" | null | undefined;
}

/** What `completeInSession` answers. */
export type CompleteInSessionAnswer = {
  output: string;
  memory?: Memory | null | undefined;
} | { [key: string]: unknown } | ({
  output: string;
  memory?: Memory | null | undefined;
} | { [key: string]: unknown })[];

/** What `deleteRun` takes. */
export interface DeleteRunArgs {
  /** As the call that started it answered. */
  id: string;
}

/** What `deleteRun` answers. */
export interface DeleteRunAnswer {
  /** As the call that started it answered. */
  deleted: string;
}

/** What `embed` takes. */
export interface EmbedArgs {
  /** One prompt or a list of up to 10,000. */
  prompt: string | string[];
  /** sentence-transformers/all-MiniLM-L6-v2 without it. */
  model_name?: string | null | undefined;
}

/** What `embed` answers. */
export interface EmbedAnswer {
  embedding: number[] | number[][];
}

/** What `embedForPipelines` takes. */
export interface EmbedForPipelinesArgs {
  /** One prompt or a list of up to 10,000. */
  prompt: string | string[];
  /** sentence-transformers/all-MiniLM-L6-v2 without it. */
  model_name?: string | null | undefined;
}

/** What `embedForPipelines` answers. */
export interface EmbedForPipelinesAnswer {
  embedding: number[] | number[][];
}

/** What `listRuns` takes. */
export interface ListRunsArgs {
  /** How many at most. */
  limit?: number | undefined;
  /** The value of `next` of the page before. */
  after?: number | string | undefined;
}

/** What `listRuns` answers. */
export interface ListRunsAnswer {
  runs: Run[];
  /** Send it as `after` for the next page; null at the end. */
  next: number | null;
}

/** What `showBatch` takes. */
export interface ShowBatchArgs {
  /** As the call that started it answered. */
  id: string;
}

/** What `showBatch` answers. */
export type ShowBatchAnswer = {
  outputs: (string | { [key: string]: unknown } | null)[];
  finish_reason: ("stop" | "length" | "timeout" | "error" | null)[];
  /** Where a prompt had to be given up: the reason. Left out when there is none. */
  errors?: (string | null)[] | undefined;
} | Record<string, never>;

/** What `showEmbeddings` takes. */
export interface ShowEmbeddingsArgs {
  /** As the call that started it answered. */
  id: string;
}

/** What `showEmbeddings` answers. */
export type ShowEmbeddingsAnswer = {
  embedding: number[][];
} | Record<string, never>;

/** What `showRun` takes. */
export interface ShowRunArgs {
  /** As the call that started it answered. */
  id: string;
}

/** What `showRun` answers. */
export type ShowRunAnswer = Run;

/** What `showStream` takes. */
export interface ShowStreamArgs {
  /** As the call that started it answered. */
  id: string;
}

/** What `showStream` answers. */
export type ShowStreamAnswer = {
  outputs: (string | { [key: string]: unknown } | null)[];
  finish_reason: ("stop" | "length" | "timeout" | "error" | null)[];
  /** Where a prompt had to be given up: the reason. Left out when there is none. */
  errors?: (string | null)[] | undefined;
} | Record<string, never>;

/** What `startBatch` takes. */
export interface StartBatchArgs {
  model_name: string;
  /** One prompt or a list of up to 10,000. */
  prompt: string | string[];
  output_type?: OutputType | null | undefined;
  /** How many tokens at most are generated for each prompt; 1024 without it. */
  max_tokens?: number | null | undefined;
  /** The same; it counts where both are given. */
  max_new_tokens?: number | null | undefined;
  /** Answers of a tuned model say in `memory` which fact they come from. */
  explain?: boolean | null | undefined;
  /** How near a question has to come to a fact of a tuned model; without it as it was tuned. What each lets through is told at `POST /v1/train`. */
  gate?: "strict" | "balanced" | "generous" | null | undefined;
}

/** What `startBatch` answers. */
export interface StartBatchAnswer {
  /** As the call that started it answered. */
  id: string;
}

/** What `startEmbeddings` takes. */
export interface StartEmbeddingsArgs {
  /** One prompt or a list of up to 10,000. */
  prompt: string | string[];
  /** sentence-transformers/all-MiniLM-L6-v2 without it. */
  model_name?: string | null | undefined;
}

/** What `startEmbeddings` answers. */
export interface StartEmbeddingsAnswer {
  /** As the call that started it answered. */
  id: string;
}

/** What `startStream` takes. */
export interface StartStreamArgs {
  model_name: string;
  /** One prompt or a list of up to 10,000. */
  prompt: string | string[];
  output_type?: OutputType | null | undefined;
  /** How many tokens at most are generated for each prompt; 1024 without it. */
  max_tokens?: number | null | undefined;
  /** The same; it counts where both are given. */
  max_new_tokens?: number | null | undefined;
  /** Answers of a tuned model say in `memory` which fact they come from. */
  explain?: boolean | null | undefined;
  /** How near a question has to come to a fact of a tuned model; without it as it was tuned. What each lets through is told at `POST /v1/train`. */
  gate?: "strict" | "balanced" | "generous" | null | undefined;
}

/** What `startStream` answers. */
export interface StartStreamAnswer {
  /** As the call that started it answered. */
  id: string;
}

/** What `openaiChat` takes. */
export interface OpenaiChatArgs {
  model: string;
  messages: {
    role: "system" | "developer" | "user" | "assistant" | "tool" | "function";
    content?: string | {
      type: string;
      text?: string | null | undefined;
    }[] | null | undefined;
  }[];
  max_tokens?: number | null | undefined;
  max_completion_tokens?: number | null | undefined;
  response_format?: {
    type: "text";
  } | {
    type: "json_object";
  } | {
    type: "json_schema";
    json_schema: {
      name?: string | null | undefined;
      schema: { [key: string]: unknown } | boolean;
      strict?: boolean | null | undefined;
    };
  } | null | undefined;
  logprobs?: boolean | null | undefined;
  top_logprobs?: number | null | undefined;
  /** 0 without it: the likeliest token each time. */
  temperature?: number | null | undefined;
  top_p?: number | null | undefined;
  /** 0 and -1: all. */
  top_k?: number | null | undefined;
  seed?: number | null | undefined;
  n?: number | null | undefined;
  /** Texts that end the answer; they are no part of it. */
  stop?: string | string[] | null | undefined;
  stream?: boolean | null | undefined;
  stream_options?: {
    include_usage?: boolean | null | undefined;
  } | null | undefined;
  /** Answers of a tuned model say in `memory` which fact they come from. */
  explain?: boolean | null | undefined;
  /** How near a question has to come to a fact of a tuned model; without it as it was tuned. What each lets through is told at `POST /v1/train`. */
  gate?: "strict" | "balanced" | "generous" | null | undefined;
  /** Of a document index: passages to answer from; 3 without it. */
  rag_query_size?: number | null | undefined;
  /** Only passages of these files. */
  filter?: {
    file_ids?: (number | string)[] | null | undefined;
    /** Names of files; * stands for anything. */
    files?: string[] | null | undefined;
    /** Files whose metadata has these values. */
    metadata?: { [key: string]: string | number | boolean } | null | undefined;
  } | null | undefined;
  /** Of a document index. */
  rerank?: boolean | null | undefined;
}

/** What `openaiChat` answers. */
export type OpenaiChatAnswer = ChatCompletion;

/** An event of `openaiChat` as a stream. */
export type OpenaiChatEvent = ChatCompletionChunk;

/** What `openaiComplete` takes. */
export interface OpenaiCompleteArgs {
  model: string;
  prompt: string | string[];
  max_tokens?: number | null | undefined;
  echo?: boolean | null | undefined;
  logprobs?: number | null | undefined;
  /** 0 without it: the likeliest token each time. */
  temperature?: number | null | undefined;
  top_p?: number | null | undefined;
  /** 0 and -1: all. */
  top_k?: number | null | undefined;
  seed?: number | null | undefined;
  n?: number | null | undefined;
  /** Texts that end the answer; they are no part of it. */
  stop?: string | string[] | null | undefined;
  stream?: boolean | null | undefined;
  stream_options?: {
    include_usage?: boolean | null | undefined;
  } | null | undefined;
  /** Answers of a tuned model say in `memory` which fact they come from. */
  explain?: boolean | null | undefined;
  /** How near a question has to come to a fact of a tuned model; without it as it was tuned. What each lets through is told at `POST /v1/train`. */
  gate?: "strict" | "balanced" | "generous" | null | undefined;
}

/** What `openaiComplete` answers. */
export type OpenaiCompleteAnswer = TextCompletion;

/** An event of `openaiComplete` as a stream. */
export type OpenaiCompleteEvent = TextCompletion;

/** What `openaiEmbed` takes. */
export interface OpenaiEmbedArgs {
  model: string;
  input: string | string[];
  encoding_format?: "float" | "base64" | null | undefined;
  /** Only the model's own number is taken. */
  dimensions?: number | null | undefined;
}

/** What `openaiEmbed` answers. */
export interface OpenaiEmbedAnswer {
  object: "list";
  model: string;
  data: {
    object: "embedding";
    index: number;
    embedding: number[] | string;
  }[];
  usage: {
    prompt_tokens: number;
    total_tokens: number;
  };
}

/** What `openaiListModels` answers. */
export interface OpenaiListModelsAnswer {
  object: "list";
  data: OpenAIModel[];
}

/** What `openaiShowModel` takes. */
export interface OpenaiShowModelArgs {
  model: string;
}

/** What `openaiShowModel` answers. */
export type OpenaiShowModelAnswer = OpenAIModel;

/** What `openaiShowModelByParts` takes. */
export interface OpenaiShowModelByPartsArgs {
  organisation: string;
  model: string;
}

/** What `openaiShowModelByParts` answers. */
export type OpenaiShowModelByPartsAnswer = OpenAIModel;

/** What `cancelEvaluation` takes. */
export interface CancelEvaluationArgs {
  id: number | string;
}

/** What `cancelEvaluation` answers. */
export type CancelEvaluationAnswer = Evaluation;

/** What `deleteEvaluation` takes. */
export interface DeleteEvaluationArgs {
  id: number | string;
}

/** What `deleteEvaluation` answers. */
export interface DeleteEvaluationAnswer {
  /** As the call that started it answered. */
  deleted: number;
}

/** What `downloadEvaluation` takes. */
export interface DownloadEvaluationArgs {
  id: number | string;
}

/** What `evaluateJob` takes. */
export interface EvaluateJobArgs {
  id: number | string;
}

/** What `evaluateJob` answers. */
export interface EvaluateJobAnswer {
  job_id: number;
  /** As the call that started it answered. */
  evaluation_id: number;
  status: "running" | "completed" | "failed" | "cancelled";
  base_model: string;
  model_name: string;
  rows: number;
  targets: {
    name: string;
    model_name: string | null;
    prompt: string | null;
    job_id: number | null;
    /** Rows that are done, those that could not be asked among them. */
    answered: number;
    /** Rows that could not be asked. They count as wrong. */
    failed: number;
    /** The share of the rows done whose answer is the right one word for word; null before any is. */
    exact: number | null;
    /** The same, forgiving case, white space, articles and punctuation around words. */
    normalised: number | null;
    /** From the question to the end of its answer, with others asked at the same time. */
    latency_ms: {
      mean: number;
      longest: number;
    } | null;
    prompt_tokens: number;
    completion_tokens: number;
  }[];
  eval_results: {
    input: string;
    expected: string;
    /** Of the model, then the base. */
    outputs: {
      model_name: string;
      output: string;
    }[];
  }[];
}

/** What `listEvaluations` takes. */
export interface ListEvaluationsArgs {
  /** How many at most. */
  limit?: number | undefined;
  /** The value of `next` of the page before. */
  after?: number | string | undefined;
}

/** What `listEvaluations` answers. */
export interface ListEvaluationsAnswer {
  evaluations: Evaluation[];
  /** Send it as `after` for the next page; null at the end. */
  next: number | null;
}

/** What `showEvaluation` takes. */
export interface ShowEvaluationArgs {
  id: number | string;
}

/** What `showEvaluation` answers. */
export type ShowEvaluationAnswer = Evaluation;

/** What `showEvaluationResults` takes. */
export interface ShowEvaluationResultsArgs {
  id: number | string;
  /** How many at most. */
  limit?: number | undefined;
  /** The value of `next` of the page before. */
  after?: number | string | undefined;
}

/** What `showEvaluationResults` answers. */
export interface ShowEvaluationResultsAnswer {
  targets: string[];
  rows: EvaluationRow[];
  /** Send it as `after` for the next page; null at the end. */
  next: number | null;
}

/** What `startEvaluation` takes. */
export interface StartEvaluationArgs {
  /** The hash of the content. */
  dataset_id?: string | null | undefined;
  /** The rows themselves, instead of a dataset. */
  data?: {
    /** The question. */
    input: string | number | boolean;
    /** The right answer. */
    output: string | number | boolean;
    [field: string]: unknown;
  }[] | null | undefined;
  targets: ({
    /** A base or a tuned model. */
    model_name: string;
    /** Put before each question, with an empty line between. */
    prompt?: string | null | undefined;
    /** What the target is called in the results; told from what it is without it. */
    name?: string | null | undefined;
  } | {
    /** A document index. */
    job_id: number | string;
    /** What the target is called in the results; told from what it is without it. */
    name?: string | null | undefined;
  })[];
  name?: string | null | undefined;
  /** Ask only the first so many rows. */
  max_rows?: number | null | undefined;
  /** How many tokens at most are generated for each question; without it as many as the right answer has bytes, and 32. */
  max_tokens?: number | null | undefined;
  /** `chat`: in the model's chat template, where it has one. `raw`: as it is. */
  form?: "chat" | "raw" | null | undefined;
}

/** What `startEvaluation` answers. */
export type StartEvaluationAnswer = Evaluation;

/** What `addText` takes. */
export interface AddTextArgs {
  prompt: string;
  job_id: number | string;
}

/** What `addText` answers. */
export interface AddTextAnswer {
  job_id: number;
  status: "success";
}

/** What `askIndex` takes. */
export interface AskIndexArgs {
  prompt: string;
  job_id: number | string;
  /** Passages to answer from; 3 without it. */
  rag_query_size?: number | null | undefined;
  /** That of the index without it. */
  model_name?: string | null | undefined;
  output_type?: OutputType | null | undefined;
  max_tokens?: number | null | undefined;
  max_new_tokens?: number | null | undefined;
  /** Only passages of these files. */
  filter?: {
    file_ids?: (number | string)[] | null | undefined;
    /** Names of files; * stands for anything. */
    files?: string[] | null | undefined;
    /** Files whose metadata has these values. */
    metadata?: { [key: string]: string | number | boolean } | null | undefined;
  } | null | undefined;
  rerank?: boolean | null | undefined;
  stream?: boolean | null | undefined;
}

/** What `askIndex` answers. */
export interface AskIndexAnswer {
  outputs: (string | { [key: string]: unknown })[];
  finish_reason: ("stop" | "length")[];
  citations: Citation[];
  retrieval: {
    /** What was searched for: the bare question, without its chat template. */
    question: string;
    /** Whether the documents hold anything relevant. */
    found: boolean;
    /** Passages asked for. */
    asked: number;
    /** Passages that the model was given. */
    used: number;
    /** Why it were fewer, or not the whole of each. */
    reason: string | null;
    best: number | null;
    threshold: number | null;
  };
}

/** An event of `askIndex` as a stream. */
export type AskIndexEvent = {
  citations: Citation[];
  retrieval: {
    /** What was searched for: the bare question, without its chat template. */
    question: string;
    /** Whether the documents hold anything relevant. */
    found: boolean;
    /** Passages asked for. */
    asked: number;
    /** Passages that the model was given. */
    used: number;
    /** Why it were fewer, or not the whole of each. */
    reason: string | null;
    best: number | null;
    threshold: number | null;
  };
} | {
  delta: string;
} | {
  output: unknown;
  finish_reason: string;
};

/** What `buildIndex` takes. */
export interface BuildIndexArgs {
  /** The model that answers. */
  model_name: string;
  /** One part "files" for each, up to 5,000. */
  files: Upload | Upload[];
  name?: string | undefined;
  /** JSON of an object: the metadata of all these files. */
  metadata?: string | undefined;
}

/** What `buildIndex` answers. */
export interface BuildIndexAnswer {
  job_id: number;
  status: "CREATED" | "QUEUED" | "LOADING DATA" | "SAVING MODEL" | "COMPLETED" | "PARTIALLY COMPLETED" | "FAILED" | "CANCELLED";
}

/** What `indexLog` takes. */
export interface IndexLogArgs {
  id: number | string;
}

/** What `indexLog` answers. */
export type IndexLogAnswer = string[];

/** What `indexStatus` takes. */
export interface IndexStatusArgs {
  job_id: number | string;
}

/** What `indexStatus` answers. */
export type IndexStatusAnswer = Index;

/** What `indexStatusByQuery` takes. */
export interface IndexStatusByQueryArgs {
  job_id: number | string;
}

/** What `indexStatusByQuery` answers. */
export type IndexStatusByQueryAnswer = Index;

/** What `suggestQuestions` takes. */
export interface SuggestQuestionsArgs {
  job_id: number | string;
}

/** What `suggestQuestions` answers. */
export type SuggestQuestionsAnswer = { [key: string]: string }[];

/** What `addFiles` takes. */
export interface AddFilesArgs {
  id: number | string;
  /** One part "files" for each, up to 5,000. */
  files: Upload | Upload[];
  /** JSON of an object: the metadata of all these files. */
  metadata?: string | undefined;
}

/** What `addFiles` answers. */
export interface AddFilesAnswer {
  files: IndexFile[];
  unchanged: string[];
}

/** What `cancelIndex` takes. */
export interface CancelIndexArgs {
  id: number | string;
}

/** What `cancelIndex` answers. */
export type CancelIndexAnswer = Index;

/** What `changeIndexFile` takes. */
export interface ChangeIndexFileArgs {
  id: number | string;
  file: number | string;
  /** What you want to know of a file, and to filter by. */
  metadata: { [key: string]: string | number | boolean };
}

/** What `changeIndexFile` answers. */
export type ChangeIndexFileAnswer = IndexFile;

/** What `createIndex` takes. */
export interface CreateIndexArgs {
  model_name: string;
  name?: string | null | undefined;
}

/** What `createIndex` answers. */
export type CreateIndexAnswer = Index;

/** What `deleteIndexFile` takes. */
export interface DeleteIndexFileArgs {
  id: number | string;
  file: number | string;
}

/** What `deleteIndexFile` answers. */
export interface DeleteIndexFileAnswer {
  deleted: number;
}

/** What `deleteIndex` takes. */
export interface DeleteIndexArgs {
  id: number | string;
}

/** What `deleteIndex` answers. */
export interface DeleteIndexAnswer {
  deleted: number;
}

/** What `downloadIndexFile` takes. */
export interface DownloadIndexFileArgs {
  id: number | string;
  file: number | string;
}

/** What `followIndex` takes. */
export interface FollowIndexArgs {
  id: number | string;
  after?: number | string | undefined;
}

/** What `listFiles` takes. */
export interface ListFilesArgs {
  id: number | string;
  /** How many at most. */
  limit?: number | undefined;
  /** The value of `next` of the page before. */
  after?: number | string | undefined;
}

/** What `listFiles` answers. */
export interface ListFilesAnswer {
  files: IndexFile[];
  /** Send it as `after` for the next page; null at the end. */
  next: number | null;
}

/** What `listIndexes` takes. */
export interface ListIndexesArgs {
  /** How many at most. */
  limit?: number | undefined;
  /** The value of `next` of the page before. */
  after?: number | string | undefined;
}

/** What `listIndexes` answers. */
export interface ListIndexesAnswer {
  indexes: Index[];
  /** Send it as `after` for the next page; null at the end. */
  next: number | null;
}

/** What `listIndexPassages` takes. */
export interface ListIndexPassagesArgs {
  id: number | string;
  file: number | string;
  /** The number of the first. */
  from?: number | undefined;
  /** How many at most. */
  limit?: number | undefined;
}

/** What `listIndexPassages` answers. */
export interface ListIndexPassagesAnswer {
  passages: {
    /** The file inside the file: of an archive, of a mail. */
    part?: string | undefined;
    page: number | null;
    last_page: number | null;
    line: number | null;
    title: string | null;
    headings: string[];
    /** The innermost of the headings. */
    heading: string | null;
    /** Its number in the file, from 0. */
    passage: number;
    /** Where it begins in the text of its file, or of the file inside it, in UTF-16 units: that is where a passage without page and line stands. */
    start: number;
    end: number;
    text: string;
    /** Where it stands on its pages, in points from the top left. */
    boxes?: {
      page: number;
      x: number;
      y: number;
      width: number;
      height: number;
    }[] | undefined;
  }[];
  /** Send it as `from` for the next page; null at the end. */
  next: number | null;
}

/** What `renameIndex` takes. */
export interface RenameIndexArgs {
  id: number | string;
  name: string | null;
}

/** What `renameIndex` answers. */
export type RenameIndexAnswer = Index;

/** What `searchIndex` takes. */
export interface SearchIndexArgs {
  id: number | string;
  query: string;
  /** 10 without it. */
  limit?: number | null | undefined;
  /** How to search: both ways together without it. By words alone the engine is not asked. */
  mode?: "hybrid" | "vectors" | "text" | null | undefined;
  /** Only passages of these files. */
  filter?: {
    file_ids?: (number | string)[] | null | undefined;
    /** Names of files; * stands for anything. */
    files?: string[] | null | undefined;
    /** Files whose metadata has these values. */
    metadata?: { [key: string]: string | number | boolean } | null | undefined;
  } | null | undefined;
  /** Order all that was found by what it says, not only the first twenty: rare words of the question, and words that stand together in it. */
  rerank?: boolean | null | undefined;
}

/** What `searchIndex` answers. */
export interface SearchIndexAnswer {
  passages: Citation[];
  retrieval: {
    /** What was searched for: the bare question, without its chat template. */
    question: string;
    /** Whether the documents hold anything relevant. */
    found: boolean;
    /** Passages asked for. */
    asked: number;
    /** Passages that the model was given. */
    used: number;
    /** Why it were fewer, or not the whole of each. */
    reason: string | null;
    best: number | null;
    threshold: number | null;
  };
}

/** What `showIndexFile` takes. */
export interface ShowIndexFileArgs {
  id: number | string;
  file: number | string;
}

/** What `showIndexFile` answers. */
export type ShowIndexFileAnswer = IndexFile;

/** What `showIndex` takes. */
export interface ShowIndexArgs {
  id: number | string;
}

/** What `showIndex` answers. */
export type ShowIndexAnswer = Index;
