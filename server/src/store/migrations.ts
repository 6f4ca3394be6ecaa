// Every change of the schema, in order. An entry is never edited once released: add the next one.
import { type ColumnDefinitionBuilder, type Kysely, sql } from 'kysely';
import type { Engine } from './database.ts';

export interface Migration {
  name: string;
  up(db: Kysely<never>, engine: Engine): Promise<void>;
}

/** A number that the database gives out and never gives twice. */
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
      // There is one operator's account: servers that start at once cannot make two.
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
];
