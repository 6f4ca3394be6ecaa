// The monotonic clock in the hands of a test, which ends with `mock.restoreAll()`.
import { mock } from 'node:test';

/** Freezes the monotonic clock; returns a function that advances it. */
export function steadyClock(): (milliseconds: number) => void {
  let now = performance.now();
  mock.method(performance, 'now', () => now);
  return (milliseconds) => {
    now += milliseconds;
  };
}
