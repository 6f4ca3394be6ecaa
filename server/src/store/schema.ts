// Row types of the tables, the same on SQLite and PostgreSQL: times are in milliseconds, lists are JSON text.
import type { FileState, IndexStatus, JobStatus, Outcome } from '@lorekeep/contract';
import type { Generated } from 'kysely';
import type { PasswordRow, SessionRow, SignInLinkRow } from './tables/access.ts';
import type { AuditTables } from './tables/audit.ts';
import type { ErasureTables } from './tables/erasure.ts';
import type { FeedbackTables } from './tables/feedback.ts';
import type { GateTables } from './tables/gate.ts';
import type { MemoryTables } from './tables/memory.ts';
import type { ProposalTables } from './tables/proposal.ts';
import type { AnswerRow, RunRow } from './tables/run.ts';

export interface AccountRow {
  id: Generated<number>;
  name: string;
  role: 'operator' | 'member';
  /** JSON of the limits that differ from the installation's: `{name: number | null}`. */
  limits: string;
  created_at: number;
  disabled_at: number | null;
}

export interface KeyRow {
  id: Generated<number>;
  account_id: number;
  name: string;
  /** `console`: counts the account's sessions; it has no secret. */
  kind: Generated<'key' | 'console'>;
  /** SHA-256 of the key. Its first 16 digits are in `hint`, which lookups use. */
  hash: string;
  hint: string;
  prefix: string;
  scopes: string;
  created_at: number;
  expires_at: number | null;
  revoked_at: number | null;
  last_used_at: number | null;
}

export interface DatasetRow {
  id: Generated<number>;
  account_id: number;
  /** SHA-256 of the stored rows: the id that the API shows. */
  hash: string;
  name: string | null;
  rows: number;
  bytes: number;
  is_public: number;
  /** The name of the file with the rows; never reused. */
  blob: string;
  created_at: number;
}

export interface UsageRow {
  account_id: number;
  key_id: number;
  /** YYYY-MM-DD in UTC. */
  day: string;
  model: string;
  requests: number;
  prompt_tokens: number;
  completion_tokens: number;
  /** Running time of tuning jobs on this model, once for each slot. */
  slot_milliseconds: number;
}

/** An account's request for a model of the hub. Several accounts may ask for one model; its folder exists once. */
export interface DownloadedModelRow {
  id: Generated<number>;
  account_id: number;
  name: string;
  /** The requested type, then the actual one. */
  model_type: 'transformer' | 'embedding' | null;
  is_public: number;
  /** Requested precision. */
  precision: Generated<'none' | 'int8' | 'int4' | 'auto'>;
  /** 1 if the request has a token. It is only in memory, so another process cannot resume this download. */
  with_token: number;
  status: 'queued' | 'downloading' | 'quantizing' | 'available' | 'failed';
  error: string | null;
  bytes_done: number | null;
  bytes_total: number | null;
  attempts: number;
  /** The server that works on it. */
  owner: string | null;
  created_at: number;
  attempted_at: number;
  finished_at: number | null;
}

/** A server that works on jobs. It increments `beat` while it is alive. If `beat` stands still, other servers take over its jobs. */
export interface ServerRow {
  /** Name of the process; never reused. */
  name: string;
  beat: number;
  /** Nodes of its cluster, and slots of each. */
  nodes: number;
  slots: number;
  started_at: number;
}

export interface TuningJobRow {
  id: Generated<number>;
  /** Name of its folder, and of the model that it creates; never reused. */
  name: string;
  account_id: number;
  /** The key that the job is counted on; null for jobs from before keys were recorded. */
  key_id: number | null;
  status: JobStatus;
  error: string | null;
  base_model: string;
  /** The model that it created. */
  model_name: string | null;
  custom_model_name: string | null;
  is_public: number;
  dataset_id: string | null;
  /** JSON: finetune_args as requested. */
  arguments: string;
  gate: string;
  /** JSON of the policy of its model; null for the default. */
  policy: string | null;
  use_cached_model: number;
  gpus: number;
  nodes: number;
  slots: number;
  facts: number;
  /** JSON of a sweep: what it compares, and the best once it is known; null for a job that creates a model. */
  sweep: string | null;
  priority: number;
  /** Round of the queue. Priority, round and id determine its position. */
  round: number;
  resume_count: number;
  /** Number of workers that ended without a report since the last finished wave. */
  stumbles: number;
  /** JSON of the progress as the API shows it. */
  progress: string;
  /** JSON: a list of sentences. */
  warnings: string;
  /** Offset up to which the folder's events have been read. */
  events_read: number;
  /** The server that has a run of it, until that run has ended. */
  owner: string | null;
  /** Running time of all its runs in milliseconds, as far as it is counted in `usage`. */
  ran: number;
  /** Peak memory of its worker, in bytes. */
  peak_memory: number | null;
  created_at: number;
  /** Start of its last run. */
  started_at: number | null;
  finished_at: number | null;
}

export interface TuningEventRow {
  id: Generated<number>;
  job_id: number;
  at: number;
  type: 'status' | 'warning';
  status: JobStatus | null;
  reason: string | null;
}

/** A point of a job's history. */
export interface TuningPointRow {
  job_id: number;
  step: number;
  /** JSON as the API shows it. */
  point: string;
}

export interface TunedModelRow {
  name: string;
  account_id: number;
  job_id: number;
  base_model: string;
  dataset_id: string | null;
  is_public: number;
  facts: number;
  facts_recalled: number;
  experts: number;
  bytes: number;
  created_at: number;
  /** Set for an imported model: the hash of the imported file. */
  source: string | null;
  /** JSON of the answer policy that was set; null if none was. */
  policy: string | null;
}

