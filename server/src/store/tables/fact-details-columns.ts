// The columns of the time and the source of facts, and the migration that adds them.
import type { Kysely } from 'kysely';

export const factDetailsMigration = {
  name: 'times and sources of facts',
  async up(db: Kysely<never>): Promise<void> {
    for (const [name, type] of [
      ['valid_from', 'text'],
      ['valid_until', 'text'],
      ['starts_at', 'bigint'],
      ['ends_at', 'bigint'],
      ['source', 'text'],
      ['source_kind', 'text'],
      ['source_name', 'text'],
    ] as const)
      await db.schema.alterTable('memory_facts').addColumn(name, type).execute();
  },
};
