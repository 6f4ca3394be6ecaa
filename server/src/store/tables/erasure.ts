// Tables of erasures and receipts, and the migration that creates them.
import type { Generated, Kysely } from 'kysely';

/** Progress of an erasure. Its request, state and author are in the change with the same number. */
export interface ErasureRow {
  memory_id: number;
  number: number;
  step: 'rebuilding' | 'removing' | 'over';
  /** JSON of the facts with their text; emptied at the end. */
  facts: string;
  /** Number of facts, for the time after `facts` is emptied. */
  count: number;
  salt: string;
  /** JSON of what was removed and what is still to be removed; emptied at the end. After a failure: the rows of its facts. */
  work: string;
  receipt: number | null;
  /** Start of the removal. */
  removing_since: number | null;
}

export interface ErasedVersionRow {
  memory_id: number;
  erasure: number;
  version: number;
  outcome: 'waiting' | 'rebuilt' | 'ended' | 'kept';
  reason: string | null;
  job_id: number | null;
  model_before: string;
  /** JSON: hash of the folder, and number of facts and of recalled facts. */
  before: string | null;
  model_after: string | null;
  after: string | null;
  /** JSON of the outcomes of the probes, and the reason why there are not more. */
  probes: string | null;
}

export interface ReceiptRow {
  number: Generated<number>;
  account_id: number;
  memory: string;
  memory_id: number;
  erasure: number;
  facts: number;
  gone: number;
  /** The signed JSON. */
  body: string;
  created_at: number;
}

export interface ErasureTables {
  erasures: ErasureRow;
  erased_versions: ErasedVersionRow;
  receipts: ReceiptRow;
}

type Database = Kysely<never>;

export const erasureMigration = {
  name: 'erasures and receipts',
  async up(db: Database, engine: 'sqlite' | 'postgres'): Promise<void> {
    await db.schema
      .createTable('erasures')
      .addColumn('memory_id', 'bigint', (column) => column.notNull().references('memories.id').onDelete('cascade'))
      .addColumn('number', 'bigint', (column) => column.notNull())
      .addColumn('step', 'text', (column) => column.notNull())
      .addColumn('facts', 'text', (column) => column.notNull())
      .addColumn('count', 'bigint', (column) => column.notNull())
      .addColumn('salt', 'text', (column) => column.notNull())
      .addColumn('work', 'text', (column) => column.notNull())
      .addColumn('receipt', 'bigint')
      .addColumn('removing_since', 'bigint')
      .addPrimaryKeyConstraint('erasures_by_number', ['memory_id', 'number'])
      .execute();
    await db.schema
      .createTable('erased_versions')
      .addColumn('memory_id', 'bigint', (column) => column.notNull().references('memories.id').onDelete('cascade'))
      .addColumn('erasure', 'bigint', (column) => column.notNull())
      .addColumn('version', 'bigint', (column) => column.notNull())
      .addColumn('outcome', 'text', (column) => column.notNull())
      .addColumn('reason', 'text')
      .addColumn('job_id', 'bigint')
      .addColumn('model_before', 'text', (column) => column.notNull())
      .addColumn('before', 'text')
      .addColumn('model_after', 'text')
      .addColumn('after', 'text')
      .addColumn('probes', 'text')
      .addPrimaryKeyConstraint('erased_versions_by_version', ['memory_id', 'erasure', 'version'])
      .execute();
    // Receipts are evidence and outlive their memory, so they hold its id without a foreign key.
    await db.schema
      .createTable('receipts')
      .addColumn('number', engine === 'sqlite' ? 'integer' : 'bigint', (column) =>
        engine === 'sqlite' ? column.primaryKey().autoIncrement() : column.primaryKey().generatedByDefaultAsIdentity(),
      )
      .addColumn('account_id', 'bigint', (column) => column.notNull().references('accounts.id').onDelete('cascade'))
      .addColumn('memory', 'text', (column) => column.notNull())
      .addColumn('memory_id', 'bigint', (column) => column.notNull())
      .addColumn('erasure', 'bigint', (column) => column.notNull())
      .addColumn('facts', 'bigint', (column) => column.notNull())
      .addColumn('gone', 'integer', (column) => column.notNull())
      .addColumn('body', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addUniqueConstraint('receipts_by_erasure', ['memory_id', 'erasure'])
      .execute();
    await db.schema.createIndex('receipts_by_account').on('receipts').columns(['account_id', 'number']).execute();
  },
};
