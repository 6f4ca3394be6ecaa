// Store of webhook deliveries: receivers with due messages, leases of messages in flight, results and backoff.
import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely';
import type { TrustedTime } from '../leases/trusted-time.ts';
import type { Store } from '../store/database.ts';
import type { Tables } from '../store/schema.ts';
import type { Receiver } from './choose-receivers.ts';

export interface Message {
  id: number;
  body: string;
  attempts: number;
}

/** Backoff of a message after each attempt, in seconds. */
export const defaultPauses = [2, 10, 30, 60, 300, 900, 3600, 7200, 14_400, 43_200, 86_400];
/** Maximum backoff of a receiver, in seconds. It applies to all its messages. */
const maxReceiverPauseSeconds = 3_600;
/** Consecutive failures of a receiver (some six hours) after which messages older than the sum of all backoffs are given up. */
const failuresUntilGivenUp = defaultPauses.length + 1;
const maxPendingAgeMs = defaultPauses.reduce((sum, seconds) => sum + seconds, 0) * 1000;
/** Maximum number of messages stored per webhook: pending ones, and finished ones. */
const maxPending = 10_000;
const maxFinished = 1_000;

export class Deliveries {
  readonly #db: Kysely<Tables>;
  readonly #time: TrustedTime;
  /** Lease of a message by the server that sends it, in milliseconds. */
  readonly #leaseMs: number;
  readonly #pauses: number[];
  readonly #maxWaitMs: RawBuilder<number>;

  constructor(store: Store, leaseMs: number, time: TrustedTime, pauses = defaultPauses) {
    this.#db = store.db;
    this.#time = time;
    this.#leaseMs = leaseMs;
    this.#pauses = pauses;
    // Longest wait after each attempt. A longer one means that the clock was set back, so the message is due.
    this.#maxWaitMs = sql<number>`case attempts ${sql.join(
      pauses.map((seconds, at) => sql`when ${sql.lit(at + 1)} then ${sql.lit(seconds * 1000 + leaseMs)}`),
      sql` `,
    )} else ${sql.lit(leaseMs)} end`;
  }

  #isDue(now: number) {
    return sql<boolean>`status = 'waiting' and (next_at <= ${now} or next_at - ${this.#maxWaitMs} > ${now})`;
  }

  /** Condition of receivers that are not in backoff after a failure. */
  #isOutOfBackoff(now: number) {
    const maxPause = sql.lit(maxReceiverPauseSeconds * 1000 + this.#leaseMs);
    return sql<boolean>`(webhooks.retry_at <= ${now} or webhooks.retry_at - ${maxPause} > ${now})`;
  }

  #receiverPause(failures: number): number {
    return Math.min(this.#pauses[failures - 1] ?? maxReceiverPauseSeconds, maxReceiverPauseSeconds) * 1000;
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
      .where(this.#isOutOfBackoff(now))
      .execute();
    return rows.flatMap(({ since, ...row }) => (since === null ? [] : [{ ...row, since }]));
  }

  /** Leases due messages by postponing their next attempt, and that of a failing receiver, so that only one server sends them. */
  async take({ id, failures }: Receiver, limit: number, now: number): Promise<Message[]> {
    return await this.#db.transaction().execute(async (change) => {
      if (failures > 0) {
        const { numUpdatedRows } = await change
          .updateTable('webhooks')
          .set({ retry_at: now + this.#leaseMs })
          .where('id', '=', id)
          .where(this.#isOutOfBackoff(now))
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
        .set((eb) => ({ next_at: now + this.#leaseMs, attempts: eb('attempts', '+', 1) }))
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
      await this.#setResult(change, message.id, { status: 'delivered', last_answer: answer, next_at: now });
      const { failures = 0 } =
        (await change.selectFrom('webhooks').select('failures').where('id', '=', webhook).executeTakeFirst()) ?? {};
      if (failures > 0)
        await change.updateTable('webhooks').set({ failures: 0, retry_at: 0 }).where('id', '=', webhook).execute();
      // The receiver has recovered, so its messages in backoff become due now. A message in flight may have been leased after `now`,
      // so attempts within the next two leases are left alone.
      if (failures > 2)
        await change
          .updateTable('webhook_deliveries')
          .set({ next_at: now })
          .where('webhook_id', '=', webhook)
          .where('status', '=', 'waiting')
          .where('next_at', '>', now + 2 * this.#leaseMs)
          .execute();
      await this.#deleteOldFinished(change, webhook);
    });
  }

  async failed(webhook: number, message: Message, answer: string, now: number): Promise<void> {
    const tooOld = (await this.#time.now()) - maxPendingAgeMs;
    await this.#db.transaction().execute(async (change) => {
      const pause = this.#pauses[message.attempts - 1];
      await this.#setResult(change, message.id, {
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
      const tooMany = await this.#newestBeyondLimit(change, webhook, sql<boolean>`status = 'waiting'`, maxPending);
      if (tooMany !== undefined) await waiting.where('id', '<=', tooMany).execute();
      await this.#deleteOldFinished(change, webhook);
    });
  }

  async #setResult(
    change: Transaction<Tables>,
    id: number,
    values: { status: 'delivered' | 'given up' | 'waiting'; last_answer: string; next_at: number },
  ): Promise<void> {
    await change.updateTable('webhook_deliveries').set(values).where('id', '=', id).execute();
  }

  /** Deletes all finished messages but the newest. */
  async #deleteOldFinished(change: Transaction<Tables>, webhook: number): Promise<void> {
    const isOver = sql<boolean>`status <> 'waiting'`;
    const oldest = await this.#newestBeyondLimit(change, webhook, isOver, maxFinished);
    if (oldest === undefined) return;
    await change
      .deleteFrom('webhook_deliveries')
      .where('webhook_id', '=', webhook)
      .where('id', '<=', oldest)
      .where(isOver)
      .execute();
  }

  /** Id of the newest message beyond the limit; undefined if there are fewer. */
  async #newestBeyondLimit(
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
