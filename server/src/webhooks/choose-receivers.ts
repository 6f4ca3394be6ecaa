// Chooses the messages to send next, with concurrency limits by account and by receiver, so that a slow receiver does
// not delay others.

/** Concurrency limits: in total, per account, and per receiver. A receiver that failed last time gets one message. */
export const maxInAll = 64;
export const maxOfAccount = 4;
export const maxOfReceiver = 2;

/** A webhook with a due message. */
export interface Receiver {
  id: number;
  account_id: number;
  url: string;
  secret: string;
  /** Failures since the last success. */
  failures: number;
  /** Time since which its oldest message has been due. */
  since: number;
}

type InFlight = Pick<Receiver, 'id' | 'account_id'>;

/** Number of messages that each receiver may get now. Accounts with fewer in flight go first, then older messages. */
export function chooseReceivers(receivers: Receiver[], inFlight: Iterable<InFlight>): Map<Receiver, number> {
  const ofAccount = new Map<number, number>();
  const ofReceiver = new Map<number, number>();
  let all = 0;
  const count = ({ id, account_id }: InFlight) => {
    ofAccount.set(account_id, (ofAccount.get(account_id) ?? 0) + 1);
    ofReceiver.set(id, (ofReceiver.get(id) ?? 0) + 1);
    all++;
  };
  for (const one of inFlight) count(one);
  const busy = ({ account_id }: Receiver) => ofAccount.get(account_id) ?? 0;
  const mayGo = (one: Receiver) =>
    busy(one) < maxOfAccount && (ofReceiver.get(one.id) ?? 0) < (one.failures > 0 ? 1 : maxOfReceiver);
  const chosen = new Map<Receiver, number>();
  while (all < maxInAll) {
    const next = receivers
      .filter(mayGo)
      .reduce<Receiver | undefined>(
        (best, one) =>
          !best || busy(one) < busy(best) || (busy(one) === busy(best) && one.since < best.since) ? one : best,
        undefined,
      );
    if (!next) break;
    chosen.set(next, (chosen.get(next) ?? 0) + 1);
    count(next);
  }
  return chosen;
}
