// Attempts of a job in its folder: the side of the server. engine/lorekeep/tune/fence.py is the side of the run's processes, and
// docs/decisions/0018-ray-cluster.md has the protocol of both.
import { randomBytes } from 'node:crypto';
import { link, mkdir, open, readdir, readFile, rm, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { syncFolder } from '../../files/durable.ts';
import type { RunState } from '../cluster.ts';

const folderName = 'runs';
/** A heartbeat that stands still this long by this server's monotonic clock means a dead process. Processes give up after 20 seconds. */
export const leaseMs = 30_000;

const attemptSchema = z.object({ id: z.string(), nodes: z.int(), slots: z.int(), claimed: z.number() });
export type Attempt = z.infer<typeof attemptSchema> & { number: number };

const beatSchema = z.object({
  ended: z
    .object({ status: z.int().nullable(), reason: z.string().nullable(), peak: z.number().nullable().default(null) })
    .optional(),
});

export interface LastAttempt extends Attempt {
  closed: boolean;
  /** The driver's heartbeat: its file, and its content, if any. */
  beatFile: string;
  beat: string | undefined;
  ended: Extract<RunState, { state: 'ended' }> | undefined;
}

const numbered = (number: number, ending: string) => `${String(number).padStart(6, '0')}.${ending}`;

export class Attempts {
  readonly #folder: string;

  constructor(jobFolder: string) {
    this.#folder = join(jobFolder, folderName);
  }

  /** Undefined if there was none. */
  async last(): Promise<LastAttempt | undefined> {
    const names = await this.#names();
    const number = lastOf(names);
    if (number === 0) return undefined;
    const order = attemptSchema.parse(JSON.parse(await this.#read(numbered(number, 'json'))));
    const beatFile = numbered(number, 'driver.beat');
    const beat = await this.#read(beatFile).catch(() => undefined);
    return { ...order, number, closed: names.includes(numbered(number, 'closed')), beatFile, beat, ended: endOf(beat) };
  }

  /** Creates an attempt, synced, before it is used. False if another server has created it. */
  async create({ number, ...attempt }: Attempt): Promise<boolean> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const draft = join(this.#folder, `.${numbered(number, 'draft')}.${randomBytes(6).toString('hex')}`);
    await writeSynced(draft, JSON.stringify(attempt));
    try {
      await link(draft, join(this.#folder, numbered(number, 'json')));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
      throw error;
    } finally {
      await unlink(draft);
    }
    await syncFolder(this.#folder);
    return true;
  }

  /** Closes an attempt: from now on none of its processes may write. */
  async close(number: number): Promise<void> {
    await writeSynced(join(this.#folder, numbered(number, 'closed')), '');
    await syncFolder(this.#folder);
  }

  /** Closes the last attempt if it is open. */
  async closeLast(): Promise<void> {
    const last = await this.last();
    if (last && !last.closed) await this.close(last.number);
  }

  /** Heartbeats of processes that have not reported their end, by their file. */
  async beats(): Promise<Map<string, string>> {
    const files = (await this.#names()).filter((name) => /^\d{6}\..+\.beat$/.test(name));
    const found = new Map<string, string>();
    for (const file of files) {
      const beat = await this.#read(file).catch(() => undefined);
      if (beat !== undefined && !endOf(beat)) found.set(file, beat);
    }
    return found;
  }

  /** Removes a heartbeat that stands still for good. */
  async forget(beat: string): Promise<void> {
    await rm(join(this.#folder, beat), { force: true });
  }

  async #names(): Promise<string[]> {
    try {
      return await readdir(this.#folder);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
  }

  async #read(name: string): Promise<string> {
    return await readFile(join(this.#folder, name), 'utf8');
  }
}

function lastOf(names: readonly string[]): number {
  return Math.max(0, ...names.map((name) => Number(/^(\d{6})\.json$/.exec(name)?.[1] ?? 0)));
}

function endOf(beat: string | undefined): LastAttempt['ended'] {
  if (beat === undefined) return undefined;
  try {
    const { ended } = beatSchema.parse(JSON.parse(beat));
    return ended && { state: 'ended', status: ended.status, reason: ended.reason, peakMemory: ended.peak };
  } catch {
    return undefined;
  }
}

async function writeSynced(path: string, text: string): Promise<void> {
  const file = await open(path, 'w', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}
