-- The schema as the migrations make it on SQLite. Made from the code; the migrations are what counts.

CREATE TABLE schema_versions (version integer primary key, name text not null, applied_at bigint not null);

CREATE TABLE "accounts" (
  "id" integer primary key autoincrement,
  "name" text not null unique,
  "role" text not null check (role in ('operator', 'member')),
  "limits" text not null,
  "created_at" bigint not null,
  "disabled_at" bigint);

CREATE UNIQUE INDEX "accounts_one_operator" on "accounts" (
  "role") where "role" = 'operator';

CREATE TABLE "keys" (
  "id" integer primary key autoincrement,
  "account_id" bigint not null references "accounts" ("id") on delete cascade,
  "name" text not null,
  "hash" text not null unique,
  "hint" text not null,
  "prefix" text not null,
  "scopes" text not null,
  "created_at" bigint not null,
  "expires_at" bigint,
  "revoked_at" bigint,
  "last_used_at" bigint,
  "kind" text default 'key' not null);

CREATE INDEX "keys_by_hint" on "keys" (
  "hint");

CREATE INDEX "keys_by_account" on "keys" (
  "account_id",
  "id");

CREATE TABLE "datasets" (
  "id" integer primary key autoincrement,
  "account_id" bigint not null references "accounts" ("id") on delete cascade,
  "hash" text not null,
  "name" text,
  "rows" bigint not null,
  "bytes" bigint not null,
  "is_public" integer not null,
  "blob" text not null,
  "created_at" bigint not null, constraint "datasets_by_account" unique ("account_id",
  "hash"));

CREATE INDEX "datasets_by_hash" on "datasets" (
  "hash");

CREATE TABLE "usage" (
  "account_id" bigint not null references "accounts" ("id") on delete cascade,
  "key_id" bigint not null references "keys" ("id") on delete cascade,
  "day" text not null,
  "model" text not null,
  "requests" bigint not null,
  "prompt_tokens" bigint not null,
  "completion_tokens" bigint not null,
  "slot_milliseconds" bigint default 0 not null, constraint "usage_by_key" primary key ("key_id",
  "day",
  "model"));

CREATE INDEX "usage_by_account" on "usage" (
  "account_id",
  "day");

CREATE TABLE "runs" (
  "id" integer primary key autoincrement,
  "name" text not null unique,
  "account_id" bigint not null references "accounts" ("id") on delete cascade,
  "key_id" bigint not null references "keys" ("id") on delete cascade,
  "kind" text not null,
  "model" text not null,
  "request" text not null,
  "prompts" bigint not null,
  "status" text not null,
  "error" text,
  "owner" text,
  "created_at" bigint not null,
  "finished_at" bigint);

CREATE INDEX "runs_by_account" on "runs" (
  "account_id",
  "id");

CREATE INDEX "runs_by_status" on "runs" (
  "status",
  "owner");

CREATE TABLE "answers" (
  "run_id" bigint not null references "runs" ("id") on delete cascade,
  "place" bigint not null,
  "output" text not null,
  "finish_reason" text,
  "error" text,
  "memory" text, constraint "answers_by_run" primary key ("run_id",
  "place"));

CREATE TABLE "downloaded_models" (
  "id" integer primary key autoincrement,
  "account_id" bigint not null references "accounts" ("id") on delete cascade,
  "name" text not null,
  "model_type" text,
  "is_public" integer not null,
  "with_token" integer not null,
  "status" text not null,
  "error" text,
  "bytes_done" bigint,
  "bytes_total" bigint,
  "attempts" bigint not null,
  "owner" text,
  "created_at" bigint not null,
  "attempted_at" bigint not null,
  "finished_at" bigint,
  "precision" text default 'none' not null, constraint "downloaded_models_by_account" unique ("account_id",
  "name"));

CREATE INDEX "downloaded_models_by_name" on "downloaded_models" (
  "name");

CREATE INDEX "downloaded_models_by_status" on "downloaded_models" (
  "status",
  "owner");

CREATE TABLE "servers" (
  "name" text primary key,
  "beat" bigint not null,
  "nodes" bigint not null,
  "slots" bigint not null,
  "started_at" bigint not null);

