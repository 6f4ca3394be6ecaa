// The folders of LOREKEEP_HOME/models: lists the models and their visibility, and removes a model as a whole.
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type ModelType, type Precision, precisions } from '@lorekeep/contract';

export interface LocalModel {
  name: string;
  kind: ModelType;
  folder: string;
  isPublic: boolean;
  /** Precision of its weights. */
  precision: Precision;
  /** Set for models from a hub. */
  commit: string | null;
  since: number;
}

/** One or two parts, neither of which can escape the folder of models (path traversal). */
const validName = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,95}(\/[A-Za-z0-9_][A-Za-z0-9._-]{0,95})?$/;

/** Written by the download into every model. */
interface Mark {
  model_type?: unknown;
  public?: unknown;
  commit?: unknown;
  quantized?: { precision?: unknown };
}

export class ModelFolders {
  readonly path: string;

  constructor(home: string) {
    this.path = join(home, 'models');
  }

  async find(name: string): Promise<LocalModel | undefined> {
    if (!validName.test(name)) return undefined;
    const folder = join(this.path, name);
    const config = await fileAt(join(folder, 'config.json'));
    if (!config) return undefined;
    const mark = await readMark(folder);
    return {
      name,
      folder,
      kind:
        mark?.model_type === 'embedding' || mark?.model_type === 'transformer'
          ? mark.model_type
          : // This file identifies folders of sentence-transformers.
            (await fileAt(join(folder, 'modules.json')))
            ? 'embedding'
            : 'transformer',
      isPublic: mark?.public !== false,
      precision: precisions.find((one) => one === mark?.quantized?.precision) ?? 'none',
      commit: typeof mark?.commit === 'string' ? mark.commit : null,
      since: Math.floor(config.mtimeMs),
    };
  }

  async list(): Promise<LocalModel[]> {
    const names: string[] = [];
    for (const entry of await foldersOf(this.path)) {
      if (await this.isModel(entry)) names.push(entry);
      else for (const inner of await foldersOf(join(this.path, entry))) names.push(`${entry}/${inner}`);
    }
    const found = await Promise.all(names.sort().map((name) => this.find(name)));
    return found.filter((model) => model !== undefined);
  }

  async isModel(name: string): Promise<boolean> {
    return (await fileAt(join(this.path, name, 'config.json'))) !== undefined;
  }

  /** Hides the folder by one rename, then deletes its files; `between` runs after the rename. */
  async remove({ folder }: LocalModel, between: () => Promise<void>): Promise<void> {
    const gone = join(this.path, '.downloads', `${removedPrefix}${randomUUID()}`);
    await mkdir(join(this.path, '.downloads'), { recursive: true });
    await rename(folder, gone);
    await between();
    await rm(gone, { recursive: true, force: true });
  }

  /** Removes leftovers of an interrupted removal; returns the partially downloaded models. */
  async sweep(): Promise<string[]> {
    const downloads = join(this.path, '.downloads');
    const entries = await readdir(downloads).catch(() => []);
    for (const entry of entries)
      if (entry.startsWith(removedPrefix)) await rm(join(downloads, entry), { recursive: true, force: true });
    return entries.filter((entry) => !entry.startsWith(removedPrefix)).map((entry) => entry.replace('--', '/'));
  }

  /** Removes the files of a download that was given up. */
  async forget(name: string): Promise<void> {
    await rm(join(this.path, '.downloads', name.replace('/', '--')), { recursive: true, force: true });
  }
}

/** Size of the weights in bytes. Weights that also exist in an old format are loaded from safetensors. */
export async function weightsOf(folder: string): Promise<number | null> {
  const names = await readdir(folder).catch(() => []);
  const ofKind = (ending: string) => names.filter((name) => name.endsWith(ending));
  const weights = ofKind('.safetensors').length > 0 ? ofKind('.safetensors') : ofKind('.bin');
  if (weights.length === 0) return null;
  const found = await Promise.all(weights.map((name) => stat(join(folder, name)).catch(() => undefined)));
  return found.reduce((sum, file) => sum + (file?.size ?? 0), 0);
}

/** Not the name of a model, since no organisation begins with a full stop. */
const removedPrefix = '.gone-';

async function readMark(folder: string): Promise<Mark | undefined> {
  try {
    const mark: unknown = JSON.parse(await readFile(join(folder, 'lorekeep.json'), 'utf8'));
    return typeof mark === 'object' && mark !== null ? mark : undefined;
  } catch (error) {
    // A model whose mark cannot be read may have been private.
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? undefined : { public: false };
  }
}

async function fileAt(path: string): Promise<{ mtimeMs: number } | undefined> {
  return await stat(path).then(
    (found) => (found.isFile() ? found : undefined),
    () => undefined,
  );
}

async function foldersOf(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => (entry.isDirectory() || entry.isSymbolicLink()) && validName.test(entry.name))
    .map(({ name }) => name);
}
