// Choice of the jobs that start now: a pure function of the waiting jobs, the running jobs and the number of slots. It
// never starts more than fit, leaves nothing idle while a job that fits waits, and lets nobody wait for ever: the first
// job that does not fit keeps its place, and those behind it only fill its slots as guests.

export interface Waiting {
  id: number;
  slots: number;
}

export interface Running {
  id: number;
  slots: number;
  /** It runs in slots that a job before it waits for. */
  guest: boolean;
  /** Its slots are about to be free. */
  stopping: boolean;
}

export interface Decision {
  start: { id: number; guest: boolean }[];
  /** Guests whose slots the first one needs now. */
  stop: number[];
  /** No job waits for the guests' slots: guests become ordinary jobs. */
  settled: boolean;
  /** Slots that one behind these may still have. */
  left: number;
}

/** `waiting` in the order of the queue, `running` in the order of their start. */
export function decide(waiting: readonly Waiting[], running: readonly Running[], total: number): Decision {
  const sum = (some: readonly { slots: number }[]) => some.reduce((slots, one) => slots + one.slots, 0);
  const decision: Decision = { start: [], stop: [], settled: true, left: 0 };
  let free = total - sum(running);
  const coming = sum(running.filter(({ stopping }) => stopping));
  const guests = running.filter(({ guest, stopping }) => guest && !stopping);
  for (const { id, slots } of waiting) {
    // Another server's cluster is for this one.
    if (slots > total) continue;
    if (!decision.settled || slots <= free) {
      if (slots > free) continue;
      decision.start.push({ id, guest: !decision.settled });
      free -= slots;
      continue;
    }
    decision.settled = false;
    if (slots > free + coming + sum(guests)) continue;
    // It can have them as soon as they are free: nobody else gets any until then. The last that came goes first.
    for (let missing = slots - free - coming; missing > 0; ) {
      const guest = guests.pop()!;
      decision.stop.push(guest.id);
      missing -= guest.slots;
    }
    return decision;
  }
  return { ...decision, left: free };
}