CREATE TABLE "tuning_jobs" (
  "id" integer primary key autoincrement,
  "name" text not null unique,
  "account_id" bigint not null references "accounts" ("id") on delete cascade,
  "status" text not null,
  "error" text,
  "base_model" text not null,
  "model_name" text,
  "custom_model_name" text,
  "is_public" integer not null,
  "dataset_id" text,
  "arguments" text not null,
  "gate" text not null,
  "use_cached_model" integer not null,
  "gpus" bigint not null,
  "nodes" bigint not null,
  "slots" bigint not null,
  "facts" bigint not null,
  "priority" bigint not null,
  "round" bigint not null,
  "resume_count" bigint not null,
  "stumbles" bigint not null,
  "progress" text not null,
  "warnings" text not null,
  "events_read" bigint not null,
  "owner" text,
  "ran" bigint not null,
  "peak_memory" bigint,
  "created_at" bigint not null,
  "started_at" bigint,
  "finished_at" bigint,
  "sweep" text,
  "key_id" bigint references "keys" ("id") on delete set null,
  "policy" text);

CREATE INDEX "tuning_jobs_by_account" on "tuning_jobs" (
  "account_id",
  "id");

CREATE INDEX "tuning_jobs_by_round" on "tuning_jobs" (
  "round");

CREATE INDEX "tuning_jobs_by_owner" on "tuning_jobs" (
  "owner");

CREATE INDEX "tuning_jobs_waiting" on "tuning_jobs" (priority desc, round, id) where "status" in ('CREATED', 'QUEUED');

CREATE TABLE "tuning_events" (
  "id" integer primary key autoincrement,
  "job_id" bigint not null references "tuning_jobs" ("id") on delete cascade,
  "at" bigint not null,
  "type" text not null,
  "status" text,
  "reason" text);

CREATE INDEX "tuning_events_by_job" on "tuning_events" (
  "job_id",
  "id");

CREATE TABLE "tuning_points" (
  "job_id" bigint not null references "tuning_jobs" ("id") on delete cascade,
  "step" bigint not null,
  "point" text not null, constraint "tuning_points_by_job" primary key ("job_id",
  "step"));

CREATE TABLE "tuned_models" (
  "name" text primary key,
  "account_id" bigint not null references "accounts" ("id") on delete cascade,
  "job_id" bigint not null references "tuning_jobs" ("id") on delete cascade,
  "base_model" text not null,
  "dataset_id" text,
  "is_public" integer not null,
  "facts" bigint not null,
  "facts_recalled" bigint not null,
  "experts" bigint not null,
  "bytes" bigint not null,
  "created_at" bigint not null,
  "source" text,
  "policy" text);

CREATE INDEX "tuned_models_by_account" on "tuned_models" (
  "account_id",
  "job_id");

CREATE TABLE "webhooks" (
  "id" integer primary key autoincrement,
  "account_id" bigint not null references "accounts" ("id") on delete cascade,
  "url" text not null,
  "secret" text not null,
  "created_at" bigint not null,
  "failures" bigint default 0 not null,
  "retry_at" bigint default 0 not null);

CREATE INDEX "webhooks_by_account" on "webhooks" (
  "account_id");

CREATE TABLE "webhook_deliveries" (
  "id" integer primary key autoincrement,
  "webhook_id" bigint not null references "webhooks" ("id") on delete cascade,
  "job_id" bigint not null references "tuning_jobs" ("id") on delete cascade,
  "body" text not null,
  "status" text not null,
  "attempts" bigint not null,
  "last_answer" text,
  "next_at" bigint not null,
  "created_at" bigint not null);

CREATE INDEX "webhook_deliveries_by_webhook" on "webhook_deliveries" (
  "webhook_id",
  "id");

CREATE TABLE "evaluations" (
  "id" integer primary key autoincrement,
  "account_id" bigint not null references "accounts" ("id") on delete cascade,
  "key_id" bigint not null references "keys" ("id") on delete cascade,
  "name" text,
  "dataset" text,
  "request" text not null,
  "rows" bigint not null,
  "status" text not null,
  "error" text,
  "owner" text,
  "created_at" bigint not null,
  "finished_at" bigint,
  "job_id" bigint);

CREATE INDEX "evaluations_by_account" on "evaluations" (
  "account_id",
  "id");

CREATE INDEX "evaluations_by_status" on "evaluations" (
  "status",
  "owner");

CREATE TABLE "evaluation_questions" (
  "evaluation_id" bigint not null references "evaluations" ("id") on delete cascade,
  "row" bigint not null,
  "input" text not null,
  "output" text not null, constraint "evaluation_questions_by_row" primary key ("evaluation_id",
  "row"));

