// Times for which contents have stood still, by this process's monotonic clock. No other clock is used.

const forgottenMs = 600_000;

export class UnchangedTimes {
  readonly #seen = new Map<string, { content: string; since: number; lookedAt: number }>();

  /** Milliseconds for which the content was unchanged at every check. */
  of(name: string, content: string): number {
    const now = performance.now();
    const seen = this.#seen.get(name);
    if (seen?.content === content) {
      seen.lookedAt = now;
      return now - seen.since;
    }
    for (const [other, { lookedAt }] of this.#seen) if (now - lookedAt > forgottenMs) this.#seen.delete(other);
    this.#seen.set(name, { content, since: now, lookedAt: now });
    return 0;
  }
}
