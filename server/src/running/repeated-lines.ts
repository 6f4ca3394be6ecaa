// Bounds the rate of repeated lines in the log: work that is retried several times a second, as on a full disk, would otherwise fill it
// with one and the same line.

const intervalMs = 60_000;
/** Maximum number of different lines that are remembered. */
const maxLines = 500;

export class RepeatedLines {
  readonly #now: () => number;
  /** The last time that each line was written, the oldest first, and how often it was left out since. */
  readonly #written = new Map<string, { at: number; leftOut: number }>();

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** The number of times that the line was left out since it was last written; undefined if it is to be left out now. */
  take(line: string): number | undefined {
    const now = this.#now();
    const last = this.#written.get(line);
    if (last && now - last.at < intervalMs) {
      last.leftOut++;
      return undefined;
    }
    this.#written.delete(line);
    this.#written.set(line, { at: now, leftOut: 0 });
    if (this.#written.size > maxLines) this.#written.delete(this.#written.keys().next().value!);
    return last?.leftOut ?? 0;
  }
}