CREATE TABLE "evaluation_answers" (
  "evaluation_id" bigint not null references "evaluations" ("id") on delete cascade,
  "target" bigint not null,
  "row" bigint not null,
  "output" text not null,
  "exact" integer not null,
  "normalised" integer not null,
  "finish_reason" text not null,
  "error" text,
  "milliseconds" bigint not null,
  "prompt_tokens" bigint not null,
  "completion_tokens" bigint not null,
  "outcome" text, constraint "evaluation_answers_by_row" primary key ("evaluation_id",
  "row",
  "target"));

CREATE TABLE "indexes" (
  "id" integer primary key autoincrement,
  "account_id" bigint not null references "accounts" ("id") on delete cascade,
  "key_id" bigint not null references "keys" ("id") on delete cascade,
  "name" text,
  "model" text not null,
  "embedder" text not null,
  "vectors" text not null unique,
  "status" text not null,
  "error" text,
  "measured" text not null,
  "cancel" integer not null,
  "ready_at" bigint,
  "deleted_at" bigint,
  "owner" text,
  "created_at" bigint not null,
  "finished_at" bigint,
  "vectors_spare" text,
  "suggested" bigint default 0 not null, constraint "indexes_by_name" unique ("account_id",
  "name"));

CREATE INDEX "indexes_by_account" on "indexes" (
  "account_id",
  "id");

CREATE INDEX "indexes_by_status" on "indexes" (
  "status",
  "owner");

CREATE TABLE "index_files" (
  "id" integer primary key autoincrement,
  "index_id" bigint not null references "indexes" ("id") on delete cascade,
  "name" text not null,
  "sha256" text not null,
  "bytes" bigint not null,
  "blob" text not null unique,
  "state" text not null,
  "reason" text,
  "kind" text,
  "title" text,
  "pages_done" bigint not null,
  "pages" bigint,
  "passages" bigint not null,
  "notices" text not null,
  "metadata" text not null,
  "created_at" bigint not null,
  "finished_at" bigint,
  "started_at" bigint,
  "bytes_read" bigint default 0 not null);

CREATE INDEX "index_files_by_index" on "index_files" (
  "index_id",
  "id");

CREATE INDEX "index_files_by_state" on "index_files" (
  "index_id",
  "state");

CREATE TABLE "index_passages" (
  "index_id" bigint not null references "indexes" ("id") on delete cascade,
  "file_id" bigint not null references "index_files" ("id") on delete cascade,
  "number" bigint not null,
  "embedded" text not null,
  "passage" text not null, constraint "index_passages_by_file" primary key ("file_id",
  "number"));

CREATE INDEX "index_passages_by_text" on "index_passages" (
  "index_id",
  "embedded");

CREATE TABLE "index_events" (
  "id" integer primary key autoincrement,
  "index_id" bigint not null references "indexes" ("id") on delete cascade,
  "at" bigint not null,
  "kind" text not null,
  "text" text not null,
  "data" text not null);

CREATE INDEX "index_events_by_index" on "index_events" (
  "index_id",
  "id");

CREATE TABLE "index_suggestions" (
  "index_id" bigint not null references "indexes" ("id") on delete cascade,
  "question" text not null, constraint "index_suggestions_by_index" primary key ("index_id",
  "question"));

CREATE UNIQUE INDEX "evaluations_by_job" on "evaluations" (
  "job_id");

CREATE TABLE "passwords" (
  "account_id" bigint primary key references "accounts" ("id") on delete cascade,
  "hash" text not null,
  "changed_at" bigint not null);

CREATE TABLE "sessions" (
  "id" integer primary key autoincrement,
  "account_id" bigint not null references "accounts" ("id") on delete cascade,
  "key_id" bigint not null references "keys" ("id") on delete cascade,
  "hash" text not null unique,
  "browser" text not null,
  "created_at" bigint not null,
  "expires_at" bigint not null);

CREATE INDEX "sessions_by_account" on "sessions" (
  "account_id",
  "id");

CREATE TABLE "sign_in_links" (
  "hash" text primary key,
  "account_id" bigint not null references "accounts" ("id") on delete cascade,
  "created_at" bigint not null,
  "expires_at" bigint not null);

CREATE UNIQUE INDEX "tuned_models_by_source" on "tuned_models" (
  "account_id",
  "source");

CREATE INDEX "webhook_deliveries_waiting" on "webhook_deliveries" (
  "webhook_id",
  "next_at") where "status" = 'waiting';

