// Tables of the audit log, and the migration that creates them.
import { type Kysely, sql } from 'kysely';

/** A row of the audit log: written once, never changed. */
export interface AuditRowTable {
  number: number;
  at: number;
  account_id: number | null;
  actor_kind: 'key' | 'session' | 'host' | 'server';
  actor_account: number | null;
  actor_name: string;
  actor_key: number | null;
  action: string;
  subject: string;
  /** Canonical JSON. */
  details: string;
  /** Hash of the previous row. */
  previous: string;
  hash: string;
}

/** The single row with the beginning and the end of the audit log's hash chain. */
export interface AuditHeadRow {
  id: number;
  /** Number of the last row, with its hash. */
  number: number;
  hash: string;
  /** Number of the first row that is kept, with the hash of the row before it. */
  first: number;
  before: string;
}

export interface AuditTables {
  audit_rows: AuditRowTable;
  audit_head: AuditHeadRow;
}

export const auditMigration = {
  name: 'audit log',
  async up(db: Kysely<never>): Promise<void> {
    await db.schema
      .createTable('audit_rows')
      .addColumn('number', 'bigint', (column) => column.primaryKey())
      .addColumn('at', 'bigint', (column) => column.notNull())
      // No foreign key: rows outlive the objects that they describe.
      .addColumn('account_id', 'bigint')
      .addColumn('actor_kind', 'text', (column) => column.notNull())
      .addColumn('actor_account', 'bigint')
      .addColumn('actor_name', 'text', (column) => column.notNull())
      .addColumn('actor_key', 'bigint')
      .addColumn('action', 'text', (column) => column.notNull())
      .addColumn('subject', 'text', (column) => column.notNull())
      .addColumn('details', 'text', (column) => column.notNull())
      .addColumn('previous', 'text', (column) => column.notNull())
      .addColumn('hash', 'text', (column) => column.notNull())
      .execute();
    for (const column of ['account_id', 'action', 'subject'])
      await db.schema.createIndex(`audit_rows_by_${column}`).on('audit_rows').columns([column, 'number']).execute();
    await db.schema
      .createTable('audit_head')
      .addColumn('id', 'integer', (column) => column.primaryKey().check(sql`id = 1`))
      .addColumn('number', 'bigint', (column) => column.notNull())
      .addColumn('hash', 'text', (column) => column.notNull())
      .addColumn('first', 'bigint', (column) => column.notNull())
      .addColumn('before', 'text', (column) => column.notNull())
      .execute();
    const none = '0'.repeat(64);
    await sql`insert into audit_head (id, number, hash, first, before) values (1, 0, ${none}, 1, ${none})`.execute(db);
  },
};
