// A RayCluster on a stand-in head, and drivers that follow the protocol of engine/lorekeep/tune/fence.py: a heartbeat, then a check
// of the fence.
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RayApi } from '../../cluster/ray/api.ts';
import { RayCluster, type RayOptions } from '../../cluster/ray/ray.ts';
import { createLog } from '../../http/log.ts';
import { StandInHead, type StandInJob } from './head.ts';

export class StandInDriver {
  readonly folder: string;
  readonly attempt: number;
  /** Total slots of all its nodes. */
  readonly slots: number;
  readonly #job: StandInJob;
  readonly #timer: NodeJS.Timeout;
  #beats = 0;
  living = true;

  /** Real drivers send a heartbeat every two seconds. */
  constructor(job: StandInJob, beatMs = 20) {
    this.#job = job;
    const [, folder, attempt] = /ray_driver '?(.*?)'? --attempt (\d+)/.exec(job.entrypoint)!;
    this.folder = folder!;
    this.attempt = Number(attempt);
    const [, nodes = 1, slots = 1] = /--nodes (\d+) --slots (\d+)/.exec(job.entrypoint) ?? [];
    this.slots = Number(nodes) * Number(slots);
    job.status = 'RUNNING';
    this.#timer = setInterval(() => this.#live(), beatMs);
    this.#live();
  }

  get #file(): string {
    return join(this.folder, 'runs', `${String(this.attempt).padStart(6, '0')}.driver.beat`);
  }

  #live(): void {
    this.#write({});
    const names = readdirSync(join(this.folder, 'runs'));
    const own = String(this.attempt).padStart(6, '0');
    const later = names.some((name) => /^\d{6}\.json$/.test(name) && name > `${own}.json`);
    if (!later && !names.includes(`${own}.closed`)) return;
    rmSync(this.#file);
    this.#over('FAILED', 75);
  }

  #write(more: object): void {
    writeFileSync(this.#file, JSON.stringify({ beat: ++this.#beats, ...more }));
  }

  #over(status: StandInJob['status'], code: number | null): void {
    clearInterval(this.#timer);
    this.living = false;
    if (this.#job.status === 'RUNNING')
      Object.assign(this.#job, { status, driver_exit_code: code, end_time: Date.now() });
  }

  end(status: number | null, reason: string | null = null): void {
    this.#over('SUCCEEDED', 0);
    this.#write({ ended: { status, reason, peak: 1000 } });
  }

  /** SIGKILL, or loss of its machine: its heartbeat stops, and Ray reports the given status. */
  kill(): void {
    this.#over('FAILED', -9);
  }
}

export class StandInDrivers {
  readonly all: StandInDriver[] = [];

  begin(job: StandInJob): StandInDriver {
    const driver = new StandInDriver(job);
    this.all.push(driver);
    return driver;
  }

  living(folder: string): number {
    return this.all.filter((driver) => driver.living && driver.folder === folder).length;
  }
}

export async function standIn(
  options: Pick<RayOptions, 'folder'> & Partial<RayOptions> & { token?: () => Promise<string | undefined> },
) {
  const head = new StandInHead();
  const drivers = new StandInDrivers();
  const address = await head.listen();
  head.onSubmit = (job) => void drivers.begin(job);
  const make = () =>
    new RayCluster({
      api: new RayApi({
        address,
        token: options.token ?? (async () => undefined),
        tokenFrom: 'the token of FILE',
        userAgent: 'lorekeep/test',
        timeoutMs: 500,
      }),
      program: ['python', '-m', 'lorekeep.cluster.ray_driver'],
      engine: '/engine',
      resource: 'GPU',
      maxNodes: 0,
      nodeSlots: 0,
      log: createLog({ log_level: 'silent', log_format: 'json' }),
      ...options,
    });
  return {
    address,
    head,
    drivers,
    /** Another server, without any state. */
    make,
    cluster: make(),
    end: async () => {
      for (const driver of drivers.all) if (driver.living) driver.kill();
      await head.down(true);
    },
  };
}
