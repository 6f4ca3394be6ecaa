// Sends the messages that are owed, again and again with growing pauses until they are taken or two days have passed. A message may come twice
// (a server that dies while it sends one); its id says so.
import { createHmac } from 'node:crypto';
import type { FastifyBaseLogger } from 'fastify';
import { sql } from 'kysely';
import type { Store } from '../store/database.ts';

const lookEvery = 1_000;
const atOnce = 8;
const patience = 10_000;
/** Pauses after each attempt, in seconds. */
const pauses = [2, 10, 30, 60, 300, 900, 3600, 7200, 14_400, 43_200, 86_400];
/** Held for so long by the server that sends it. */
const heldFor = 2 * patience;
/** After so many attempts: longer than that nothing waits, unless the clock was set back. */
const longestPause = sql`case attempts ${sql.join(
  pauses.map((seconds, at) => sql`when ${sql.lit(at + 1)} then ${sql.lit(seconds * 1000 + heldFor)}`),
  sql` `,
)} else ${sql.lit(heldFor)} end`;

export class Messenger {
  readonly #store: Store;
  readonly #log: FastifyBaseLogger;
  readonly #stop = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #busy: Promise<void> | undefined;

  constructor(store: Store, log: FastifyBaseLogger) {
    this.#store = store;
    this.#log = log;
  }

  start(): void {
    this.#timer = setInterval(() => this.look(), lookEvery).unref();
  }

  look(): void {
    if (this.#stop.signal.aborted) return;
    this.#busy ??= this.#round()
      .catch((error) => this.#log.warn({ err: error }, 'webhooks could not be looked after; tried again soon'))
      .finally(() => {
        this.#busy = undefined;
      });
  }

  async #round(): Promise<void> {
    const now = Date.now();
    const isDue = sql<boolean>`(next_at <= ${now} or next_at - ${longestPause} > ${now})`;
    const due = await this.#store.db
      .selectFrom('webhook_deliveries')
      .select('id')
      .where('status', '=', 'waiting')
      .where(isDue)
      .orderBy('next_at')
      .limit(atOnce)
      .execute();
    if (due.length === 0) return;
    // Taken by moving its next attempt: of several servers one does.
    const taken = await this.#store.db
      .updateTable('webhook_deliveries')
      .set((eb) => ({ next_at: now + heldFor, attempts: eb('attempts', '+', 1) }))
      .where(
        'id',
        'in',
        due.map(({ id }) => id),
      )
      .where('status', '=', 'waiting')
      .where(isDue)
      .returning(['id', 'webhook_id', 'body', 'attempts'])
      .execute();
    await Promise.all(taken.map((message) => this.#send(message)));
  }

  async #send(message: { id: number; webhook_id: number; body: string; attempts: number }): Promise<void> {
    const hook = await this.#store.db
      .selectFrom('webhooks')
      .select(['url', 'secret'])
      .where('id', '=', message.webhook_id)
      .executeTakeFirst();
    if (!hook) return;
    const { answer, taken } = await this.#post(hook, message);
    // It was cut off by the stop of this server: whoever comes next sends it.
    if (!taken && this.#stop.signal.aborted) return;
    const pause = pauses[message.attempts - 1];
    await this.#store.db
      .updateTable('webhook_deliveries')
      .set({
        last_answer: answer,
        status: taken ? 'delivered' : pause === undefined ? 'given up' : 'waiting',
        next_at: Date.now() + (pause ?? 0) * 1000,
      })
      .where('id', '=', message.id)
      .execute();
  }

  async #post({ url, secret }: { url: string; secret: string }, { id, body }: { id: number; body: string }) {
    const seconds = Math.floor(Date.now() / 1000);
    try {
      const response = await fetch(url, {
        method: 'POST',
        // Where it leads to is not what the account named.
        redirect: 'manual',
        headers: {
          'content-type': 'application/json',
          'user-agent': 'Lorekeep',
          'lorekeep-delivery': String(id),
          'lorekeep-signature': `t=${seconds},v1=${signature(secret, seconds, body)}`,
        },
        body,
        signal: AbortSignal.any([this.#stop.signal, AbortSignal.timeout(patience)]),
      });
      await response.body?.cancel();
      return { answer: String(response.status), taken: response.ok };
    } catch (error) {
      const { cause, message } = error as Error & { cause?: { code?: string } };
      return { answer: (cause?.code ?? message).slice(0, 200), taken: false };
    }
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#stop.abort();
    await this.#busy;
  }
}

export function signature(secret: string, seconds: number, body: string): string {
  return createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex');
}
