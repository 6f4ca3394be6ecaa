// The newest migrations; migrations.ts has the earlier ones. Add the next one at the end.
import { type Kysely, sql } from 'kysely';
import { auditMigration } from './tables/audit.ts';
import { erasureMigration } from './tables/erasure.ts';
import { factDetailsMigration } from './tables/fact-details-columns.ts';
import { factFormsMigration } from './tables/fact-forms.ts';
import { feedbackMigration } from './tables/feedback.ts';
import { gateMigration } from './tables/gate.ts';
import { memoryMigration } from './tables/memory.ts';
import { proposalMigration } from './tables/proposal.ts';

const trustedTime = {
  name: 'trusted time',
  async up(db: Kysely<never>): Promise<void> {
    await db.schema
      .createTable('trusted_time')
      .addColumn('id', 'integer', (column) => column.primaryKey().check(sql`id = 1`))
      .addColumn('at', 'bigint', (column) => column.notNull())
      .addColumn('ahead', 'bigint', (column) => column.notNull())
      .execute();
  },
};

const memoryOfRuns = {
  name: 'how answers of runs came about',
  async up(db: Kysely<never>): Promise<void> {
    await db.schema.alterTable('answers').addColumn('memory', 'text').execute();
  },
};

const policies = {
  name: 'what models answer from',
  async up(db: Kysely<never>): Promise<void> {
    for (const table of ['tuned_models', 'tuning_jobs'])
      await db.schema.alterTable(table).addColumn('policy', 'text').execute();
  },
};

const outcomesOfEvaluations = {
  name: 'outcomes of evaluations',
  async up(db: Kysely<never>): Promise<void> {
    await db.schema.alterTable('evaluation_answers').addColumn('outcome', 'text').execute();
  },
};

const precisions = {
  name: 'precision of downloads',
  async up(db: Kysely<never>): Promise<void> {
    await db.schema
      .alterTable('downloaded_models')
      .addColumn('precision', 'text', (column) => column.notNull().defaultTo('none'))
      .execute();
  },
};

const requestRates = {
  name: 'requests a minute that servers share',
  async up(db: Kysely<never>): Promise<void> {
    await db.schema
      .createTable('request_rates')
      .addColumn('account_id', 'bigint', (column) => column.primaryKey().references('accounts.id').onDelete('cascade'))
      .addColumn('left', 'double precision', (column) => column.notNull())
      .addColumn('at', 'double precision', (column) => column.notNull())
      .addColumn('given', 'double precision', (column) => column.notNull())
      .execute();
  },
};

const readingsOfBases = {
  name: 'bases that are asked about documents',
  async up(db: Kysely<never>): Promise<void> {
    await db.schema.alterTable('memory_readings').addColumn('key_id', 'bigint').execute();
  },
};

const moves = {
  name: 'moves of memories to other bases',
  async up(db: Kysely<never>): Promise<void> {
    await db.schema.alterTable('memory_changes').addColumn('base_model', 'text').execute();
  },
};

const filesByName = {
  name: 'files of an index by name',
  async up(db: Kysely<never>): Promise<void> {
    await db.schema.createIndex('index_files_by_name').on('index_files').columns(['index_id', 'name']).execute();
  },
};

const readBytes = {
  name: 'bytes of a file that are read',
  async up(db: Kysely<never>): Promise<void> {
    await db.schema
      .alterTable('index_files')
      .addColumn('bytes_read', 'bigint', (column) => column.notNull().defaultTo(0))
      .execute();
  },
};

export const laterMigrations = [
  trustedTime,
  auditMigration,
  memoryMigration,
  memoryOfRuns,
  policies,
  outcomesOfEvaluations,
  gateMigration,
  factDetailsMigration,
  erasureMigration,
  proposalMigration,
  feedbackMigration,
  precisions,
  requestRates,
  readingsOfBases,
  moves,
  factFormsMigration,
  filesByName,
  readBytes,
];
