// Token bucket shared by servers on one PostgreSQL: one row per account, refilled and decremented in one statement by the clock of the
// database. A server takes a twentieth of a minute's tokens at a time, so most requests need no query.
import { sql } from 'kysely';
import type { Store } from '../store/database.ts';
import type { SharedBucket } from './rate-limit.ts';

export function sharedBucket({ db }: Store): SharedBucket {
  return {
    async take(accountId, limit, wanted) {
      const now = sql<number>`extract(epoch from clock_timestamp())::double precision * 1000`;
      // A clock that was set back must not refill.
      const full = sql<number>`least(${limit}::double precision, request_rates."left" + greatest(0, ${now} - request_rates.at) / 60000 * ${limit}::double precision)`;
      const given = sql<number>`least(${wanted}::double precision, greatest(0, floor(${full})))`;
      const { rows } = await sql<{ given: number; left: number }>`
        insert into request_rates (account_id, "left", at, given)
        values (${accountId}, ${limit - wanted}::double precision, ${now}, ${wanted}::double precision)
        on conflict (account_id) do update set "left" = ${full} - ${given}, at = ${now}, given = ${given}
        returning given, "left"`.execute(db);
      return { given: Number(rows[0]!.given), left: Number(rows[0]!.left) };
    },
  };
}
