// Webhooks of accounts: create, list and delete them, and list their deliveries.
import { randomBytes } from 'node:crypto';
import { type AnswerOf, type listDeliveries, Refusal, type Webhook } from '@lorekeep/contract';
import { lockAccount } from '../accounts/storage.ts';
import { record } from '../audit/record.ts';
import type { Caller } from '../auth/caller.ts';
import type { Store } from '../store/database.ts';
import { newestPage } from '../store/page.ts';
import type { WebhookHosts } from './webhook-hosts.ts';

const maxWebhooks = 20;

export class Webhooks {
  readonly #store: Store;
  readonly #hosts: WebhookHosts;

  constructor(store: Store, hosts: WebhookHosts) {
    this.#store = store;
    this.#hosts = hosts;
  }

  /** Does not resolve the host: the answer would reveal which names an internal name server knows. Deliveries resolve and check it. */
  async create(caller: Caller, url: string): Promise<Webhook & { secret: string }> {
    const { hostname } = new URL(url);
    if (this.#hosts.refuses(hostname)) throw new Refusal('webhook_address_refused', { host: hostname });
    const secret = `whsec_${randomBytes(24).toString('base64url')}`;
    const created_at = Date.now();
    const account_id = caller.account.id;
    const { id } = await this.#store.db.transaction().execute(async (change) => {
      await lockAccount(this.#store, change, account_id);
      const { count } = await change
        .selectFrom('webhooks')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .where('account_id', '=', account_id)
        .executeTakeFirstOrThrow();
      if (Number(count) >= maxWebhooks) throw new Refusal('webhooks_limit', { limit: maxWebhooks });
      const made = await change
        .insertInto('webhooks')
        .values({ account_id, url, secret, created_at })
        .returning('id')
        .executeTakeFirstOrThrow();
      // The path of a URL may be a secret.
      const details = { host: hostname };
      await record(change, { action: 'webhook.created', accountId: account_id, subject: made.id, details });
      return made;
    });
    return { id, url, created_at: new Date(created_at).toISOString(), secret };
  }

  async list(caller: Caller): Promise<Webhook[]> {
    const rows = await this.#store.db
      .selectFrom('webhooks')
      .select(['id', 'url', 'created_at'])
      .where('account_id', '=', caller.account.id)
      .orderBy('id')
      .execute();
    return rows.map((row) => ({ ...row, created_at: new Date(row.created_at).toISOString() }));
  }

  async delete(caller: Caller, id: number): Promise<void> {
    const accountId = caller.account.id;
    await this.#store.db.transaction().execute(async (change) => {
      const { numDeletedRows } = await change
        .deleteFrom('webhooks')
        .where('id', '=', id)
        .where('account_id', '=', accountId)
        .executeTakeFirst();
      if (numDeletedRows === 0n) throw new Refusal('webhook_not_found', { id });
      await record(change, { action: 'webhook.deleted', accountId, subject: id });
    });
  }

  async deliveries(
    caller: Caller,
    id: number,
    limit: number,
    after: number | undefined,
  ): Promise<AnswerOf<typeof listDeliveries>> {
    if (!(await this.list(caller)).some((hook) => hook.id === id)) throw new Refusal('webhook_not_found', { id });
    const query = this.#store.db.selectFrom('webhook_deliveries').selectAll().where('webhook_id', '=', id);
    const { rows, next } = await newestPage(query, limit, after);
    return {
      deliveries: rows.map((row) => ({
        id: row.id,
        job_id: row.job_id,
        status: row.status,
        attempts: row.attempts,
        last_answer: row.last_answer,
        next_attempt_at: row.status === 'waiting' ? new Date(row.next_at).toISOString() : null,
        created_at: new Date(row.created_at).toISOString(),
      })),
      next,
    };
  }
}
