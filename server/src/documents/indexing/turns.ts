// Time slicing of index builds (preemption): chooses the builds that yield their slots. The slots of one account are limited,
// so that others find free ones. If more accounts wait than there are slots, and among the indexes of one account, a slot
// passes on after a time slice, regardless of progress in it.

/** Concurrent builds. Each has a reader process; the engine embeds for one after the other. */
export const maxConcurrentBuilds = 4;
export const maxBuildsPerAccount = 2;
export const defaultSlice = 5_000;

export interface Turn {
  account: number;
  began: number;
  /** Time slice in milliseconds while others wait. */
  slice: number;
}

/** Running builds whose time slice is over and whose slot is needed, one for each waiting account. */
export function toPreempt<One extends Turn>(
  running: One[],
  waiting: Iterable<number>,
  now: number,
  slice: number,
): Set<One> {
  const held = (account: number) => running.filter((one) => one.account === account).length;
  // Accounts with several slots yield first.
  const byAge = [...running].sort((one, other) => held(other.account) - held(one.account) || one.began - other.began);
  const leaving = new Set<One>();
  let free = maxConcurrentBuilds - running.length;
  for (const account of waiting) {
    const own = held(account);
    if (own < maxBuildsPerAccount && free > 0) {
      free--;
      continue;
    }
    // An additional slot of an account gets no more than the default slice.
    const mayStay = (one: One) => (own === 0 && held(one.account) > 1 ? slice : one.slice);
    const next = byAge.find(
      (one) => !leaving.has(one) && (own === 0 || one.account === account) && now - one.began >= mayStay(one),
    );
    if (next) leaving.add(next);
  }
  return leaving;
}
