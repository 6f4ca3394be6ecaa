// Tables of memories, and the migration that creates them.
import type { MemoryChange } from '@lorekeep/contract';
import type { Generated, Kysely } from 'kysely';

/** A named object whose versions are tuned models. Its name is a custom name of models. */
export interface MemoryRow {
  id: Generated<number>;
  account_id: number;
  name: string;
  base_model: string;
  /** The version that the name points to. */
  published: number | null;
  /** Number of the last version, 0 before the first; `changes` is the same for changes. */
  latest: number;
  changes: number;
  /** The number of the last proposal. */
  proposals: Generated<number>;
  created_at: number;
}

/** Immutable. */
export interface MemoryVersionRow {
  memory_id: number;
  number: number;
  model_name: string;
  /** The version that the change was applied to. */
  parent: number | null;
  change: number;
  facts: number;
  recalled: number;
  /** JSON of the result of the gate; null if no gate checked it. */
  gate: string | null;
  created_at: number;
}

export interface MemoryChangeRow {
  id: Generated<number>;
  memory_id: number;
  number: number;
  kind: MemoryChange['kind'];
  state: MemoryChange['state'];
  /** JSON of the operations on facts; emptied when the change has finished. */
  operations: string;
  added: number;
  changed: number;
  withdrawn: number;
  reason: string | null;
  actor: string;
  key_id: number;
  parent: number | null;
  version: number | null;
  job_id: number | null;
  /** The evaluation of the gate. */
  evaluation_id: number | null;
  error: string | null;
  /** The base that the memory moves to; null for other kinds of changes. */
  base_model: string | null;
  created_at: number;
  finished_at: number | null;
}

/** A fact, from the version that added it (`since`) to the first version without it (`until`). */
export interface MemoryFactRow {
  id: Generated<number>;
  memory_id: number;
  input: string;
  output: string;
  subject: string | null;
  /** Key of the question: equal for questions that differ only in white space. */
  question: string;
  /** Question, answer and subject in lower case. */
  search: string;
  dataset_id: string | null;
  row: number | null;
  change: number | null;
  since: number;
  until: number | null;
  recalled: number;
  /** As given: a date, or a time in UTC. */
  valid_from: string | null;
  valid_until: string | null;
  /** The same in milliseconds; the end is exclusive. */
  starts_at: number | null;
  ends_at: number | null;
  /** JSON of the source that its change named; its kind and name for searching. */
  source: string | null;
  source_kind: string | null;
  source_name: string | null;
}

export interface MemoryTables {
  memories: MemoryRow;
  memory_versions: MemoryVersionRow;
  memory_changes: MemoryChangeRow;
  memory_facts: MemoryFactRow;
}

type Database = Kysely<never>;
type Engine = 'sqlite' | 'postgres';

const tableWithId = (db: Database, engine: Engine, name: string) =>
  db.schema
    .createTable(name)
    .addColumn('id', engine === 'sqlite' ? 'integer' : 'bigint', (column) =>
      engine === 'sqlite' ? column.primaryKey().autoIncrement() : column.primaryKey().generatedByDefaultAsIdentity(),
    );

export const memoryMigration = {
  name: 'memories',
  async up(db: Database, engine: Engine): Promise<void> {
    await tableWithId(db, engine, 'memories')
      .addColumn('account_id', 'bigint', (column) => column.notNull().references('accounts.id').onDelete('cascade'))
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('base_model', 'text', (column) => column.notNull())
      .addColumn('published', 'bigint')
      .addColumn('latest', 'bigint', (column) => column.notNull())
      .addColumn('changes', 'bigint', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addUniqueConstraint('memories_by_name', ['account_id', 'name'])
      .execute();
    await db.schema
      .createTable('memory_versions')
      .addColumn('memory_id', 'bigint', (column) => column.notNull().references('memories.id').onDelete('cascade'))
      .addColumn('number', 'bigint', (column) => column.notNull())
      .addColumn('model_name', 'text', (column) => column.notNull())
      .addColumn('parent', 'bigint')
      .addColumn('change', 'bigint', (column) => column.notNull())
      .addColumn('facts', 'bigint', (column) => column.notNull())
      .addColumn('recalled', 'bigint', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('memory_versions_by_number', ['memory_id', 'number'])
      .execute();
    await db.schema.createIndex('memory_versions_by_model').on('memory_versions').column('model_name').execute();
    await createChangesAndFacts(db, engine);
  },
};

async function createChangesAndFacts(db: Database, engine: Engine): Promise<void> {
  await tableWithId(db, engine, 'memory_changes')
    .addColumn('memory_id', 'bigint', (column) => column.notNull().references('memories.id').onDelete('cascade'))
    .addColumn('number', 'bigint', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('operations', 'text', (column) => column.notNull())
    .addColumn('added', 'bigint', (column) => column.notNull())
    .addColumn('changed', 'bigint', (column) => column.notNull())
    .addColumn('withdrawn', 'bigint', (column) => column.notNull())
    .addColumn('reason', 'text')
    .addColumn('actor', 'text', (column) => column.notNull())
    .addColumn('key_id', 'bigint', (column) => column.notNull())
    .addColumn('parent', 'bigint')
    .addColumn('version', 'bigint')
    .addColumn('job_id', 'bigint')
    .addColumn('error', 'text')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('finished_at', 'bigint')
    .addUniqueConstraint('memory_changes_by_number', ['memory_id', 'number'])
    .execute();
  await db.schema.createIndex('memory_changes_by_state').on('memory_changes').columns(['state', 'id']).execute();
  await tableWithId(db, engine, 'memory_facts')
    .addColumn('memory_id', 'bigint', (column) => column.notNull().references('memories.id').onDelete('cascade'))
    .addColumn('input', 'text', (column) => column.notNull())
    .addColumn('output', 'text', (column) => column.notNull())
    .addColumn('subject', 'text')
    .addColumn('question', 'text', (column) => column.notNull())
    .addColumn('search', 'text', (column) => column.notNull())
    .addColumn('dataset_id', 'text')
    .addColumn('row', 'bigint')
    .addColumn('change', 'bigint')
    .addColumn('since', 'bigint', (column) => column.notNull())
    .addColumn('until', 'bigint')
    .addColumn('recalled', 'integer', (column) => column.notNull())
    .execute();
  for (const column of ['id', 'question'])
    await db.schema
      .createIndex(`memory_facts_by_${column}`)
      .on('memory_facts')
      .columns(['memory_id', column])
      .execute();
}
