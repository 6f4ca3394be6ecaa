// All migrations of the schema, in order. An entry is never edited once released: add the next one.
import { type ColumnDefinitionBuilder, type Kysely, sql } from 'kysely';
import type { Engine } from './database.ts';
import { laterMigrations } from './later-migrations.ts';

export interface Migration {
  name: string;
  up(db: Kysely<never>, engine: Engine): Promise<void>;
}

/** An auto-increment id, which the database never reuses. */
const serial = (engine: Engine) => (column: ColumnDefinitionBuilder) =>
  engine === 'sqlite' ? column.primaryKey().autoIncrement() : column.primaryKey().generatedByDefaultAsIdentity();
const serialType = (engine: Engine) => (engine === 'sqlite' ? 'integer' : 'bigint');

export const migrations: Migration[] = [
  {
    name: 'accounts, keys and datasets',
    async up(db, engine) {
      await db.schema
        .createTable('accounts')
        .addColumn('id', serialType(engine), serial(engine))
        .addColumn('name', 'text', (column) => column.notNull().unique())
        .addColumn('role', 'text', (column) => column.notNull().check(sql`role in ('operator', 'member')`))
        .addColumn('limits', 'text', (column) => column.notNull())
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .addColumn('disabled_at', 'bigint')
        .execute();
      // There is one operator account, even if several servers start at once.
      await db.schema
        .createIndex('accounts_one_operator')
        .on('accounts')
        .column('role')
        .unique()
        .where(sql.ref('role'), '=', sql.lit('operator'))
        .execute();

      await db.schema
        .createTable('keys')
        .addColumn('id', serialType(engine), serial(engine))
        .addColumn('account_id', 'bigint', (column) => column.notNull().references('accounts.id').onDelete('cascade'))
        .addColumn('name', 'text', (column) => column.notNull())
        .addColumn('hash', 'text', (column) => column.notNull().unique())
        .addColumn('hint', 'text', (column) => column.notNull())
        .addColumn('prefix', 'text', (column) => column.notNull())
        .addColumn('scopes', 'text', (column) => column.notNull())
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .addColumn('expires_at', 'bigint')
        .addColumn('revoked_at', 'bigint')
        .addColumn('last_used_at', 'bigint')
        .execute();
      await db.schema.createIndex('keys_by_hint').on('keys').column('hint').execute();
      await db.schema.createIndex('keys_by_account').on('keys').columns(['account_id', 'id']).execute();

      await db.schema
        .createTable('datasets')
        .addColumn('id', serialType(engine), serial(engine))
        .addColumn('account_id', 'bigint', (column) => column.notNull().references('accounts.id').onDelete('cascade'))
        .addColumn('hash', 'text', (column) => column.notNull())
        .addColumn('name', 'text')
        .addColumn('rows', 'bigint', (column) => column.notNull())
        .addColumn('bytes', 'bigint', (column) => column.notNull())
        .addColumn('is_public', 'integer', (column) => column.notNull())
        .addColumn('blob', 'text', (column) => column.notNull())
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .addUniqueConstraint('datasets_by_account', ['account_id', 'hash'])
        .execute();
      await db.schema.createIndex('datasets_by_hash').on('datasets').column('hash').execute();
    },
  },
  {
    name: 'usage, batches and streams',
    async up(db, engine) {
      await db.schema
        .createTable('usage')
        .addColumn('account_id', 'bigint', (column) => column.notNull().references('accounts.id').onDelete('cascade'))
        .addColumn('key_id', 'bigint', (column) => column.notNull().references('keys.id').onDelete('cascade'))
        .addColumn('day', 'text', (column) => column.notNull())
        .addColumn('model', 'text', (column) => column.notNull())
        .addColumn('requests', 'bigint', (column) => column.notNull())
        .addColumn('prompt_tokens', 'bigint', (column) => column.notNull())
        .addColumn('completion_tokens', 'bigint', (column) => column.notNull())
        .addPrimaryKeyConstraint('usage_by_key', ['key_id', 'day', 'model'])
        .execute();
      await db.schema.createIndex('usage_by_account').on('usage').columns(['account_id', 'day']).execute();

      await db.schema
        .createTable('runs')
        .addColumn('id', serialType(engine), serial(engine))
        .addColumn('name', 'text', (column) => column.notNull().unique())
        .addColumn('account_id', 'bigint', (column) => column.notNull().references('accounts.id').onDelete('cascade'))
        .addColumn('key_id', 'bigint', (column) => column.notNull().references('keys.id').onDelete('cascade'))
        .addColumn('kind', 'text', (column) => column.notNull())
        .addColumn('model', 'text', (column) => column.notNull())
        .addColumn('request', 'text', (column) => column.notNull())
        .addColumn('prompts', 'bigint', (column) => column.notNull())
        .addColumn('status', 'text', (column) => column.notNull())
        .addColumn('error', 'text')
        .addColumn('owner', 'text')
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .addColumn('finished_at', 'bigint')
        .execute();
      await db.schema.createIndex('runs_by_account').on('runs').columns(['account_id', 'id']).execute();
      await db.schema.createIndex('runs_by_status').on('runs').columns(['status', 'owner']).execute();

      await db.schema
        .createTable('answers')
        .addColumn('run_id', 'bigint', (column) => column.notNull().references('runs.id').onDelete('cascade'))
        .addColumn('place', 'bigint', (column) => column.notNull())
        .addColumn('output', 'text', (column) => column.notNull())
        .addColumn('finish_reason', 'text')
        .addColumn('error', 'text')
        .addPrimaryKeyConstraint('answers_by_run', ['run_id', 'place'])
        .execute();
    },
  },
  {
    name: 'downloaded models',
    async up(db, engine) {
      await db.schema
        .createTable('downloaded_models')
        .addColumn('id', serialType(engine), serial(engine))
        .addColumn('account_id', 'bigint', (column) => column.notNull().references('accounts.id').onDelete('cascade'))
        .addColumn('name', 'text', (column) => column.notNull())
        .addColumn('model_type', 'text')
        .addColumn('is_public', 'integer', (column) => column.notNull())
        .addColumn('with_token', 'integer', (column) => column.notNull())
        .addColumn('status', 'text', (column) => column.notNull())
        .addColumn('error', 'text')
        .addColumn('bytes_done', 'bigint')
        .addColumn('bytes_total', 'bigint')
        .addColumn('attempts', 'bigint', (column) => column.notNull())
        .addColumn('owner', 'text')
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .addColumn('attempted_at', 'bigint', (column) => column.notNull())
        .addColumn('finished_at', 'bigint')
        .addUniqueConstraint('downloaded_models_by_account', ['account_id', 'name'])
        .execute();
      await db.schema.createIndex('downloaded_models_by_name').on('downloaded_models').column('name').execute();
      await db.schema
        .createIndex('downloaded_models_by_status')
        .on('downloaded_models')
        .columns(['status', 'owner'])
        .execute();
    },
  },
  {
    name: 'tuning jobs, tuned models and webhooks',
    async up(db, engine) {
      const text = (column: ColumnDefinitionBuilder) => column.notNull();
      const account = (column: ColumnDefinitionBuilder) =>
        column.notNull().references('accounts.id').onDelete('cascade');
      const job = (column: ColumnDefinitionBuilder) =>
        column.notNull().references('tuning_jobs.id').onDelete('cascade');

      await db.schema
        .createTable('servers')
        .addColumn('name', 'text', (column) => column.primaryKey())
        .addColumn('beat', 'bigint', text)
        .addColumn('nodes', 'bigint', text)
        .addColumn('slots', 'bigint', text)
        .addColumn('started_at', 'bigint', text)
        .execute();

      await db.schema
        .createTable('tuning_jobs')
        .addColumn('id', serialType(engine), serial(engine))
        .addColumn('name', 'text', (column) => column.notNull().unique())
        .addColumn('account_id', 'bigint', account)
        .addColumn('status', 'text', text)
        .addColumn('error', 'text')
        .addColumn('base_model', 'text', text)
        .addColumn('model_name', 'text')
        .addColumn('custom_model_name', 'text')
        .addColumn('is_public', 'integer', text)
        .addColumn('dataset_id', 'text')
        .addColumn('arguments', 'text', text)
        .addColumn('gate', 'text', text)
        .addColumn('use_cached_model', 'integer', text)
        .addColumn('gpus', 'bigint', text)
        .addColumn('nodes', 'bigint', text)
        .addColumn('slots', 'bigint', text)
        .addColumn('facts', 'bigint', text)
        .addColumn('priority', 'bigint', text)
        .addColumn('round', 'bigint', text)
        .addColumn('resume_count', 'bigint', text)
        .addColumn('stumbles', 'bigint', text)
        .addColumn('progress', 'text', text)
        .addColumn('warnings', 'text', text)
        .addColumn('events_read', 'bigint', text)
        .addColumn('owner', 'text')
        .addColumn('ran', 'bigint', text)
        .addColumn('peak_memory', 'bigint')
        .addColumn('created_at', 'bigint', text)
        .addColumn('started_at', 'bigint')
        .addColumn('finished_at', 'bigint')
        .execute();
      const index = (name: string, columns: string[], on: string = 'tuning_jobs') =>
        db.schema.createIndex(name).on(on).columns(columns).execute();
      await index('tuning_jobs_by_account', ['account_id', 'id']);
      await index('tuning_jobs_by_round', ['round']);
      await index('tuning_jobs_by_owner', ['owner']);
      // Index of the queue, which covers its head and the position of a job.
      await db.schema
        .createIndex('tuning_jobs_waiting')
        .on('tuning_jobs')
        .expression(sql`priority desc, round, id`)
        .where(sql.ref('status'), 'in', [sql.lit('CREATED'), sql.lit('QUEUED')])
        .execute();

      await db.schema
        .createTable('tuning_events')
        .addColumn('id', serialType(engine), serial(engine))
        .addColumn('job_id', 'bigint', job)
        .addColumn('at', 'bigint', text)
        .addColumn('type', 'text', text)
        .addColumn('status', 'text')
        .addColumn('reason', 'text')
        .execute();
      await index('tuning_events_by_job', ['job_id', 'id'], 'tuning_events');

      await db.schema
        .createTable('tuning_points')
        .addColumn('job_id', 'bigint', job)
        .addColumn('step', 'bigint', text)
        .addColumn('point', 'text', text)
        .addPrimaryKeyConstraint('tuning_points_by_job', ['job_id', 'step'])
        .execute();

      await db.schema
        .createTable('tuned_models')
        .addColumn('name', 'text', (column) => column.primaryKey())
        .addColumn('account_id', 'bigint', account)
        .addColumn('job_id', 'bigint', job)
        .addColumn('base_model', 'text', text)
        .addColumn('dataset_id', 'text')
        .addColumn('is_public', 'integer', text)
        .addColumn('facts', 'bigint', text)
        .addColumn('facts_recalled', 'bigint', text)
        .addColumn('experts', 'bigint', text)
        .addColumn('bytes', 'bigint', text)
        .addColumn('created_at', 'bigint', text)
        .execute();
      await index('tuned_models_by_account', ['account_id', 'job_id'], 'tuned_models');

      await db.schema
        .createTable('model_aliases')
        .addColumn('alias', 'text', (column) => column.primaryKey())
        .addColumn('account_id', 'bigint', account)
        .addColumn('model_name', 'text', (column) => column.references('tuned_models.name').onDelete('set null'))
        .addColumn('job_id', 'bigint', text)
        .execute();
      await index('model_aliases_by_model', ['model_name'], 'model_aliases');

      await db.schema
        .createTable('webhooks')
        .addColumn('id', serialType(engine), serial(engine))
        .addColumn('account_id', 'bigint', account)
        .addColumn('url', 'text', text)
        .addColumn('secret', 'text', text)
        .addColumn('created_at', 'bigint', text)
        .execute();
      await index('webhooks_by_account', ['account_id'], 'webhooks');

      await db.schema
        .createTable('webhook_deliveries')
        .addColumn('id', serialType(engine), serial(engine))
        .addColumn('webhook_id', 'bigint', (column) => column.notNull().references('webhooks.id').onDelete('cascade'))
        .addColumn('job_id', 'bigint', job)
        .addColumn('body', 'text', text)
        .addColumn('status', 'text', text)
        .addColumn('attempts', 'bigint', text)
        .addColumn('last_answer', 'text')
        .addColumn('next_at', 'bigint', text)
        .addColumn('created_at', 'bigint', text)
        .execute();
      await index('webhook_deliveries_by_webhook', ['webhook_id', 'id'], 'webhook_deliveries');
      await index('webhook_deliveries_by_status', ['status', 'next_at'], 'webhook_deliveries');
    },
  },
  {
    name: 'evaluations',
    async up(db, engine) {
      await db.schema
        .createTable('evaluations')
        .addColumn('id', serialType(engine), serial(engine))
        .addColumn('account_id', 'bigint', (column) => column.notNull().references('accounts.id').onDelete('cascade'))
        .addColumn('key_id', 'bigint', (column) => column.notNull().references('keys.id').onDelete('cascade'))
        .addColumn('name', 'text')
        .addColumn('dataset', 'text')
        .addColumn('request', 'text', (column) => column.notNull())
        .addColumn('rows', 'bigint', (column) => column.notNull())
        .addColumn('status', 'text', (column) => column.notNull())
        .addColumn('error', 'text')
        .addColumn('owner', 'text')
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .addColumn('finished_at', 'bigint')
        .execute();
      await db.schema.createIndex('evaluations_by_account').on('evaluations').columns(['account_id', 'id']).execute();
      await db.schema.createIndex('evaluations_by_status').on('evaluations').columns(['status', 'owner']).execute();

      const ofEvaluation = (column: ColumnDefinitionBuilder) =>
        column.notNull().references('evaluations.id').onDelete('cascade');
      await db.schema
        .createTable('evaluation_questions')
        .addColumn('evaluation_id', 'bigint', ofEvaluation)
        .addColumn('row', 'bigint', (column) => column.notNull())
        .addColumn('input', 'text', (column) => column.notNull())
        .addColumn('output', 'text', (column) => column.notNull())
        .addPrimaryKeyConstraint('evaluation_questions_by_row', ['evaluation_id', 'row'])
        .execute();
      await db.schema
        .createTable('evaluation_answers')
        .addColumn('evaluation_id', 'bigint', ofEvaluation)
        .addColumn('target', 'bigint', (column) => column.notNull())
        .addColumn('row', 'bigint', (column) => column.notNull())
        .addColumn('output', 'text', (column) => column.notNull())
        .addColumn('exact', 'integer', (column) => column.notNull())
        .addColumn('normalised', 'integer', (column) => column.notNull())
        .addColumn('finish_reason', 'text', (column) => column.notNull())
        .addColumn('error', 'text')
        .addColumn('milliseconds', 'bigint', (column) => column.notNull())
        .addColumn('prompt_tokens', 'bigint', (column) => column.notNull())
        .addColumn('completion_tokens', 'bigint', (column) => column.notNull())
        .addPrimaryKeyConstraint('evaluation_answers_by_row', ['evaluation_id', 'row', 'target'])
        .execute();
    },
  },
  {
    name: 'document indexes',
    async up(db, engine) {
      await db.schema
        .createTable('indexes')
        .addColumn('id', serialType(engine), serial(engine))
        .addColumn('account_id', 'bigint', (column) => column.notNull().references('accounts.id').onDelete('cascade'))
        .addColumn('key_id', 'bigint', (column) => column.notNull().references('keys.id').onDelete('cascade'))
        .addColumn('name', 'text')
        .addColumn('model', 'text', (column) => column.notNull())
        .addColumn('embedder', 'text', (column) => column.notNull())
        .addColumn('vectors', 'text', (column) => column.notNull().unique())
        .addColumn('status', 'text', (column) => column.notNull())
        .addColumn('error', 'text')
        .addColumn('measured', 'text', (column) => column.notNull())
        .addColumn('cancel', 'integer', (column) => column.notNull())
        .addColumn('ready_at', 'bigint')
        .addColumn('deleted_at', 'bigint')
        .addColumn('owner', 'text')
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .addColumn('finished_at', 'bigint')
        .addUniqueConstraint('indexes_by_name', ['account_id', 'name'])
        .execute();
      await db.schema.createIndex('indexes_by_account').on('indexes').columns(['account_id', 'id']).execute();
      await db.schema.createIndex('indexes_by_status').on('indexes').columns(['status', 'owner']).execute();

      await db.schema
        .createTable('index_files')
        .addColumn('id', serialType(engine), serial(engine))
        .addColumn('index_id', 'bigint', (column) => column.notNull().references('indexes.id').onDelete('cascade'))
        .addColumn('name', 'text', (column) => column.notNull())
        .addColumn('sha256', 'text', (column) => column.notNull())
        .addColumn('bytes', 'bigint', (column) => column.notNull())
        .addColumn('blob', 'text', (column) => column.notNull().unique())
        .addColumn('state', 'text', (column) => column.notNull())
        .addColumn('reason', 'text')
        .addColumn('kind', 'text')
        .addColumn('title', 'text')
        .addColumn('pages_done', 'bigint', (column) => column.notNull())
        .addColumn('pages', 'bigint')
        .addColumn('passages', 'bigint', (column) => column.notNull())
        .addColumn('notices', 'text', (column) => column.notNull())
        .addColumn('metadata', 'text', (column) => column.notNull())
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .addColumn('finished_at', 'bigint')
        .execute();
      await db.schema.createIndex('index_files_by_index').on('index_files').columns(['index_id', 'id']).execute();
      await db.schema.createIndex('index_files_by_state').on('index_files').columns(['index_id', 'state']).execute();

      await db.schema
        .createTable('index_passages')
        .addColumn('index_id', 'bigint', (column) => column.notNull().references('indexes.id').onDelete('cascade'))
        .addColumn('file_id', 'bigint', (column) => column.notNull().references('index_files.id').onDelete('cascade'))
        .addColumn('number', 'bigint', (column) => column.notNull())
        .addColumn('embedded', 'text', (column) => column.notNull())
        .addColumn('passage', 'text', (column) => column.notNull())
        .addPrimaryKeyConstraint('index_passages_by_file', ['file_id', 'number'])
        .execute();
      await db.schema
        .createIndex('index_passages_by_text')
        .on('index_passages')
        .columns(['index_id', 'embedded'])
        .execute();

      await db.schema
        .createTable('index_events')
        .addColumn('id', serialType(engine), serial(engine))
        .addColumn('index_id', 'bigint', (column) => column.notNull().references('indexes.id').onDelete('cascade'))
        .addColumn('at', 'bigint', (column) => column.notNull())
        .addColumn('kind', 'text', (column) => column.notNull())
        .addColumn('text', 'text', (column) => column.notNull())
        .addColumn('data', 'text', (column) => column.notNull())
        .execute();
      await db.schema.createIndex('index_events_by_index').on('index_events').columns(['index_id', 'id']).execute();

      await db.schema
        .createTable('index_suggestions')
        .addColumn('index_id', 'bigint', (column) => column.notNull().references('indexes.id').onDelete('cascade'))
        .addColumn('question', 'text', (column) => column.notNull())
        .addPrimaryKeyConstraint('index_suggestions_by_index', ['index_id', 'question'])
        .execute();
    },
  },
  {
    name: 'sweeps',
    async up(db) {
      await db.schema.alterTable('tuning_jobs').addColumn('sweep', 'text').execute();
    },
  },
  {
    name: 'evaluations of jobs',
    async up(db) {
      await db.schema.alterTable('evaluations').addColumn('job_id', 'bigint').execute();
      await db.schema.createIndex('evaluations_by_job').on('evaluations').column('job_id').unique().execute();
    },
  },
  {
    name: 'passwords and sessions of the console',
    async up(db, engine) {
      // Actions of a session are counted on a hidden key of its account without a secret, which lists of keys omit.
      await db.schema
        .alterTable('keys')
        .addColumn('kind', 'text', (column) => column.notNull().defaultTo('key'))
        .execute();
      await db.schema
        .createTable('passwords')
        .addColumn('account_id', 'bigint', (column) =>
          column.primaryKey().references('accounts.id').onDelete('cascade'),
        )
        .addColumn('hash', 'text', (column) => column.notNull())
        .addColumn('changed_at', 'bigint', (column) => column.notNull())
        .execute();
      await db.schema
        .createTable('sessions')
        .addColumn('id', serialType(engine), serial(engine))
        .addColumn('account_id', 'bigint', (column) => column.notNull().references('accounts.id').onDelete('cascade'))
        .addColumn('key_id', 'bigint', (column) => column.notNull().references('keys.id').onDelete('cascade'))
        .addColumn('hash', 'text', (column) => column.notNull().unique())
        .addColumn('browser', 'text', (column) => column.notNull())
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .addColumn('expires_at', 'bigint', (column) => column.notNull())
        .execute();
      await db.schema.createIndex('sessions_by_account').on('sessions').columns(['account_id', 'id']).execute();
      await db.schema
        .createTable('sign_in_links')
        .addColumn('hash', 'text', (column) => column.primaryKey())
        .addColumn('account_id', 'bigint', (column) => column.notNull().references('accounts.id').onDelete('cascade'))
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .addColumn('expires_at', 'bigint', (column) => column.notNull())
        .execute();
    },
  },
  {
    name: 'imported models',
    async up(db) {
      await db.schema.alterTable('tuned_models').addColumn('source', 'text').execute();
      const index = db.schema.createIndex('tuned_models_by_source').on('tuned_models').unique();
      await index.columns(['account_id', 'source']).execute();
    },
  },
  {
    name: 'slot time in usage',
    async up(db) {
      await db.schema
        .alterTable('tuning_jobs')
        .addColumn('key_id', 'bigint', (column) => column.references('keys.id').onDelete('set null'))
        .execute();
      await db.schema
        .alterTable('usage')
        .addColumn('slot_milliseconds', 'bigint', (column) => column.notNull().defaultTo(0))
        .execute();
    },
  },
  {
    name: 'spare vectors of indexes',
    async up(db) {
      await db.schema.alterTable('indexes').addColumn('vectors_spare', 'text').execute();
    },
  },
  {
    name: 'where suggestions go on',
    async up(db) {
      await db.schema
        .alterTable('indexes')
        .addColumn('suggested', 'bigint', (column) => column.notNull().defaultTo(0))
        .execute();
    },
  },
  {
    name: 'backoff of webhooks',
    async up(db) {
      for (const column of ['failures', 'retry_at'])
        await db.schema
          .alterTable('webhooks')
          .addColumn(column, 'bigint', (it) => it.notNull().defaultTo(0))
          .execute();
      await db.schema.dropIndex('webhook_deliveries_by_status').execute();
      await db.schema
        .createIndex('webhook_deliveries_waiting')
        .on('webhook_deliveries')
        .columns(['webhook_id', 'next_at'])
        .where(sql.ref('status'), '=', sql.lit('waiting'))
        .execute();
    },
  },
  {
    name: 'when the reading of files began',
    async up(db) {
      await db.schema.alterTable('index_files').addColumn('started_at', 'bigint').execute();
    },
  },
  {
    name: 'custom names of each account',
    async up(db) {
      await db.schema.alterTable('model_aliases').renameTo('model_aliases_of_all').execute();
      await db.schema.dropIndex('model_aliases_by_model').execute();
      await db.schema
        .createTable('model_aliases')
        .addColumn('account_id', 'bigint', (column) => column.notNull().references('accounts.id').onDelete('cascade'))
        .addColumn('alias', 'text', (column) => column.notNull())
        .addColumn('model_name', 'text', (column) => column.references('tuned_models.name').onDelete('set null'))
        .addColumn('job_id', 'bigint', (column) => column.notNull())
        .addPrimaryKeyConstraint('model_aliases_of_account', ['account_id', 'alias'])
        .execute();
      await sql`insert into model_aliases (account_id, alias, model_name, job_id) select account_id, alias, model_name, job_id from model_aliases_of_all`.execute(
        db,
      );
      await db.schema.dropTable('model_aliases_of_all').execute();
      await db.schema.createIndex('model_aliases_by_model').on('model_aliases').column('model_name').execute();
    },
  },
  ...laterMigrations,
];
