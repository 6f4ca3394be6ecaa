// Memory of a server and its engine, sampled during a soak. Linux only: read from /proc.
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

const sampleMs = 2000;
const minJudgedMs = 120_000;
/** Maximum growth over the judged samples that counts as flat: a share of the first sample, or this many MB if that is more. */
const [maxGrowthShare, minMegabytes] = [0.15, 40];

interface Sample {
  at: number;
  megabytes: number;
}

export class Memory {
  readonly #server: number;
  readonly #started = Date.now();
  readonly #ofServer: Sample[] = [];
  readonly #ofEngines = new Map<number, Sample[]>();

  constructor(server: number) {
    this.#server = server;
  }

  async watch(end: number): Promise<void> {
    while (Date.now() < end) {
      this.#look(this.#server, this.#ofServer);
      const engine = engineOf(this.#server);
      if (engine !== undefined) {
        if (!this.#ofEngines.has(engine)) this.#ofEngines.set(engine, []);
        this.#look(engine, this.#ofEngines.get(engine)!);
      }
      await pause(sampleMs);
    }
  }

  /**
   * Prints a line for each process and returns those whose memory is not flat. The first half of a life is warm-up; a process
   * with less than two minutes after it is not judged.
   */
  report(say: (line: string) => void): string[] {
    const failures: string[] = [];
    const lives: [string, Sample[]][] = [['server', this.#ofServer]];
    let number = 0;
    for (const samples of this.#ofEngines.values()) lives.push([`engine ${++number}`, samples]);
    for (const [name, all] of lives) {
      const life = (all.at(-1)?.at ?? 0) - (all[0]?.at ?? 0);
      const samples = all.filter(({ at }) => at - all[0]!.at >= life / 2);
      if (life / 2 < minJudgedMs) {
        say(
          `${name.padEnd(10)} lived too short to judge its memory; ${(all.at(-1)?.megabytes ?? 0).toFixed(0)} MB at the end`,
        );
        continue;
      }
      const [first, last] = [samples[0]!.megabytes, samples.at(-1)!.megabytes];
      const peak = Math.max(...samples.map(({ megabytes }) => megabytes));
      const minute = slope(samples) * 60_000;
      const grown = (minute * (samples.at(-1)!.at - samples[0]!.at)) / 60_000;
      say(
        `${name.padEnd(10)} MB after warm-up ${first.toFixed(0)}, at the end ${last.toFixed(0)}, most ${peak.toFixed(0)}; ` +
          `${minute >= 0 ? '+' : ''}${minute.toFixed(1)} MB a minute over ${((samples.at(-1)!.at - samples[0]!.at) / 60_000).toFixed(1)} minutes`,
      );
      if (grown > Math.max(minMegabytes, maxGrowthShare * first))
        failures.push(`the memory of the ${name} grew by ${grown.toFixed(0)} MB`);
    }
    return failures;
  }

  #look(pid: number, samples: Sample[]): void {
    try {
      const kilobytes = Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
      if (kilobytes > 0) samples.push({ at: Date.now() - this.#started, megabytes: kilobytes / 1000 });
    } catch {
      // gone meanwhile
    }
  }
}

/** Process id of the engine that a server has started. */
export function engineOf(server: number): number | undefined {
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const parent = Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${name}/status`, 'utf8'))?.[1]);
      if (parent !== server) continue;
      if (readFileSync(`/proc/${name}/cmdline`, 'utf8').includes('lorekeep\0serve')) return Number(name);
    } catch {
      // gone meanwhile
    }
  }
  return undefined;
}

/** Slope of the regression line through the samples, per millisecond. */
function slope(samples: Sample[]): number {
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [at, megabytes] = [mean(samples.map((s) => s.at)), mean(samples.map((s) => s.megabytes))];
  const over = samples.reduce((sum, s) => sum + (s.at - at) * (s.megabytes - megabytes), 0);
  return over / (samples.reduce((sum, s) => sum + (s.at - at) ** 2, 0) || 1);
}
