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
  "last_used_at" bigint);

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