CREATE TABLE "model_aliases" (
  "account_id" bigint not null references "accounts" ("id") on delete cascade,
  "alias" text not null,
  "model_name" text references "tuned_models" ("name") on delete set null,
  "job_id" bigint not null, constraint "model_aliases_of_account" primary key ("account_id",
  "alias"));

CREATE INDEX "model_aliases_by_model" on "model_aliases" (
  "model_name");

CREATE TABLE "trusted_time" (
  "id" integer primary key check (id = 1),
  "at" bigint not null,
  "ahead" bigint not null);

CREATE TABLE "audit_rows" (
  "number" bigint primary key,
  "at" bigint not null,
  "account_id" bigint,
  "actor_kind" text not null,
  "actor_account" bigint,
  "actor_name" text not null,
  "actor_key" bigint,
  "action" text not null,
  "subject" text not null,
  "details" text not null,
  "previous" text not null,
  "hash" text not null);

CREATE INDEX "audit_rows_by_account_id" on "audit_rows" (
  "account_id",
  "number");

CREATE INDEX "audit_rows_by_action" on "audit_rows" (
  "action",
  "number");

CREATE INDEX "audit_rows_by_subject" on "audit_rows" (
  "subject",
  "number");

CREATE TABLE "audit_head" (
  "id" integer primary key check (id = 1),
  "number" bigint not null,
  "hash" text not null,
  "first" bigint not null,
  "before" text not null);

CREATE TABLE "memories" (
  "id" integer primary key autoincrement,
  "account_id" bigint not null references "accounts" ("id") on delete cascade,
  "name" text not null,
  "base_model" text not null,
  "published" bigint,
  "latest" bigint not null,
  "changes" bigint not null,
  "created_at" bigint not null,
  "proposals" bigint default 0 not null, constraint "memories_by_name" unique ("account_id",
  "name"));

CREATE TABLE "memory_versions" (
  "memory_id" bigint not null references "memories" ("id") on delete cascade,
  "number" bigint not null,
  "model_name" text not null,
  "parent" bigint,
  "change" bigint not null,
  "facts" bigint not null,
  "recalled" bigint not null,
  "created_at" bigint not null,
  "gate" text, constraint "memory_versions_by_number" primary key ("memory_id",
  "number"));

CREATE INDEX "memory_versions_by_model" on "memory_versions" (
  "model_name");

CREATE TABLE "memory_changes" (
  "id" integer primary key autoincrement,
  "memory_id" bigint not null references "memories" ("id") on delete cascade,
  "number" bigint not null,
  "kind" text not null,
  "state" text not null,
  "operations" text not null,
  "added" bigint not null,
  "changed" bigint not null,
  "withdrawn" bigint not null,
  "reason" text,
  "actor" text not null,
  "key_id" bigint not null,
  "parent" bigint,
  "version" bigint,
  "job_id" bigint,
  "error" text,
  "created_at" bigint not null,
  "finished_at" bigint,
  "evaluation_id" bigint,
  "base_model" text, constraint "memory_changes_by_number" unique ("memory_id",
  "number"));

CREATE INDEX "memory_changes_by_state" on "memory_changes" (
  "state",
  "id");

CREATE TABLE "memory_facts" (
  "id" integer primary key autoincrement,
  "memory_id" bigint not null references "memories" ("id") on delete cascade,
  "input" text not null,
  "output" text not null,
  "subject" text,
  "question" text not null,
  "search" text not null,
  "dataset_id" text,
  "row" bigint,
  "change" bigint,
  "since" bigint not null,
  "until" bigint,
  "recalled" integer not null,
  "valid_from" text,
  "valid_until" text,
  "starts_at" bigint,
  "ends_at" bigint,
  "source" text,
  "source_kind" text,
  "source_name" text);

CREATE INDEX "memory_facts_by_id" on "memory_facts" (
  "memory_id",
  "id");

CREATE INDEX "memory_facts_by_question" on "memory_facts" (
  "memory_id",
  "question");

CREATE TABLE "memory_gates" (
  "memory_id" bigint primary key references "memories" ("id") on delete cascade,
  "dataset" text not null,
  "exact" double precision,
  "reworded" double precision,
  "max_regressions" bigint,
  "actor" text not null,
  "set_at" bigint not null);

