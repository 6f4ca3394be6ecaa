// Tokens in and out by key, day and model: counted in memory when an answer ends, written every few seconds and at the end.
import type { Usage as Shown } from '@lorekeep/contract';
import { type RawBuilder, sql } from 'kysely';
import type { Metrics } from '../http/metrics.ts';
import type { Store } from '../store/database.ts';
import type { UsageRow } from '../store/schema.ts';

const interval = 5_000;

/** Whose use it is. */
export interface User {
  accountId: number;
  keyId: number;
}

interface Tokens {
  prompt_tokens: number;
  completion_tokens: number;
}

export class Usage {
  readonly #store: Store;
  readonly #metrics: Metrics;
  readonly #onError: (error: unknown) => void;
  #counted = new Map<string, UsageRow>();
  #timer: NodeJS.Timeout | undefined;

  constructor(store: Store, metrics: Metrics, onError: (error: unknown) => void) {
    this.#store = store;
    this.#metrics = metrics;
    this.#onError = onError;
  }

  start(): void {
    this.#timer ??= setInterval(() => void this.write(), interval).unref();
  }

  note({ accountId, keyId }: User, model: string, { prompt_tokens, completion_tokens }: Tokens, requests = 1): void {
    this.#metrics.tokens.inc({ direction: 'in' }, prompt_tokens);
    this.#metrics.tokens.inc({ direction: 'out' }, completion_tokens);
    const day = new Date().toISOString().slice(0, 10);
    this.#add({ account_id: accountId, key_id: keyId, day, model, requests, prompt_tokens, completion_tokens });
  }

  #add(row: UsageRow): void {
    const place = `${row.key_id} ${row.day} ${row.model}`;
    const counted = this.#counted.get(place);
    if (!counted) this.#counted.set(place, row);
    else for (const figure of figures) counted[figure] += row[figure];
  }

  async write(): Promise<void> {
    const rows = [...this.#counted.values()];
    if (rows.length === 0) return;
    this.#counted = new Map();
    try {
      await this.#store.db.transaction().execute(async (transaction) => {
        for (const row of rows.sort((a, b) => a.key_id - b.key_id)) {
          // The key may be gone with its account: then there is nobody to count for.
          const key = await transaction.selectFrom('keys').select('id').where('id', '=', row.key_id).executeTakeFirst();
          if (!key) continue;
          await transaction
            .insertInto('usage')
            .values(row)
            .onConflict((conflict) =>
              conflict
                .columns(['key_id', 'day', 'model'])
                .doUpdateSet(Object.fromEntries(figures.map((figure) => [figure, added(figure)]))),
            )
            .execute();
        }
      });
    } catch (error) {
      for (const row of rows) this.#add(row);
      this.#onError(error);
    }
  }

  /** Days from the first to the last, both counted. */
  async show(accountId: number, from: string, to: string): Promise<Shown[]> {
    await this.write();
    const rows = await this.#store.db
      .selectFrom('usage')
      .innerJoin('keys', 'keys.id', 'usage.key_id')
      .selectAll('usage')
      .select('keys.name as key_name')
      .where('usage.account_id', '=', accountId)
      .where('day', '>=', from)
      .where('day', '<=', to)
      .orderBy('day', 'desc')
      .orderBy('key_id')
      .orderBy('model')
      .execute();
    return rows.map(({ account_id: _, model, ...row }) => ({ ...row, model_name: model }));
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.write();
  }
}

export const figures = ['requests', 'prompt_tokens', 'completion_tokens'] as const;

const added = (figure: string): RawBuilder<number> =>
  sql`${sql.ref(`usage.${figure}`)} + ${sql.ref(`excluded.${figure}`)}`;
