// Exports a tuned model as a tar file: either the files that its checksums name, with the name of the base in the place of its path on this
// machine, or adapters for other programs, which the engine writes into a temporary scratch folder.
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { type ExportFormat, Refusal } from '@lorekeep/contract';
import { damagedData } from '../../blobs/checked.ts';
import { CommandRefusal, type EngineCommands } from '../../engine/command.ts';
import { sha256OfFile } from '../../files/sha256.ts';
import { weightsOf } from '../folders.ts';
import type { Model } from '../models.ts';
import type { TunedModelRecord } from '../tuned.ts';
import { filesUnder, tarOf } from './tar.ts';

const sumsFile = 'checksums.json';
const maxBaseBytes = 8 * 1000 ** 3;

export class ModelExports {
  readonly #commands: EngineCommands;
  readonly #scratch: string;

  constructor(commands: EngineCommands, home: string) {
    this.#commands = commands;
    this.#scratch = join(home, 'scratch');
  }

  async whole(folder: string, { name, base_model }: Pick<TunedModelRecord, 'name' | 'base_model'>): Promise<Readable> {
    const { about, sums } = await this.#checked(folder, name);
    about.base.path = base_model;
    const written = JSON.stringify(about, null, 1);
    sums['memory.json'] = createHash('sha256').update(written).digest('hex');
    const instead = { 'memory.json': written, [sumsFile]: JSON.stringify(sums, null, 1) };
    return Readable.from(tarOf(folder, name, [...Object.keys(sums), sumsFile].sort(), instead), { objectMode: false });
  }

  /** The folder's own description, after each of its files was compared with its checksum. */
  async #checked(folder: string, name: string) {
    const damaged = (reason: string, cause?: unknown) => damagedData({ what: 'tuned model', name }, reason, cause);
    const text = async (file: string) =>
      await readFile(join(folder, file), 'utf8').catch((error) => {
        throw damaged(`its file ${file} cannot be read`, error);
      });
    const parsed = (file: string, written: string) => {
      try {
        return JSON.parse(written);
      } catch (error) {
        throw damaged(`its file ${file} is not valid JSON`, error);
      }
    };
    const sums = parsed(sumsFile, await text(sumsFile)) as Record<string, string>;
    for (const [file, sum] of Object.entries(sums)) {
      const found = await sha256OfFile(join(folder, file)).catch((error) => {
        throw damaged(`its file ${file} cannot be read`, error);
      });
      if (found !== sum) throw damaged(`its file ${file} does not match its checksum`);
    }
    return { about: parsed('memory.json', await text('memory.json')), sums };
  }

  /** The signal ends the export when the caller is gone. */
  async adapters(
    { folder, base }: Model,
    { name, base_model }: Pick<TunedModelRecord, 'name' | 'base_model'>,
    { format, withBase }: { format: ExportFormat; withBase: boolean },
    signal: AbortSignal,
  ): Promise<Readable> {
    const refused = (reason: string) => new Refusal('export_refused', { name, format, reason });
    if (withBase && format !== 'gguf') throw refused('only gguf takes the base along (with_base)');
    if (withBase && ((await weightsOf(base ?? '')) ?? 0) > maxBaseBytes)
      throw refused(
        'its base is larger than a tar file holds (8 GB): export without with_base, and write the base with python -m lorekeep export on the host',
      );
    this.#commands.refuseUnready();
    await this.#checked(folder, name);
    await mkdir(this.#scratch, { recursive: true });
    const scratch = await mkdtemp(join(this.#scratch, 'export-'));
    const target = join(scratch, name);
    const remove = async () => await rm(scratch, { recursive: true, force: true });
    try {
      const words = ['--format', format, '--base-name', base_model, ...(withBase ? ['--with-base'] : [])];
      await this.#commands.run(['export', folder, target, ...words, ...(base ? ['--base', base] : [])], signal);
    } catch (error) {
      await remove();
      throw error instanceof CommandRefusal ? refused(error.message) : error;
    }
    const sent = Readable.from(tarOf(target, name, await filesUnder(target)), { objectMode: false });
    // After success and failure, and if the stream was never read.
    sent.once('close', () => void remove());
    return sent;
  }
}
