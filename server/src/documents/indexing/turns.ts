// Choice of the builds that give way to others. Each account has places of its own, so that an account that fills them
// leaves room for the rest. When more accounts wait than there are places, and among the indexes of one account, places
// pass on after a slice of time, whatever was achieved in it.

/** Each has a process that reads. The engine embeds for one after the other. */
export const places = 4;
export const placesOfAccount = 2;
export const defaultSlice = 5_000;

export interface Turn {
  account: number;
  began: number;
  /** Milliseconds that it has the place for when others wait. */
  slice: number;
}

/** Running builds whose time slice is over and whose slot is needed, one for each waiting account. */
export function givingWay<One extends Turn>(
  running: One[],
  waiting: Iterable<number>,
  now: number,
  slice: number,
): Set<One> {
  const held = (account: number) => running.filter((one) => one.account === account).length;
  // Accounts with several places are asked first.
  const byAge = [...running].sort((one, other) => held(other.account) - held(one.account) || one.began - other.began);
  const leaving = new Set<One>();
  let free = places - running.length;
  for (const account of waiting) {
    const own = held(account);
    if (own < placesOfAccount && free > 0) {
      free--;
      continue;
    }
    // A place beside another one of its account has no right to more than the usual slice.
    const mayStay = (one: One) => (own === 0 && held(one.account) > 1 ? slice : one.slice);
    const next = byAge.find(
      (one) => !leaving.has(one) && (own === 0 || one.account === account) && now - one.began >= mayStay(one),
    );
    if (next) leaving.add(next);
  }
  return leaving;
}
