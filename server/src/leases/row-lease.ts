// Lease on a row of a table: the server that works on it writes its name into it. The row is free again when the server releases it or is
// dead. No wall clock is involved, so clock jumps do no harm.
import { type RawBuilder, type Selectable, sql, type Transaction } from 'kysely';
import type { Store } from '../store/database.ts';
import type { Tables } from '../store/schema.ts';
import type { Heartbeat } from './heartbeat.ts';

type LeasedTable = 'runs' | 'evaluations' | 'indexes' | 'downloaded_models';
type Condition = RawBuilder<unknown>;

const anyRow = sql`1 = 1`;

/** Backoff before a failed row is retried. */
const retryPauseMs = 15_000;

interface Options {
  /** Condition of rows with pending work. */
  open: Condition;
  /** Order of the rows of one account. */
  order?: RawBuilder<unknown>;
}

export class RowLease<Table extends LeasedTable> {
  readonly #store: Store;
  readonly #heartbeat: Heartbeat;
  readonly #table: Table;
  readonly #open: Condition;
  readonly #order: RawBuilder<unknown>;
  readonly #pauses = new Map<number, NodeJS.Timeout>();

  constructor(store: Store, heartbeat: Heartbeat, table: Table, { open, order = sql`id` }: Options) {
    this.#store = store;
    this.#heartbeat = heartbeat;
    this.#table = table;
    this.#open = open;
    this.#order = order;
  }

  /** The name that this server writes into its rows. */
  get owner(): string {
    return this.#heartbeat.name;
  }

  /**
   * Claims free rows, round robin over accounts. `busy` holds the rows that this server works on: other rows with its name were
   * claimed by a query whose answer never arrived.
   */
  async claim(limit: number, busy: Iterable<number>, where: Condition = anyRow): Promise<Selectable<Tables[Table]>[]> {
    if (limit <= 0 || !this.#heartbeat.isRegistered) return [];
    const table = sql.table(this.#table);
    const claimable = sql`${this.#open} and ${where}`;
    const { rows: free } = await sql<{ id: number; owner: string | null }>`
      select id, owner from (
        select id, owner, row_number() over (partition by account_id order by ${this.#order}) as turn from ${table}
        where ${claimable} and ${this.#free(busy)}
      ) as free order by turn, id limit ${limit}`.execute(this.#store.db);
    if (free.length === 0) return [];
    // Compare-and-set: the owner must not have changed since the row was read, so that only one of several servers gets it.
    const still = free.map(
      ({ id, owner }) => sql`(id = ${id} and ${owner === null ? sql`owner is null` : sql`owner = ${owner}`})`,
    );
    const { rows } = await sql<Selectable<Tables[Table]>>`
      update ${table} set owner = ${this.owner} where (${sql.join(still, sql` or `)}) and ${claimable} returning *`.execute(
      this.#store.db,
    );
    return rows;
  }

  /** Accounts with claimable rows, the longest waiting first. */
  async waitingAccounts(busy: Iterable<number>): Promise<number[]> {
    const { rows } = await sql<{ account: number }>`
      select account_id as account from ${sql.table(this.#table)} where ${this.#open} and ${this.#free(busy)}
      group by account_id order by min(id)`.execute(this.#store.db);
    return rows.map(({ account }) => account);
  }

  #free(busy: Iterable<number>): Condition {
    const here = [0, ...busy, ...this.#pauses.keys()];
    // This server may still work on a row that was released a moment ago.
    return sql`id not in (${sql.join(here)}) and (owner is null or owner not in (select name from servers) or owner = ${this.owner})`;
  }

  /** The given ids whose rows this server still owns and that still have work. */
  async stillOwned(ids: number[], where: Condition = anyRow): Promise<Set<number>> {
    if (ids.length === 0) return new Set();
    const { rows } = await sql<{ id: number }>`
      select id from ${sql.table(this.#table)} where id in (${sql.join(ids)}) and owner = ${this.owner} and ${where}`.execute(
      this.#store.db,
    );
    return new Set(rows.map(({ id }) => id));
  }

  /** Locks the row until the transaction ends; undefined if this server no longer owns it. */
  async lock(transaction: Transaction<Tables>, id: number): Promise<Selectable<Tables[Table]> | undefined> {
    const lock = this.#store.engine === 'postgres' ? sql`for update` : sql``;
    const { rows } = await sql<Selectable<Tables[Table]>>`
      select * from ${sql.table(this.#table)} where id = ${id} and owner = ${this.owner} ${lock}`.execute(transaction);
    return rows[0];
  }

  async release(id: number): Promise<void> {
    await sql`update ${sql.table(this.#table)} set owner = null where id = ${id} and owner = ${this.owner}`.execute(
      this.#store.db,
    );
  }

  /** Releases a row after a backoff, for a retry by any server. */
  releaseLater(id: number, onError: (error: unknown) => void): void {
    const pause = setTimeout(() => {
      this.#pauses.delete(id);
      this.release(id).catch(onError);
    }, retryPauseMs).unref();
    this.#pauses.set(id, pause);
  }

  /** Releases all rows, so that other servers can claim them at once. */
  async releaseAll(): Promise<void> {
    for (const pause of this.#pauses.values()) clearTimeout(pause);
    this.#pauses.clear();
    await sql`update ${sql.table(this.#table)} set owner = null where owner = ${this.owner}`.execute(this.#store.db);
  }
}
