// Orders an erasure of the memory "house" and ends its jobs with models of the ordered facts.
import type { Erasure, Receipt } from '@lorekeep/contract';
import type { House } from '../../memories/testing/house.ts';
import { polled } from '../../testing/until.ts';

export async function erased(house: House, body: object | undefined, path = '/erasures'): Promise<Erasure> {
  const { status, body: ordered } = await house.call('POST', path, body);
  if (status !== 200) throw new Error(JSON.stringify(ordered));
  const until = async (holds: (erasure: Erasure) => boolean) => {
    return await polled<Erasure>(
      () => house.get(`/erasures/${ordered.number}`),
      (erasure) => erasure.finished_at !== null || holds(erasure),
    );
  };
  const { versions } = await until((one) =>
    one.versions.every(({ outcome, job_id }) => outcome !== 'waiting' || job_id !== null),
  );
  for (const { outcome, job_id } of versions)
    if (outcome === 'waiting') await house.ends(job_id!, await house.linesOf(job_id!));
  return await until(() => false);
}

/** Erases all facts about a name, as the dry run lists them. */
export async function erasedAbout(house: House, about: string): Promise<Erasure> {
  const { digest } = (await house.call('POST', '/erasures/plan', { about })).body;
  return await erased(house, { about, digest });
}

export const receiptOf = async (house: House, { receipt }: Erasure): Promise<Receipt['receipt']> =>
  (await house.server.call('GET', `/v1/receipts/${receipt}`)).body.receipt;
