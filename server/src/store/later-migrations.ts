// The newest migrations; migrations.ts lists those before. The next one stands at the end.
import { type Kysely, sql } from 'kysely';
import { auditMigration } from './audit-tables.ts';
import { feedbackMigration } from './feedback-tables.ts';
import { memoryMigration } from './memory-tables.ts';
import { proposalMigration } from './proposal-tables.ts';

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

export const laterMigrations = [
  trustedTime,
  auditMigration,
  memoryMigration,
  memoryOfRuns,
  policies,
  outcomesOfEvaluations,
  proposalMigration,
  feedbackMigration,
];
