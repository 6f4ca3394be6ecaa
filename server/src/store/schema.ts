// The tables as the queries see them. The same on SQLite and PostgreSQL: moments are milliseconds, lists are JSON text.
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
  /** SHA-256 of the key; its first 16 digits stand in `hint`, which is what is looked up. */
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
  /** The name of the file with the rows; never used again for another one. */
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
  /** As it was asked for, then as it is. */
  model_type: 'transformer' | 'embedding' | null;
  is_public: number;
  /** Precision that was asked for. */
  precision: Generated<'none' | 'int8' | 'int4' | 'auto'>;
  /** 1 if a token came along. It is in memory alone: another process cannot go on with this download. */
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

/** A server that works on jobs. It counts up in `beat` while it lives; who sees it stand still takes its jobs over. */
export interface ServerRow {
  /** The name of the process, which is never used again. */
  name: string;
  beat: number;
  /** Nodes of its cluster, and slots of each. */
  nodes: number;
  slots: number;
  started_at: number;
}

export interface TuningJobRow {
  id: Generated<number>;
  /** Name of its folder, and of the model that it makes. Never used again for another job. */
  name: string;
  account_id: number;
  /** The key that the job is counted on; null for jobs from before keys were recorded. */
  key_id: number | null;
  status: JobStatus;
  error: string | null;
  base_model: string;
  /** The model that it has made. */
  model_name: string | null;
  custom_model_name: string | null;
  is_public: number;
  dataset_id: string | null;
  /** JSON: finetune_args as they came. */
  arguments: string;
  gate: string;
  /** JSON of the policy that its model gets; null for the usual one. */
  policy: string | null;
  use_cached_model: number;
  gpus: number;
  nodes: number;
  slots: number;
  facts: number;
  /** JSON: what is compared, and once it is known the best; null of a job that makes a model. */
  sweep: string | null;
  priority: number;
  /** Its turn: with the priority and the id it is its place in the queue. */
  round: number;
  resume_count: number;
  /** Ends of workers without a word since the last finished wave. */
  stumbles: number;
  /** JSON of the progress as it is shown. */
  progress: string;
  /** JSON: a list of sentences. */
  warnings: string;
  /** Offset up to which the folder's events have been read. */
  events_read: number;
  /** The server that has a run of it, and until that run is gone. */
  owner: string | null;
  /** Milliseconds of running, of all its runs, as far as they are counted in `usage`. */
  ran: number;
  /** The most memory that its worker took, in bytes. */
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
  /** JSON, as it is shown. */
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
  /** JSON of what was set about its answers; null where nothing was. */
  policy: string | null;
}

/** A custom name of an account. It points to the model of the newest job. */
export interface ModelAliasRow {
  account_id: number;
  alias: string;
  model_name: string | null;
  /** The job that made the model, or the newest that asked for the name. */
  job_id: number;
}

export interface WebhookRow {
  id: Generated<number>;
  account_id: number;
  url: string;
  /** Stored unencrypted: the server signs each delivery with it. */
  secret: string;
  created_at: number;
  /** Attempts since the last message that was taken. */
  failures: Generated<number>;
  /** Time before which it is not tried again. */
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

/** Questions that are asked of several targets. */
export interface EvaluationRow {
  id: Generated<number>;
  account_id: number;
  key_id: number;
  name: string | null;
  /** The hash of the dataset that the questions were taken from. */
  dataset: string | null;
  /** The job whose model and base are compared on its facts; there is one evaluation of it at most. */
  job_id: number | null;
  /** JSON: the targets and how they are asked. */
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

/** A document index: what is asked of it, and how far the work on it is. */
export interface IndexRow {
  id: Generated<number>;
  account_id: number;
  /** The key that the embedding is counted on. */
  key_id: number;
  name: string | null;
  model: string;
  embedder: string;
  /** The name of its vectors; never used again for another index. */
  vectors: string;
  /** Another table of it: one that its vectors are being copied to, or were copied from. */
  vectors_spare: string | null;
  status: IndexStatus;
  error: string | null;
  /** JSON of what was measured when it was built: `{threshold, approximate}`. */
  measured: string;
  /** 1 after a request to stop. */
  cancel: number;
  /** Since when it can be asked. */
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
  /** The mark: so many passages from the first are embedded and stored. */
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
  /** JSON of what goes with it. */
  data: string;
}

/** Questions that were suggested: none is given twice. */
export interface IndexSuggestionRow {
  index_id: number;
  /** Its hash. */
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
