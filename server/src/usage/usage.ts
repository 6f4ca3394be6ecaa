// Tokens in and out and slot time by key, day and model. Tokens are counted in memory when an answer ends, written every few seconds and at the
// end; slot time is written with its jobs (tuning/queue/slot-time.ts).
import type { AnswerOf, Outcome, showUsage } from '@lorekeep/contract';
import { type RawBuilder, sql, type Transaction } from 'kysely';
import type { Metrics } from '../http/metrics.ts';
import type { Store } from '../store/database.ts';
import type { Tables, UsageRow } from '../store/schema.ts';

const flushIntervalMs = 5_000;

type Answer = AnswerOf<typeof showUsage>;

/** The account and key that usage is charged to. */
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
    this.#timer ??= setInterval(() => void this.write(), flushIntervalMs).unref();
  }

  note(user: User, model: string, { prompt_tokens, completion_tokens }: Tokens, requests = 1): void {
    this.#metrics.tokens.inc({ direction: 'in' }, prompt_tokens);
    this.#metrics.tokens.inc({ direction: 'out' }, completion_tokens);
    this.#add({ ...noUsage(user, model), requests, prompt_tokens, completion_tokens });
  }

  /** Counts the outcome of an answer of a tuned model. */
  noteOutcome(outcome: Outcome): void {
    this.#metrics.outcomes.inc({ outcome });
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
        for (const row of rows.sort((a, b) => a.key_id - b.key_id)) await addUsage(transaction, row);
      });
    } catch (error) {
      for (const row of rows) this.#add(row);
      this.#onError(error);
    }
  }

  /** Days from the first to the last, both inclusive. */
  async show(accountId: number, from: string, to: string): Promise<Answer> {
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
    const all = Object.fromEntries(figures.map((figure) => [figure, 0])) as Figures;
    for (const row of rows) for (const figure of figures) all[figure] += row[figure];
    return {
      usage: rows.map(({ account_id: _, model, ...row }) => inSeconds({ ...row, model_name: model })),
      total: inSeconds(all),
    };
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.write();
  }
}

const figures = ['requests', 'prompt_tokens', 'completion_tokens', 'slot_milliseconds'] as const;
type Figures = Record<(typeof figures)[number], number>;

function inSeconds<Row extends Figures>({ slot_milliseconds, ...row }: Row) {
  return { ...row, slot_seconds: slot_milliseconds / 1000 };
}

/** Today's usage before any call. */
export function noUsage({ accountId, keyId }: User, model: string): UsageRow {
  const day = new Date().toISOString().slice(0, 10);
  const none = { requests: 0, prompt_tokens: 0, completion_tokens: 0, slot_milliseconds: 0 };
  return { account_id: accountId, key_id: keyId, day, model, ...none };
}

/** Adds to the stored counts. */
export async function addUsage(change: Transaction<Tables>, row: UsageRow): Promise<void> {
  // The key was deleted with its account: the usage is dropped.
  const key = await change.selectFrom('keys').select('id').where('id', '=', row.key_id).executeTakeFirst();
  if (!key) return;
  await change
    .insertInto('usage')
    .values(row)
    .onConflict((conflict) =>
      conflict
        .columns(['key_id', 'day', 'model'])
        .doUpdateSet(Object.fromEntries(figures.map((figure) => [figure, added(figure)]))),
    )
    .execute();
}

const added = (figure: string): RawBuilder<number> =>
  sql`${sql.ref(`usage.${figure}`)} + ${sql.ref(`excluded.${figure}`)}`;
