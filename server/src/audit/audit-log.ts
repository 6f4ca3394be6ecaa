// Read side of the audit log: pages and export; also the removal of rows after the retention time.
import { setImmediate } from 'node:timers/promises';
import type { AnswerOf, AuditRow, exportAudit, listAudit, QueryOf } from '@lorekeep/contract';
import type { Store } from '../store/database.ts';
import { pageOf } from '../store/page.ts';
import type { Row } from './chain.ts';
import { record, recordAlone } from './record.ts';

type Filters = Omit<QueryOf<typeof exportAudit>, 'account_id'>;
/** Rows of one account, or all rows. */
export type Domain = number | 'all';

const exportRows = 1000;

export class AuditLog {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Newest first. */
  async list(
    domain: Domain,
    filters: Filters,
    limit: number,
    after: number | undefined,
  ): Promise<AnswerOf<typeof listAudit>> {
    let query = this.#matching(domain, filters)
      .orderBy('number', 'desc')
      .limit(limit + 1);
    if (after !== undefined) query = query.where('number', '<', after);
    const { rows, next } = pageOf(await query.execute(), limit, ({ number }) => number);
    return { rows: rows.map(toAuditRow), next };
  }

  /** Oldest first, as lines. Ends before the row that records the export. */
  async export(domain: Domain, filters: Filters): Promise<AsyncGenerator<string>> {
    const { number: last } = await this.#store.db
      .selectFrom('audit_head')
      .select('number')
      .where('id', '=', 1)
      .executeTakeFirstOrThrow();
    const accountId = domain === 'all' ? null : domain;
    await recordAlone(this.#store, {
      action: 'audit.exported',
      accountId,
      subject: 'audit log',
      details: { ...filters },
    });
    return this.#lines(domain, filters, last);
  }

  async *#lines(domain: Domain, filters: Filters, last: number): AsyncGenerator<string> {
    for (let after = 0; ; ) {
      const rows = await this.#matching(domain, filters)
        .where('number', '>', after)
        .where('number', '<=', last)
        .orderBy('number')
        .limit(exportRows)
        .execute();
      if (rows.length > 0) yield rows.map((row) => `${JSON.stringify(toAuditRow(row))}\n`).join('');
      if (rows.length < exportRows) return;
      after = rows.at(-1)!.number;
      // Yields to other requests, on SQLite too.
      await setImmediate();
    }
  }

  #matching(domain: Domain, { from, to, actor, action, subject }: Filters) {
    let query = this.#store.db.selectFrom('audit_rows').selectAll();
    if (domain !== 'all') query = query.where('account_id', '=', domain);
    if (from !== undefined) query = query.where('at', '>=', Date.parse(from));
    if (to !== undefined) query = query.where('at', '<', Date.parse(to));
    if (actor !== undefined) query = query.where('actor_name', '=', searchable(actor));
    if (subject !== undefined) query = query.where('subject', '=', searchable(subject));
    if (action === undefined) return query;
    // All actions of one subject: no character after `key.` sorts behind `/`.
    if (action.includes('.')) return query.where('action', '=', searchable(action));
    return query.where('action', '>=', `${searchable(action)}.`).where('action', '<', `${searchable(action)}/`);
  }

  /** Removes older rows, and keeps the hash that the first remaining row refers to. Returns their number. */
  async prune(before: number): Promise<number> {
    return await this.#store.db.transaction().execute(async (change) => {
      // Locked from here on: rows are written and removed one after the other.
      const head = await change
        .updateTable('audit_head')
        .set((eb) => ({ number: eb.ref('number') }))
        .where('id', '=', 1)
        .returningAll()
        .executeTakeFirstOrThrow();
      // By number: a clock that was set back must not make a gap.
      const young = await change
        .selectFrom('audit_rows')
        .select((eb) => eb.fn.min<number | null>('number').as('number'))
        .where('at', '>=', before)
        .executeTakeFirstOrThrow();
      const through = (young.number ?? head.number + 1) - 1;
      if (through < head.first) return 0;
      const last = await change
        .selectFrom('audit_rows')
        .select('hash')
        .where('number', '=', through)
        .executeTakeFirst();
      // A broken chain is kept as evidence.
      if (!last) return 0;
      await change.deleteFrom('audit_rows').where('number', '<=', through).execute();
      await change
        .updateTable('audit_head')
        .set({ first: through + 1, before: last.hash })
        .where('id', '=', 1)
        .execute();
      const rows = through - head.first + 1;
      const details = { rows, through, hash: last.hash };
      await record(change, { action: 'audit.pruned', accountId: null, subject: 'audit log', details });
      return rows;
    });
  }
}

/** Replaces characters that no database accepts: such a text matches nothing. */
const searchable = (text: string) => text.replaceAll('\0', '\ufffd').toWellFormed();

function toAuditRow(row: Row): AuditRow {
  return {
    number: row.number,
    time: new Date(row.at).toISOString(),
    account_id: row.account_id,
    actor: { kind: row.actor_kind, account_id: row.actor_account, name: row.actor_name, key_id: row.actor_key },
    action: row.action,
    subject: row.subject,
    details: detailsOf(row),
    previous: row.previous,
    hash: row.hash,
  };
}

/** Readable also for a row that was tampered with, which verify reports. */
function detailsOf({ details }: Row): Record<string, unknown> {
  try {
    return JSON.parse(details) as Record<string, unknown>;
  } catch {
    return { unreadable: details.slice(0, 300) };
  }
}
