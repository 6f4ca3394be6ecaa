// Scheduling policy: decides which jobs start now, as a pure function of the waiting jobs, the running jobs and the number of slots. It
// never starts more than fit, leaves no slot idle while a waiting job fits, and starves no job: the first job that does not fit keeps its
// position, later jobs only backfill its slots as guests, and guests are preempted once it can start.

export interface Waiting {
  id: number;
  slots: number;
}

export interface Running {
  id: number;
  slots: number;
  /** The job runs in slots that an earlier job waits for. */
  guest: boolean;
  /** The job is being stopped, so its slots will soon be free. */
  stopping: boolean;
}

export interface Decision {
  start: { id: number; guest: boolean }[];
  /** Guests to preempt, since the first waiting job needs their slots now. */
  stop: number[];
  /** No job waits for the guests' slots, so guests become ordinary jobs. */
  settled: boolean;
  /** Slots that are left for later jobs. */
  left: number;
}

/** `waiting` is in queue order, `running` in the order of start. */
export function decide(waiting: readonly Waiting[], running: readonly Running[], total: number): Decision {
  const sum = (some: readonly { slots: number }[]) => some.reduce((slots, one) => slots + one.slots, 0);
  const decision: Decision = { start: [], stop: [], settled: true, left: 0 };
  let free = total - sum(running);
  const coming = sum(running.filter(({ stopping }) => stopping));
  const guests = running.filter(({ guest, stopping }) => guest && !stopping);
  for (const { id, slots } of waiting) {
    // Only another server's larger cluster can run this job.
    if (slots > total) continue;
    if (!decision.settled || slots <= free) {
      if (slots > free) continue;
      decision.start.push({ id, guest: !decision.settled });
      free -= slots;
      continue;
    }
    decision.settled = false;
    if (slots > free + coming + sum(guests)) continue;
    // The job gets these slots as soon as they are free; no other job gets any until then. The latest guest is stopped first.
    for (let missing = slots - free - coming; missing > 0; ) {
      const guest = guests.pop()!;
      decision.stop.push(guest.id);
      missing -= guest.slots;
    }
    return decision;
  }
  return { ...decision, left: free };
}