CREATE TABLE "erasures" (
  "memory_id" bigint not null references "memories" ("id") on delete cascade,
  "number" bigint not null,
  "step" text not null,
  "facts" text not null,
  "count" bigint not null,
  "salt" text not null,
  "work" text not null,
  "receipt" bigint,
  "removing_since" bigint, constraint "erasures_by_number" primary key ("memory_id",
  "number"));

CREATE TABLE "erased_versions" (
  "memory_id" bigint not null references "memories" ("id") on delete cascade,
  "erasure" bigint not null,
  "version" bigint not null,
  "outcome" text not null,
  "reason" text,
  "job_id" bigint,
  "model_before" text not null,
  "before" text,
  "model_after" text,
  "after" text,
  "probes" text, constraint "erased_versions_by_version" primary key ("memory_id",
  "erasure",
  "version"));

CREATE TABLE "receipts" (
  "number" integer primary key autoincrement,
  "account_id" bigint not null references "accounts" ("id") on delete cascade,
  "memory" text not null,
  "memory_id" bigint not null,
  "erasure" bigint not null,
  "facts" bigint not null,
  "gone" integer not null,
  "body" text not null,
  "created_at" bigint not null, constraint "receipts_by_erasure" unique ("memory_id",
  "erasure"));

CREATE INDEX "receipts_by_account" on "receipts" (
  "account_id",
  "number");

CREATE TABLE "memory_proposals" (
  "id" integer primary key autoincrement,
  "memory_id" bigint not null references "memories" ("id") on delete cascade,
  "number" bigint not null,
  "kind" text not null,
  "state" text not null,
  "input" text not null,
  "output" text,
  "subject" text,
  "withdraws" text,
  "question" text not null,
  "search" text not null,
  "quote" text,
  "document" text,
  "index_id" bigint,
  "file_id" bigint,
  "page" bigint,
  "conversation" text,
  "confidence" double precision,
  "assignee" text,
  "accepted_input" text,
  "accepted_output" text,
  "change" bigint,
  "reason" text,
  "actor" text not null,
  "decided_by" text,
  "created_at" bigint not null,
  "decided_at" bigint,
  "stale_at" bigint, constraint "memory_proposals_by_number" unique ("memory_id",
  "number"));

CREATE INDEX "memory_proposals_by_state" on "memory_proposals" (
  "memory_id",
  "state",
  "number");

CREATE INDEX "memory_proposals_by_question" on "memory_proposals" (
  "memory_id",
  "question");

CREATE INDEX "memory_proposals_by_file" on "memory_proposals" (
  "file_id");

CREATE TABLE "memory_readings" (
  "id" integer primary key autoincrement,
  "memory_id" bigint not null references "memories" ("id") on delete cascade,
  "index_id" bigint not null,
  "only" text,
  "min_confidence" double precision not null,
  "assignee" text,
  "state" text not null,
  "place" bigint not null,
  "files" bigint not null,
  "files_done" bigint not null,
  "proposed" bigint not null,
  "known" bigint not null,
  "notices" text not null,
  "actor" text not null,
  "created_at" bigint not null,
  "finished_at" bigint,
  "key_id" bigint);

CREATE INDEX "memory_readings_by_memory" on "memory_readings" (
  "memory_id",
  "id");

CREATE TABLE "feedback_settings" (
  "account_id" bigint primary key references "accounts" ("id") on delete cascade,
  "days" bigint not null);

CREATE TABLE "answer_decisions" (
  "answer_id" text primary key,
  "account_id" bigint not null references "accounts" ("id") on delete cascade,
  "model" text not null,
  "input" text not null,
  "output" text not null,
  "decision" text,
  "created_at" bigint not null,
  "expires_at" bigint not null);

CREATE INDEX "answer_decisions_by_end" on "answer_decisions" (
  "expires_at");

CREATE TABLE "feedback" (
  "id" integer primary key autoincrement,
  "account_id" bigint not null references "accounts" ("id") on delete cascade,
  "answer_id" text not null,
  "rating" text not null,
  "model" text,
  "input" text,
  "output" text,
  "decision" text,
  "expected" text,
  "comment" text,
  "memory" text,
  "proposal" bigint,
  "actor" text not null,
  "created_at" bigint not null, constraint "feedback_by_answer" unique ("account_id",
  "answer_id"));

CREATE TABLE "request_rates" (
  "account_id" bigint primary key references "accounts" ("id") on delete cascade,
  "left" double precision not null,
  "at" double precision not null,
  "given" double precision not null);

CREATE INDEX "index_files_by_name" on "index_files" (
  "index_id",
  "name");
