// Table of gates of memories, and the migration that creates it.
import type { Kysely } from 'kysely';

/** The gate of a memory, at most one: its evaluation set and thresholds. */
export interface MemoryGateRow {
  memory_id: number;
  /** The hash of the dataset, which may have been deleted since. */
  dataset: string;
  exact: number | null;
  reworded: number | null;
  max_regressions: number | null;
  actor: string;
  set_at: number;
}

export interface GateTables {
  memory_gates: MemoryGateRow;
}

export const gateMigration = {
  name: 'gates of memories',
  async up(db: Kysely<never>): Promise<void> {
    await db.schema
      .createTable('memory_gates')
      .addColumn('memory_id', 'bigint', (column) => column.primaryKey().references('memories.id').onDelete('cascade'))
      .addColumn('dataset', 'text', (column) => column.notNull())
      .addColumn('exact', 'double precision')
      .addColumn('reworded', 'double precision')
      .addColumn('max_regressions', 'bigint')
      .addColumn('actor', 'text', (column) => column.notNull())
      .addColumn('set_at', 'bigint', (column) => column.notNull())
      .execute();
    await db.schema.alterTable('memory_versions').addColumn('gate', 'text').execute();
    await db.schema.alterTable('memory_changes').addColumn('evaluation_id', 'bigint').execute();
  },
};
