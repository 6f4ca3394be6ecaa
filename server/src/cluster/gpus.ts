// Assignment of this machine's GPUs to runs. A run gets the GPUs with the fewest runs, and among equals the one that
// became free last, since its process may still wait there.

export class Gpus {
  /** The next one is first. */
  #free: { name: string; runs: number }[];

  constructor(names: readonly string[]) {
    this.#free = names.map((name) => ({ name, runs: 0 }));
  }

  /** Returns the same as `take` without taking anything. */
  next(count: number): string[] {
    return this.#free.slice(0, count).map(({ name }) => name);
  }

  take(count: number): string[] {
    const taken = this.next(count);
    this.#count(taken, 1);
    return taken;
  }

  release(names: readonly string[]): void {
    const back = this.#free.filter(({ name }) => names.includes(name));
    this.#free = [...back, ...this.#free.filter((one) => !back.includes(one))];
    this.#count(names, -1);
  }

  #count(names: readonly string[], more: 1 | -1): void {
    for (const one of this.#free) if (names.includes(one.name)) one.runs += more;
    this.#free.sort((one, other) => one.runs - other.runs);
  }
}

/** The first `count` GPUs that a process started here sees. `visible` is CUDA_VISIBLE_DEVICES. */
export function gpuNames(count: number, visible: string | undefined): string[] {
  const names = visible
    ?.split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  return Array.from({ length: count }, (_, at) => names?.[at] ?? String(at));
}
