// The webhooks of accounts: where a message goes, and what has become of those that went.
import { randomBytes } from 'node:crypto';
import { type AnswerOf, type listDeliveries, Refusal, type Webhook } from '@lorekeep/contract';
import type { Caller } from '../keys/caller.ts';
import type { Store } from '../store/database.ts';
import { pageOf } from '../store/page.ts';

const most = 20;

export class Webhooks {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  async create(caller: Caller, url: string): Promise<Webhook & { secret: string }> {
    if ((await this.list(caller)).length >= most) throw new Refusal('webhooks_limit', { limit: most });
    const secret = `whsec_${randomBytes(24).toString('base64url')}`;
    const created_at = Date.now();
    const { id } = await this.#store.db
      .insertInto('webhooks')
      .values({ account_id: caller.account.id, url, secret, created_at })
      .returning('id')
      .executeTakeFirstOrThrow();
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
    const { numDeletedRows } = await this.#store.db
      .deleteFrom('webhooks')
      .where('id', '=', id)
      .where('account_id', '=', caller.account.id)
      .executeTakeFirst();
    if (numDeletedRows === 0n) throw new Refusal('webhook_not_found', { id });
  }

  async deliveries(
    caller: Caller,
    id: number,
    limit: number,
    after: number | undefined,
  ): Promise<AnswerOf<typeof listDeliveries>> {
    if (!(await this.list(caller)).some((hook) => hook.id === id)) throw new Refusal('webhook_not_found', { id });
    let query = this.#store.db
      .selectFrom('webhook_deliveries')
      .selectAll()
      .where('webhook_id', '=', id)
      .orderBy('id', 'desc')
      .limit(limit + 1);
    if (after !== undefined) query = query.where('id', '<', after);
    const { rows, next } = pageOf(await query.execute(), limit, ({ id }) => id);
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
