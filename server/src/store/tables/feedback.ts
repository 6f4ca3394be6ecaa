// Tables of feedback on answers, and the migration that creates them.
import type { Feedback } from '@lorekeep/contract';
import type { Generated, Kysely } from 'kysely';

/** An account that keeps decision records. */
export interface FeedbackSettingRow {
  account_id: number;
  days: number;
}

/** A question and its answer, until they expire. */
export interface AnswerDecisionRow {
  answer_id: string;
  account_id: number;
  model: string;
  input: string;
  output: string;
  /** JSON of how the model decided on the answer; null if the model does not report it. */
  decision: string | null;
  created_at: number;
  expires_at: number;
}

export interface FeedbackRow {
  id: Generated<number>;
  account_id: number;
  answer_id: string;
  rating: Feedback['rating'];
  model: string | null;
  input: string | null;
  output: string | null;
  decision: string | null;
  expected: string | null;
  comment: string | null;
  memory: string | null;
  proposal: number | null;
  actor: string;
  created_at: number;
}

export interface FeedbackTables {
  feedback_settings: FeedbackSettingRow;
  answer_decisions: AnswerDecisionRow;
  feedback: FeedbackRow;
}

export const feedbackMigration = {
  name: 'feedback',
  async up(db: Kysely<never>, engine: 'sqlite' | 'postgres'): Promise<void> {
    await db.schema
      .createTable('feedback_settings')
      .addColumn('account_id', 'bigint', (column) => column.primaryKey().references('accounts.id').onDelete('cascade'))
      .addColumn('days', 'bigint', (column) => column.notNull())
      .execute();
    await db.schema
      .createTable('answer_decisions')
      .addColumn('answer_id', 'text', (column) => column.primaryKey())
      .addColumn('account_id', 'bigint', (column) => column.notNull().references('accounts.id').onDelete('cascade'))
      .addColumn('model', 'text', (column) => column.notNull())
      .addColumn('input', 'text', (column) => column.notNull())
      .addColumn('output', 'text', (column) => column.notNull())
      .addColumn('decision', 'text')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .execute();
    await db.schema
      .createIndex('answer_decisions_by_end')
      .on('answer_decisions')
      .column('expires_at' as never)
      .execute();
    await db.schema
      .createTable('feedback')
      .addColumn('id', engine === 'sqlite' ? 'integer' : 'bigint', (column) =>
        engine === 'sqlite' ? column.primaryKey().autoIncrement() : column.primaryKey().generatedByDefaultAsIdentity(),
      )
      .addColumn('account_id', 'bigint', (column) => column.notNull().references('accounts.id').onDelete('cascade'))
      .addColumn('answer_id', 'text', (column) => column.notNull())
      .addColumn('rating', 'text', (column) => column.notNull())
      .addColumn('model', 'text')
      .addColumn('input', 'text')
      .addColumn('output', 'text')
      .addColumn('decision', 'text')
      .addColumn('expected', 'text')
      .addColumn('comment', 'text')
      .addColumn('memory', 'text')
      .addColumn('proposal', 'bigint')
      .addColumn('actor', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addUniqueConstraint('feedback_by_answer', ['account_id', 'answer_id'] as never[])
      .execute();
  },
};
