// Imports an exported tuned model: unpacks it as it arrives into the folder of a job that has run elsewhere, validates it with the engine,
// moves it to the tuned models, and records it. A model without a record does not exist, and is removed or swept.
import { createHash, randomBytes } from 'node:crypto';
import { copyFile, mkdir, open, readFile, rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { dirname, join } from 'node:path';
import { importTunedModel, Refusal, type TunedModel } from '@lorekeep/contract';
import { remainingStorage } from '../../accounts/storage.ts';
import type { Caller } from '../../auth/caller.ts';
import type { EngineCommands } from '../../engine/command.ts';
import type { UploadLimits } from '../../http/form.ts';
import { OneFile } from '../../http/one-file.ts';
import { parsed } from '../../http/validate.ts';
import { type WrittenFolders, writerFile } from '../../leases/written-folders.ts';
import { isUniqueViolation, type Store } from '../../store/database.ts';
import type { Models } from '../models.ts';
import { type TunedModels, toTunedModel } from '../tuned.ts';
import type { TunedFolders } from '../tuned-folders.ts';
import type { Acceptance } from './accept.ts';
import { recordImport } from './import-record.ts';
import { filesOfTar, stripControls, TarError } from './untar.ts';

/** Below the folder of the export: a file, or a file of a folder in it. */
const filePath = /^[A-Za-z0-9_][^/]*\/((?:[A-Za-z0-9_][A-Za-z0-9_-]{0,40}\/)?[A-Za-z0-9_][A-Za-z0-9._-]{0,120})$/;
const maxFiles = 100_000;
/** Limits of files that are read into memory here. */
const maxBytes: Record<string, number> = {
  'memory.json': 1 << 20,
  'report.json': 64 << 20,
  'checksums.json': 64 << 20,
};

interface Dependencies {
  store: Store;
  tuned: TunedModels;
  models: Models;
  /** Folders of jobs: an imported model is that of a job that has run elsewhere. */
  arriving: WrittenFolders;
  folders: TunedFolders;
  commands: EngineCommands;
  acceptance: Acceptance;
  contact: string;
  limits: UploadLimits;
}

export class ModelImports {
  readonly #parts: Dependencies;

  constructor(parts: Dependencies) {
    this.#parts = parts;
  }

  async import(caller: Caller, request: IncomingMessage, signal: AbortSignal): Promise<TunedModel> {
    const { commands, arriving, limits } = this.#parts;
    commands.refuseUnready();
    const form = new OneFile(request, limits);
    const name = randomBytes(32).toString('hex');
    try {
      const file = await form.file();
      await this.#refuseTaken(form.fields.custom_model_name);
      const job = await arriving.create(name);
      const source = await this.#unpack(caller, file.bytes, join(job, 'model'));
      await form.end();
      return await this.#keep(caller, name, source, wishes(form.fields), signal);
    } finally {
      form.close();
      // A stored model was moved out of this folder; anything else is removed.
      await arriving.remove(name);
    }
  }

  /** Returns a hash over the names and hashes of the received files. */
  async #unpack(caller: Caller, bytes: AsyncIterable<Buffer>, target: string): Promise<string> {
    const { store, contact } = this.#parts;
    const room = await remainingStorage(store.db, caller, contact);
    const sums: string[] = [];
    let total = 0;
    try {
      for await (const { path, size, bytes: content } of filesOfTar(bytes)) {
        const [, inside] = filePath.exec(path) ?? [];
        if (inside === undefined || inside === writerFile)
          throw refused(`"${stripControls(path)}" is not a file of a tuned model`);
        if (size > (maxBytes[inside] ?? Number.POSITIVE_INFINITY)) throw refused(`its ${inside} has ${size} bytes`);
        if (sums.length === maxFiles) throw refused(`it has more than ${maxFiles} files`);
        total += size;
        if (total > room.bytes) throw room.full();
        sums.push(`${inside} ${await write(join(target, inside), content, path)}`);
      }
    } catch (error) {
      if (error instanceof TarError) throw refused(error.message);
      throw error;
    }
    return createHash('sha256').update(sums.sort().join('\n')).digest('hex');
  }

  async #keep(caller: Caller, name: string, source: string, wishes: Wishes, signal: AbortSignal): Promise<TunedModel> {
    const { store, tuned, arriving, folders, models, acceptance, contact } = this.#parts;
    await this.#refuseTaken(wishes.alias);
    const known = await tuned.imported(caller, source);
    if (known) return await tuned.change(caller, known, wishes);
    const folder = join(arriving.path(name), 'model');
    const base = await acceptance.accept(folder, await models.list(caller.account.id), signal);
    const about = JSON.parse(await readFile(join(folder, 'memory.json'), 'utf8'));
    // A sweep skips folders of a living writer.
    await copyFile(join(arriving.path(name), writerFile), join(folder, writerFile));
    try {
      const counts = await folders.adopt(folder, name);
      await recordImport(store, { caller, name, source, base, about, counts: counts!, ...wishes, contact });
    } catch (error) {
      // If the storage is unavailable, a later start removes it.
      await folders.remove(name).catch(() => {});
      // The same file was imported concurrently; the other import is the model.
      const other = isUniqueViolation(error) ? await tuned.imported(caller, source) : undefined;
      if (!other) throw error;
      return await tuned.change(caller, other, wishes);
    }
    await rm(join(folders.path(name), writerFile), { force: true });
    return toTunedModel(await tuned.own(caller, name), caller.account.id);
  }

  async #refuseTaken(alias: string | undefined): Promise<void> {
    if (alias !== undefined && (await this.#parts.models.isReserved(alias)))
      throw new Refusal('name_taken', { name: alias });
  }
}

interface Wishes {
  alias: string | undefined;
  isPublic: boolean | undefined;
}

function wishes(fields: Record<string, string>): Wishes {
  const { custom_model_name: alias, is_public } = parsed(importTunedModel.body!.omit({ file: true }), fields);
  return { alias, isPublic: is_public === undefined ? undefined : is_public === 'true' };
}

const refused = (reason: string) => new Refusal('import_invalid', { reason });

/** Returns the hash of the file. A repeated name is an error. */
async function write(file: string, bytes: AsyncIterable<Buffer>, path: string): Promise<string> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const digest = createHash('sha256');
  const opened = await open(file, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EEXIST' ? refused(`"${stripControls(path)}" is in it twice`) : error;
  });
  try {
    for await (const chunk of bytes) {
      digest.update(chunk);
      await opened.writeFile(chunk);
    }
    await opened.sync();
  } finally {
    await opened.close();
  }
  return digest.digest('hex');
}
