// Rows of a table that one server works on at a time: held by writing its name on them, free again when it lets go of them or is gone. No clock
// decides who holds what, so that none that jumps can.
import { type RawBuilder, type Selectable, sql, type Transaction } from 'kysely';
import type { Store } from '../store/database.ts';
import type { Tables } from '../store/schema.ts';
import type { Presence } from './presence.ts';

type Held = 'runs' | 'evaluations' | 'indexes' | 'downloaded_models';
type Condition = RawBuilder<unknown>;

const always = sql`1 = 1`;

/** What went wrong is not tried again at once. */
const pauseMs = 15_000;

interface Options {
  /** Rows that there is something to do about. */
  open: Condition;
  /** Of an account, which comes first. */
  order?: RawBuilder<unknown>;
}

export class Holding<Table extends Held> {
  readonly #store: Store;
  readonly #presence: Presence;
  readonly #table: Table;
  readonly #open: Condition;
  readonly #order: RawBuilder<unknown>;
  readonly #pauses = new Map<number, NodeJS.Timeout>();

  constructor(store: Store, presence: Presence, table: Table, { open, order = sql`id` }: Options) {
    this.#store = store;
    this.#presence = presence;
    this.#table = table;
    this.#open = open;
    this.#order = order;
  }

  /** The name that rows of this server bear. */
  get owner(): string {
    return this.#presence.name;
  }

  /**
   * Takes rows that nobody works on, one of each account in turn. `busy` is what this server works on: what else bears its name was taken by an
   * answer that never came.
   */
  async take(most: number, busy: Iterable<number>, where: Condition = always): Promise<Selectable<Tables[Table]>[]> {
    if (most <= 0 || !this.#presence.isKnown) return [];
    const table = sql.table(this.#table);
    const wanted = sql`${this.#open} and ${where}`;
    const { rows: free } = await sql<{ id: number; owner: string | null }>`
      select id, owner from (
        select id, owner, row_number() over (partition by account_id order by ${this.#order}) as turn from ${table}
        where ${wanted} and ${this.#free(busy)}
      ) as free order by turn, id limit ${most}`.execute(this.#store.db);
    if (free.length === 0) return [];
    // Whoever had it when it was looked at must still have it: of several servers one takes it.
    const still = free.map(
      ({ id, owner }) => sql`(id = ${id} and ${owner === null ? sql`owner is null` : sql`owner = ${owner}`})`,
    );
    const { rows } = await sql<Selectable<Tables[Table]>>`
      update ${table} set owner = ${this.owner} where (${sql.join(still, sql` or `)}) and ${wanted} returning *`.execute(
      this.#store.db,
    );
    return rows;
  }

  /** Whether there is something to take. */
  async waits(busy: Iterable<number>): Promise<boolean> {
    const { rows } = await sql`
      select id from ${sql.table(this.#table)} where ${this.#open} and ${this.#free(busy)} limit 1`.execute(
      this.#store.db,
    );
    return rows.length > 0;
  }

  #free(busy: Iterable<number>): Condition {
    const here = [0, ...busy, ...this.#pauses.keys()];
    // What was let go of a moment ago may still be worked on here.
    return sql`id not in (${sql.join(here)}) and (owner is null or owner not in (select name from servers) or owner = ${this.owner})`;
  }

  /** Of these, those that are still this server's and still wanted. */
  async kept(ids: number[], wanted: Condition = always): Promise<Set<number>> {
    if (ids.length === 0) return new Set();
    const { rows } = await sql<{ id: number }>`
      select id from ${sql.table(this.#table)} where id in (${sql.join(ids)}) and owner = ${this.owner} and ${wanted}`.execute(
      this.#store.db,
    );
    return new Set(rows.map(({ id }) => id));
  }

  /** The row, held against others until the transaction ends; nothing when it is no longer this server's. */
  async mine(transaction: Transaction<Tables>, id: number): Promise<Selectable<Tables[Table]> | undefined> {
    const lock = this.#store.engine === 'postgres' ? sql`for update` : sql``;
    const { rows } = await sql<Selectable<Tables[Table]>>`
      select * from ${sql.table(this.#table)} where id = ${id} and owner = ${this.owner} ${lock}`.execute(transaction);
    return rows[0];
  }

  async letGo(id: number): Promise<void> {
    await sql`update ${sql.table(this.#table)} set owner = null where id = ${id} and owner = ${this.owner}`.execute(
      this.#store.db,
    );
  }

  /** After a pause, for what could not be worked on: somebody tries it anew. */
  letGoLater(id: number, onError: (error: unknown) => void): void {
    const pause = setTimeout(() => {
      this.#pauses.delete(id);
      this.letGo(id).catch(onError);
    }, pauseMs).unref();
    this.#pauses.set(id, pause);
  }

  /** Lets go of everything, for others to take at once. */
  async release(): Promise<void> {
    for (const pause of this.#pauses.values()) clearTimeout(pause);
    this.#pauses.clear();
    await sql`update ${sql.table(this.#table)} set owner = null where owner = ${this.owner}`.execute(this.#store.db);
  }
}