/** A custom name of an account. It points to the model of the newest job. */
export interface ModelAliasRow {
  account_id: number;
  alias: string;
  model_name: string | null;
  /** The job that created the model, or the newest one that requested the name. */
  job_id: number;
}

export interface WebhookRow {
  id: Generated<number>;
  account_id: number;
  url: string;
  /** Stored unencrypted: the server signs each delivery with it. */
  secret: string;
  created_at: number;
  /** Failed attempts since the last delivered message. */
  failures: Generated<number>;
  /** End of the backoff: no attempt before this time. */
  retry_at: Generated<number>;
}

export interface WebhookDeliveryRow {
  id: Generated<number>;
  webhook_id: number;
  job_id: number;
  body: string;
  status: 'waiting' | 'delivered' | 'given up';
  attempts: number;
  last_answer: string | null;
  next_at: number;
  created_at: number;
}

/** An evaluation: questions to several targets. */
export interface EvaluationRow {
  id: Generated<number>;
  account_id: number;
  key_id: number;
  name: string | null;
  /** The hash of the dataset that the questions come from. */
  dataset: string | null;
  /** The job whose model and base are compared on its facts; at most one evaluation per job. */
  job_id: number | null;
  /** JSON: the targets and their options. */
  request: string;
  rows: number;
  status: 'running' | 'completed' | 'failed' | 'cancelled';
  error: string | null;
  /** The server that works on it. */
  owner: string | null;
  created_at: number;
  finished_at: number | null;
}

/** `input` and `output` are JSON of the texts. */
export interface EvaluationQuestionRow {
  evaluation_id: number;
  /** Number of the row, counted from 1. */
  row: number;
  input: string;
  output: string;
}

export interface EvaluationAnswerRow {
  evaluation_id: number;
  /** The place of the target in the request, from 0. */
  target: number;
  row: number;
  /** JSON of the text. */
  output: string;
  exact: number;
  normalised: number;
  finish_reason: 'stop' | 'length' | 'error';
  /** Outcome of an answer by a tuned model. */
  outcome: Outcome | null;
  error: string | null;
  milliseconds: number;
  prompt_tokens: number;
  completion_tokens: number;
}

/** A document index: its settings and the progress of its indexing. */
export interface IndexRow {
  id: Generated<number>;
  account_id: number;
  /** The key that the embedding is counted on. */
  key_id: number;
  name: string | null;
  model: string;
  embedder: string;
  /** The name of its vector table; never reused. */
  vectors: string;
  /** Its second vector table: one that the vectors are being copied to, or were copied from. */
  vectors_spare: string | null;
  status: IndexStatus;
  error: string | null;
  /** JSON of what was measured when it was built: `{threshold, approximate}`. */
  measured: string;
  /** 1 after a request to stop. */
  cancel: number;
  /** Time since which it can be queried. */
  ready_at: number | null;
  /** Hidden from this time on; the background work deletes it. */
  deleted_at: number | null;
  /** Number of passages tried for suggestions. */
  suggested: Generated<number>;
  /** The server that works on it. */
  owner: string | null;
  created_at: number;
  finished_at: number | null;
}

export interface IndexFileRow {
  id: Generated<number>;
  index_id: number;
  name: string;
  sha256: string;
  bytes: number;
  blob: string;
  state: FileState;
  reason: string | null;
  kind: string | null;
  title: string | null;
  pages_done: number;
  pages: number | null;
  /** Position up to which it was read at the last write; only until it is done. */
  bytes_read: Generated<number>;
  /** High-water mark: number of passages, from the first, that are embedded and stored. */
  passages: number;
  /** JSON of a list of sentences. */
  notices: string;
  /** JSON of an object. */
  metadata: string;
  created_at: number;
  /** Start of the current or last reading; null while it waits for its turn. */
  started_at: number | null;
  finished_at: number | null;
}

export interface IndexPassageRow {
  index_id: number;
  file_id: number;
  number: number;
  /** Hash of the embedded text. Equal texts have equal vectors. */
  embedded: string;
  /** JSON of the passage. */
  passage: string;
}

export interface IndexEventRow {
  id: Generated<number>;
  index_id: number;
  at: number;
  kind: string;
  text: string;
  /** JSON of the data of the event. */
  data: string;
}

/** A suggested question. None is suggested twice. */
export interface IndexSuggestionRow {
  index_id: number;
  /** Hash of the question. */
  question: string;
}

export interface Tables extends AuditTables, MemoryTables, GateTables, ErasureTables, ProposalTables, FeedbackTables {
  accounts: AccountRow;
  keys: KeyRow;
  passwords: PasswordRow;
  sessions: SessionRow;
  sign_in_links: SignInLinkRow;
  datasets: DatasetRow;
  usage: UsageRow;
  runs: RunRow;
  answers: AnswerRow;
  downloaded_models: DownloadedModelRow;
  servers: ServerRow;
  tuning_jobs: TuningJobRow;
  tuning_events: TuningEventRow;
  tuning_points: TuningPointRow;
  tuned_models: TunedModelRow;
  model_aliases: ModelAliasRow;
  webhooks: WebhookRow;
  webhook_deliveries: WebhookDeliveryRow;
  evaluations: EvaluationRow;
  evaluation_questions: EvaluationQuestionRow;
  evaluation_answers: EvaluationAnswerRow;
  indexes: IndexRow;
  index_files: IndexFileRow;
  index_passages: IndexPassageRow;
  index_events: IndexEventRow;
  index_suggestions: IndexSuggestionRow;
}
