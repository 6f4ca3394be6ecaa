// Sends the messages that are owed, again and again with growing pauses until they are taken or two days have passed. No message waits for another:
// each that is sent has a place, and a place that is free is given away at once. A message may come twice (a server that dies while it sends one);
// its id says so.
import { createHmac } from 'node:crypto';
import type { FastifyBaseLogger } from 'fastify';
import { TrustedTime } from '../leases/trusted-time.ts';
import type { Store } from '../store/database.ts';
import { Deliveries, defaultPauses, type Message } from './deliveries.ts';
import { choose, type Receiver } from './places.ts';
import { post } from './post.ts';
import type { WebhookHosts } from './resolve.ts';

const pollMs = 1_000;
/** For the whole of one delivery: the name, the connection, the answer. */
const timeout = 10_000;

export class WebhookSender {
  readonly #deliveries: Deliveries;
  readonly #hosts: WebhookHosts;
  readonly #log: FastifyBaseLogger;
  readonly #stop = new AbortController();
  readonly #inFlight = new Map<Promise<void>, Receiver>();
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;
  #again = false;

  constructor(
    store: Store,
    hosts: WebhookHosts,
    log: FastifyBaseLogger,
    time = new TrustedTime(store),
    pauses = defaultPauses,
  ) {
    this.#deliveries = new Deliveries(store, 2 * timeout, time, pauses);
    this.#hosts = hosts;
    this.#log = log;
  }

  start(): void {
    this.#timer = setInterval(() => this.wake(), pollMs).unref();
  }

  /** One look at a time; asked for while one is under way, one more follows it. */
  wake(): void {
    this.#again = true;
    this.#sending ??= this.#sendDue()
      .catch((error) => this.#log.warn({ err: error }, 'webhooks could not be looked after; tried again soon'))
      .finally(() => {
        this.#sending = undefined;
      });
  }

  async #sendDue(): Promise<void> {
    while (this.#again && !this.#stop.signal.aborted) {
      this.#again = false;
      const now = Date.now();
      const chosen = choose(await this.#deliveries.receivers(now), this.#inFlight.values());
      for (const [receiver, limit] of chosen)
        for (const message of await this.#deliveries.take(receiver, limit, now)) this.#launch(receiver, message);
    }
  }

  #launch(receiver: Receiver, message: Message): void {
    const sent = this.#send(receiver, message)
      .catch((error) => this.#log.warn({ err: error }, 'what came of a message could not be written; it is sent again'))
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
      AbortSignal.any([this.#stop.signal, AbortSignal.timeout(timeout)]),
    );
    if (status !== undefined && status >= 200 && status < 300)
      return await this.#deliveries.delivered(webhook, message, String(status), Date.now());
    // It was cut off by the stop of this server: whichever comes next sends it.
    if (this.#stop.signal.aborted) return;
    await this.#deliveries.failed(webhook, message, status === undefined ? 'no answer' : String(status), Date.now());
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#stop.abort();
    await this.#sending;
    await Promise.all(this.#inFlight.keys());
  }
}

export function signature(secret: string, seconds: number, body: string): string {
  return createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex');
}
