// Tables of proposals and readings, and the migration that creates them.
import type { Proposal, Reading } from '@lorekeep/contract';
import type { Generated, Kysely } from 'kysely';

export interface ProposalRow {
  id: Generated<number>;
  memory_id: number;
  number: number;
  kind: Proposal['kind'];
  state: Proposal['state'];
  input: string;
  /** Null if the fact is to be withdrawn. */
  output: string | null;
  subject: string | null;
  withdraws: string | null;
  /** Key of the question: equal for questions that differ only in white space. */
  question: string;
  /** Question, answer and quote in lower case. */
  search: string;
  quote: string | null;
  document: string | null;
  index_id: number | null;
  file_id: number | null;
  page: number | null;
  conversation: string | null;
  confidence: number | null;
  assignee: string | null;
  /** The accepted wording, if it differs. */
  accepted_input: string | null;
  accepted_output: string | null;
  change: number | null;
  reason: string | null;
  actor: string;
  decided_by: string | null;
  created_at: number;
  decided_at: number | null;
  /** Time since which its document is deleted or has other content. */
  stale_at: number | null;
}

/** A reading of documents for a memory. */
export interface ReadingRow {
  id: Generated<number>;
  memory_id: number;
  index_id: number;
  /** JSON of the ids of files; null for all. */
  only: string | null;
  min_confidence: number;
  assignee: string | null;
  state: Reading['state'];
  /** The id of the last file that was read. */
  place: number;
  files: number;
  files_done: number;
  proposed: number;
  known: number;
  /** JSON of a list of sentences. */
  notices: string;
  actor: string;
  /** The key whose account queries the base about prose; null if no base is queried. */
  key_id: number | null;
  created_at: number;
  finished_at: number | null;
}

export interface ProposalTables {
  memory_proposals: ProposalRow;
  memory_readings: ReadingRow;
}

export const proposalMigration = {
  name: 'proposals',
  async up(db: Kysely<never>, engine: 'sqlite' | 'postgres'): Promise<void> {
    await db.schema
      .alterTable('memories')
      .addColumn('proposals', 'bigint', (column) => column.notNull().defaultTo(0))
      .execute();
    await db.schema
      .createTable('memory_proposals')
      .addColumn('id', engine === 'sqlite' ? 'integer' : 'bigint', (column) =>
        engine === 'sqlite' ? column.primaryKey().autoIncrement() : column.primaryKey().generatedByDefaultAsIdentity(),
      )
      .addColumn('memory_id', 'bigint', (column) => column.notNull().references('memories.id').onDelete('cascade'))
      .addColumn('number', 'bigint', (column) => column.notNull())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('input', 'text', (column) => column.notNull())
      .addColumn('output', 'text')
      .addColumn('subject', 'text')
      .addColumn('withdraws', 'text')
      .addColumn('question', 'text', (column) => column.notNull())
      .addColumn('search', 'text', (column) => column.notNull())
      .addColumn('quote', 'text')
      .addColumn('document', 'text')
      .addColumn('index_id', 'bigint')
      .addColumn('file_id', 'bigint')
      .addColumn('page', 'bigint')
      .addColumn('conversation', 'text')
      .addColumn('confidence', 'double precision')
      .addColumn('assignee', 'text')
      .addColumn('accepted_input', 'text')
      .addColumn('accepted_output', 'text')
      .addColumn('change', 'bigint')
      .addColumn('reason', 'text')
      .addColumn('actor', 'text', (column) => column.notNull())
      .addColumn('decided_by', 'text')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('decided_at', 'bigint')
      .addColumn('stale_at', 'bigint')
      .addUniqueConstraint('memory_proposals_by_number', ['memory_id', 'number'])
      .execute();
    const indexes = { state: ['memory_id', 'state', 'number'], question: ['memory_id', 'question'], file: ['file_id'] };
    for (const [name, columns] of Object.entries(indexes))
      await db.schema
        .createIndex(`memory_proposals_by_${name}`)
        .on('memory_proposals')
        .columns(columns as never[])
        .execute();
    await createReadings(db, engine);
  },
};

async function createReadings(db: Kysely<never>, engine: 'sqlite' | 'postgres'): Promise<void> {
  await db.schema
    .createTable('memory_readings')
    .addColumn('id', engine === 'sqlite' ? 'integer' : 'bigint', (column) =>
      engine === 'sqlite' ? column.primaryKey().autoIncrement() : column.primaryKey().generatedByDefaultAsIdentity(),
    )
    .addColumn('memory_id', 'bigint', (column) => column.notNull().references('memories.id').onDelete('cascade'))
    .addColumn('index_id', 'bigint', (column) => column.notNull())
    .addColumn('only', 'text')
    .addColumn('min_confidence', 'double precision', (column) => column.notNull())
    .addColumn('assignee', 'text')
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('place', 'bigint', (column) => column.notNull())
    .addColumn('files', 'bigint', (column) => column.notNull())
    .addColumn('files_done', 'bigint', (column) => column.notNull())
    .addColumn('proposed', 'bigint', (column) => column.notNull())
    .addColumn('known', 'bigint', (column) => column.notNull())
    .addColumn('notices', 'text', (column) => column.notNull())
    .addColumn('actor', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('finished_at', 'bigint')
    .execute();
  await db.schema
    .createIndex('memory_readings_by_memory')
    .on('memory_readings')
    .columns(['memory_id', 'id'] as never[])
    .execute();
}
