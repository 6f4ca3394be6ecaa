// A tuned model to take elsewhere, as a tar file: what its checksums name, as it is but for the place of its base on this machine, which gives
// way to the name of the base, or as PEFT adapters, which the engine lays out in a scratch folder that is gone afterwards.
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { EngineCommands } from '../engine/command.ts';
import type { Model } from './models.ts';
import { filesUnder, tarOf } from './tar.ts';
import type { Tuned } from './tuned.ts';

const sumsFile = 'checksums.json';

export class ModelExports {
  readonly #commands: EngineCommands;
  readonly #scratch: string;

  constructor(commands: EngineCommands, home: string) {
    this.#commands = commands;
    this.#scratch = join(home, 'scratch');
  }

  async whole(folder: string, { name, base_model }: Pick<Tuned, 'name' | 'base_model'>): Promise<Readable> {
    const about = JSON.parse(await readFile(join(folder, 'memory.json'), 'utf8'));
    const sums = JSON.parse(await readFile(join(folder, sumsFile), 'utf8'));
    about.base.path = base_model;
    const written = JSON.stringify(about, null, 1);
    sums['memory.json'] = createHash('sha256').update(written).digest('hex');
    const instead = { 'memory.json': written, [sumsFile]: JSON.stringify(sums, null, 1) };
    return Readable.from(tarOf(folder, name, [...Object.keys(sums), sumsFile].sort(), instead), { objectMode: false });
  }

  /** The signal ends it when the caller is gone. */
  async adapters({ folder, base }: Model, { name }: Pick<Tuned, 'name'>, signal: AbortSignal): Promise<Readable> {
    this.#commands.refuseUnready();
    await mkdir(this.#scratch, { recursive: true });
    const scratch = await mkdtemp(join(this.#scratch, 'export-'));
    const target = join(scratch, name);
    const remove = async () => await rm(scratch, { recursive: true, force: true });
    try {
      await this.#commands.run(['export', folder, target, '--peft', ...(base ? ['--base', base] : [])], signal);
    } catch (error) {
      await remove();
      throw error;
    }
    const sent = Readable.from(tarOf(target, name, await filesUnder(target)), { objectMode: false });
    // However it ends, and where nobody began to read it.
    sent.once('close', () => void remove());
    return sent;
  }
}
