// Store of webhook deliveries: receivers with a due message, the server that sends it, results and backoff.
import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely';
import type { TrustedTime } from '../leases/trusted-time.ts';
import type { Store } from '../store/database.ts';
import type { Tables } from '../store/schema.ts';
import type { Receiver } from './places.ts';

export interface Message {
  id: number;
  body: string;
  attempts: number;
}

/** Backoff of a message after each attempt, in seconds. */
export const defaultPauses = [2, 10, 30, 60, 300, 900, 3600, 7200, 14_400, 43_200, 86_400];
/** The backoff of a receiver applies to all its messages and ends with an hour. */
const maxReceiverPause = 3_600;
/** After this many failures in a row (some six hours), a receiver's messages older than all their pauses together are given up. */
const failuresUntilGivenUp = defaultPauses.length + 1;
const oldestMilliseconds = defaultPauses.reduce((sum, seconds) => sum + seconds, 0) * 1000;
/** Stored for one webhook: waiting messages, and finished ones. */
const maxWaiting = 10_000;
const maxOver = 1_000;

export class Deliveries {
  readonly #db: Kysely<Tables>;
  readonly #time: TrustedTime;
  /** Milliseconds for which a message is held by the server that sends it. */
  readonly #held: number;
  readonly #pauses: number[];
  readonly #maxPause: RawBuilder<number>;

