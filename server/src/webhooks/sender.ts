// Sends due webhook messages, with retries and backoff until they are delivered or two days have passed. No message waits for another
// one: they are sent concurrently, and a free slot is reused at once. Delivery is at least once: a server that dies while it sends a
// message causes a duplicate with the same id.
import { createHmac } from 'node:crypto';
import type { FastifyBaseLogger } from 'fastify';
import { TrustedTime } from '../leases/trusted-time.ts';
import type { Store } from '../store/database.ts';
import { chooseReceivers, type Receiver } from './choose-receivers.ts';
import { Deliveries, defaultPauses, type Message } from './deliveries.ts';
import { post } from './post.ts';
import type { WebhookHosts } from './webhook-hosts.ts';

const pollMs = 1_000;
/** Timeout of one delivery: DNS lookup, connection and answer. */
const timeoutMs = 10_000;

export class WebhookSender {
  readonly #deliveries: Deliveries;
  readonly #hosts: WebhookHosts;
  readonly #log: FastifyBaseLogger;
  readonly #stop = new AbortController();
  readonly #inFlight = new Map<Promise<void>, Receiver>();
  #timer: NodeJS.Timeout | undefined;
  #pass: Promise<void> | undefined;
  #passRequested = false;

  constructor(
    store: Store,
    hosts: WebhookHosts,
    log: FastifyBaseLogger,
    time = new TrustedTime(store),
    pauses = defaultPauses,
  ) {
    this.#deliveries = new Deliveries(store, 2 * timeoutMs, time, pauses);
    this.#hosts = hosts;
    this.#log = log;
  }

  start(): void {
    this.#timer = setInterval(() => this.wake(), pollMs).unref();
  }

  /** Starts a pass over due messages. Passes do not overlap: a call during a pass causes one more after it. */
  wake(): void {
    this.#passRequested = true;
    this.#pass ??= this.#sendDue()
      .catch((error) => this.#log.warn({ err: error }, 'webhook pass failed; retrying'))
      .finally(() => {
        this.#pass = undefined;
      });
  }

  async #sendDue(): Promise<void> {
    while (this.#passRequested && !this.#stop.signal.aborted) {
      this.#passRequested = false;
      const now = Date.now();
      const chosen = chooseReceivers(await this.#deliveries.receivers(now), this.#inFlight.values());
      for (const [receiver, limit] of chosen)
        for (const message of await this.#deliveries.take(receiver, limit, now)) this.#launch(receiver, message);
    }
  }

  #launch(receiver: Receiver, message: Message): void {
    const sent = this.#send(receiver, message)
      .catch((error) =>
        this.#log.warn({ err: error }, 'the result of a delivery could not be stored; the message is sent again'),
      )
      .finally(() => {
        this.#inFlight.delete(sent);
        if (!this.#stop.signal.aborted) this.wake();
      });
    this.#inFlight.set(sent, receiver);
  }

  async #send({ id: webhook, url, secret }: Receiver, message: Message): Promise<void> {
    const seconds = Math.floor(Date.now() / 1000);
    const status = await post(
      this.#hosts,
      {
        url,
        headers: {
          'content-type': 'application/json',
          'user-agent': 'Lorekeep',
          'lorekeep-delivery': String(message.id),
          'lorekeep-signature': `t=${seconds},v1=${signature(secret, seconds, message.body)}`,
        },
        body: message.body,
      },
      AbortSignal.any([this.#stop.signal, AbortSignal.timeout(timeoutMs)]),
    );
    if (status !== undefined && status >= 200 && status < 300)
      return await this.#deliveries.delivered(webhook, message, String(status), Date.now());
    // Aborted by the shutdown of this server. The next server sends it after the lease.
    if (this.#stop.signal.aborted) return;
    await this.#deliveries.failed(webhook, message, status === undefined ? 'no answer' : String(status), Date.now());
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#stop.abort();
    await this.#pass;
    await Promise.all(this.#inFlight.keys());
  }
}

export function signature(secret: string, seconds: number, body: string): string {
  return createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex');
}
