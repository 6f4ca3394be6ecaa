// Fair queueing by rounds: the round that a job waits in, and the number of open jobs of an account.
import { Refusal } from '@lorekeep/contract';
import type { Kysely } from 'kysely';
import type { Tables } from '../../store/schema.ts';
import { finalStatuses, running, waiting } from './states.ts';
import type { Change, Job } from './transition.ts';

/** See docs/decisions/0006-tuning-service.md, "Rounds make turns". */
export async function nextRound(change: Change, accountId: number): Promise<number> {
  const head = await change
    .selectFrom('tuning_jobs')
    .select((eb) => eb.fn.min<number | null>('round').as('round'))
    .where('status', 'in', waiting)
    .executeTakeFirst();
  const last = await change
    .selectFrom('tuning_jobs')
    .select((eb) => eb.fn.max<number | null>('round').as('round'))
    .executeTakeFirst();
  const own = await change
    .selectFrom('tuning_jobs')
    .select((eb) => eb.fn.max<number | null>('round').as('round'))
    .where('account_id', '=', accountId)
    .where('status', 'in', [...waiting, ...running])
    .executeTakeFirst();
  return Math.max(head?.round ?? last?.round ?? 0, (own?.round ?? -1) + 1);
}

export async function refuseTooMany(
  db: Pick<Kysely<Tables>, 'selectFrom'>,
  accountId: number,
  limit: number | null,
  contact: string,
): Promise<void> {
  if (limit === null) return;
  const { count } = await db
    .selectFrom('tuning_jobs')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('account_id', '=', accountId)
    .where('status', 'not in', finalStatuses)
    .executeTakeFirstOrThrow();
  if (Number(count) >= limit) throw new Refusal('jobs_limit', { limit, contact });
}

export function waitReason({ slots }: Pick<Job, 'slots'>, before: number): string {
  const jobs = before === 0 ? 'no job is' : before === 1 ? 'one job is' : `${before} jobs are`;
  return `waits for ${slots === 1 ? 'a slot' : `${slots} slots`}; ${jobs} before it`;
}