  constructor(store: Store, held: number, time: TrustedTime, pauses = defaultPauses) {
    this.#db = store.db;
    this.#time = time;
    this.#held = held;
    this.#pauses = pauses;
    // After so many attempts: longer than that nothing waits, unless the clock was set back.
    this.#maxPause = sql<number>`case attempts ${sql.join(
      pauses.map((seconds, at) => sql`when ${sql.lit(at + 1)} then ${sql.lit(seconds * 1000 + held)}`),
      sql` `,
    )} else ${sql.lit(held)} end`;
  }

  #isDue(now: number) {
    return sql<boolean>`status = 'waiting' and (next_at <= ${now} or next_at - ${this.#maxPause} > ${now})`;
  }

  /** One that failed lately is left alone for a while. */
  #isAwake(now: number) {
    const maxPause = sql.lit(maxReceiverPause * 1000 + this.#held);
    return sql<boolean>`(webhooks.retry_at <= ${now} or webhooks.retry_at - ${maxPause} > ${now})`;
  }

  #receiverPause(failures: number): number {
    return Math.min(this.#pauses[failures - 1] ?? maxReceiverPause, maxReceiverPause) * 1000;
  }

  async receivers(now: number): Promise<Receiver[]> {
    const rows = await this.#db
      .selectFrom('webhooks')
      .select(['id', 'account_id', 'url', 'secret', 'failures'])
      .select((eb) =>
        eb
          .selectFrom('webhook_deliveries')
          .select('next_at')
          .whereRef('webhook_id', '=', 'webhooks.id')
          .where(this.#isDue(now))
          .orderBy('next_at')
          .limit(1)
          .as('since'),
      )
      .where(this.#isAwake(now))
      .execute();
    return rows.flatMap(({ since, ...row }) => (since === null ? [] : [{ ...row, since }]));
  }

  /** Takes messages by moving their next attempt, and of a receiver that failed the receiver's own: of several servers one does. */
  async take({ id, failures }: Receiver, limit: number, now: number): Promise<Message[]> {
    return await this.#db.transaction().execute(async (change) => {
      if (failures > 0) {
        const { numUpdatedRows } = await change
          .updateTable('webhooks')
          .set({ retry_at: now + this.#held })
          .where('id', '=', id)
          .where(this.#isAwake(now))
          .executeTakeFirst();
        if (numUpdatedRows === 0n) return [];
      }
      const due = await change
        .selectFrom('webhook_deliveries')
        .select('id')
        .where('webhook_id', '=', id)
        .where(this.#isDue(now))
        .orderBy('next_at')
        .orderBy('id')
        .limit(limit)
        .execute();
      if (due.length === 0) return [];
      return await change
        .updateTable('webhook_deliveries')
        .set((eb) => ({ next_at: now + this.#held, attempts: eb('attempts', '+', 1) }))
        .where(
          'id',
          'in',
          due.map((one) => one.id),
        )
        .where(this.#isDue(now))
        .returning(['id', 'body', 'attempts'])
        .execute();
    });
  }

  async delivered(webhook: number, message: Message, answer: string, now: number): Promise<void> {
    await this.#db.transaction().execute(async (change) => {
      await this.#end(change, message.id, { status: 'delivered', last_answer: answer, next_at: now });
      const { failures = 0 } =
        (await change.selectFrom('webhooks').select('failures').where('id', '=', webhook).executeTakeFirst()) ?? {};
      if (failures > 0)
        await change.updateTable('webhooks').set({ failures: 0, retry_at: 0 }).where('id', '=', webhook).execute();
      // It was away as a whole and is there again: what waited for it goes now. A message under way may have been taken later
      // than `now`, so its next attempt may be further off than one hold.
      if (failures > 2)
        await change
          .updateTable('webhook_deliveries')
          .set({ next_at: now })
          .where('webhook_id', '=', webhook)
          .where('status', '=', 'waiting')
          .where('next_at', '>', now + 2 * this.#held)
          .execute();
      await this.#forget(change, webhook);
    });
  }

  async failed(webhook: number, message: Message, answer: string, now: number): Promise<void> {
    const tooOld = (await this.#time.now()) - oldestMilliseconds;
    await this.#db.transaction().execute(async (change) => {
      const pause = this.#pauses[message.attempts - 1];
      await this.#end(change, message.id, {
        status: pause === undefined ? 'given up' : 'waiting',
        last_answer: answer,
        next_at: now + (pause ?? 0) * 1000,
      });
      const row = await change
        .updateTable('webhooks')
        .set((eb) => ({ failures: eb('failures', '+', 1) }))
        .where('id', '=', webhook)
        .returning('failures')
        .executeTakeFirst();
      if (!row) return;
      await change
        .updateTable('webhooks')
        .set({ retry_at: now + this.#receiverPause(row.failures) })
        .where('id', '=', webhook)
        .execute();
      const waiting = change
        .updateTable('webhook_deliveries')
        .set({ status: 'given up' })
        .where('webhook_id', '=', webhook)
        .where('status', '=', 'waiting');
      if (row.failures >= failuresUntilGivenUp) await waiting.where('created_at', '<', tooOld).execute();
      const tooMany = await this.#place(change, webhook, sql<boolean>`status = 'waiting'`, maxWaiting);
      if (tooMany !== undefined) await waiting.where('id', '<=', tooMany).execute();
      await this.#forget(change, webhook);
    });
  }

  async #end(
    change: Transaction<Tables>,
    id: number,
    values: { status: 'delivered' | 'given up' | 'waiting'; last_answer: string; next_at: number },
  ): Promise<void> {
    await change.updateTable('webhook_deliveries').set(values).where('id', '=', id).execute();
  }

  /** Keeps the newest of the messages that are over. */
  async #forget(change: Transaction<Tables>, webhook: number): Promise<void> {
    const isOver = sql<boolean>`status <> 'waiting'`;
    const oldest = await this.#place(change, webhook, isOver, maxOver);
    if (oldest === undefined) return;
    await change
      .deleteFrom('webhook_deliveries')
      .where('webhook_id', '=', webhook)
      .where('id', '<=', oldest)
      .where(isOver)
      .execute();
  }

  /** The newest message of a webhook that is too many. */
  async #place(
    change: Transaction<Tables>,
    webhook: number,
    of: RawBuilder<boolean>,
    limit: number,
  ): Promise<number | undefined> {
    const row = await change
      .selectFrom('webhook_deliveries')
      .select('id')
      .where('webhook_id', '=', webhook)
      .where(of)
      .orderBy('id', 'desc')
      .offset(limit)
      .limit(1)
      .executeTakeFirst();
    return row?.id;
  }
}
