// Seeded random numbers, so that a failure can be reproduced.

export interface Random {
  /** An integer from `least` to `most`. */
  between(min: number, max: number): number;
  chance(share: number): boolean;
  pick<T>(values: T[]): T | undefined;
}

/** Mulberry32: small and good enough for tests. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let value = Math.imul(state ^ (state >>> 15), state | 1);
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (min: number, max: number) => min + Math.floor(next() * (max - min + 1));
  return {
    between,
    chance: (share) => next() < share,
    pick: (values) => (values.length === 0 ? undefined : values[between(0, values.length - 1)]),
  };
}
