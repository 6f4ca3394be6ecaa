// The models that can be asked, by name: the one that ships, the default embedder that is installed beside the engine, and the folders of
// LOREKEEP_HOME/models, each named as on a hub (organisation/name). Pending and failed downloads are reported by name, too.
import { join } from 'node:path';
import { type ModelType, Refusal } from '@lorekeep/contract';
import { checkout } from '../config/settings.ts';
import type { DownloadRow, DownloadStore } from './downloads/download-store.ts';
import type { LocalModel, ModelFolders } from './folders.ts';
import { type Policy, policyOf } from './policy.ts';
import { nameFor, type TunedModelRecord, type TunedModels } from './tuned.ts';

export const shippedModel = 'lorekeep/quill';
export const defaultEmbedder = 'sentence-transformers/all-MiniLM-L6-v2';

const shippedFolder = join(checkout, 'models/quill');

/** The folder of a base on this machine, whether it exists or not. */
export const localFolder = (home: string) => (name: string) =>
  name === shippedModel ? shippedFolder : join(home, 'models', name);

export interface Model {
  name: string;
  kind: ModelType;
  folder: string;
  /** Set for a tuned model: its base, and the current folder of that base. */
  tunedOn?: string;
  base?: string;
  /** Policy of a tuned model, used where a request names none. */
  policy?: Policy;
  /** Set for a base on an upstream engine: its name for the engine's port. */
  upstream?: string;
}

/** Bases on upstream engines, by the local name of the model. */
export interface Upstreams {
  /** `folder` holds the tokenizer where no local model has the name; `key` is the name for the engine's port. */
  models: ReadonlyMap<string, { key: string; folder: string }>;
  states(): { name: string; state: string; notes: string[] }[];
}

export class Models {
  readonly #folders: ModelFolders;
  readonly #downloadStore: DownloadStore;
  readonly #embedder: () => string | undefined;
  readonly #tuned: TunedModels;
  readonly upstreams: Upstreams;

  /** `embedder` returns the folder of the default embedder, which the engine reports when it starts. */
  constructor(
    folders: ModelFolders,
    downloadStore: DownloadStore,
    tuned: TunedModels,
    embedder: () => string | undefined,
    upstreams: Upstreams = { models: new Map(), states: () => [] },
  ) {
    this.upstreams = upstreams;
    this.#folders = folders;
    this.#downloadStore = downloadStore;
    this.#tuned = tuned;
    this.#embedder = embedder;
  }

  /** Throws the refusal for the caller if there is no such model. Private models exist only for accounts that the hub let in. */
  async find(name: string, accountId?: number): Promise<Model> {
    const found = this.builtIn(name) ?? (await this.local(name, accountId)) ?? this.upstreamOnly(name);
    if (found) return this.#withUpstream(found);
    const tuned = await this.#tuned.find(name, accountId);
    if (tuned) return { ...(await this.#asModel(name, tuned)), folder: await this.#tuned.folder(tuned.name) };
    const [asked] = accountId === undefined ? [] : await this.#downloadStore.visible(accountId, name);
    if (!asked || asked.status === 'available') throw await this.#tuned.notFound(name);
    if (asked.status === 'failed') throw downloadFailed(asked);
    throw new Refusal('model_downloading', { name, ...progressOf(asked) }, { headers: { 'Retry-After': '5' } });
  }

  /** A base of which this machine has no weights. */
  upstreamOnly(name: string): Model | undefined {
    const known = this.upstreams.models.get(name);
    return known && { name, kind: 'transformer', folder: known.folder };
  }

  /** Whether a folder of weights is here, even if an upstream engine answers. */
  async hasWeights(name: string): Promise<boolean> {
    return this.builtIn(name) !== undefined || (await this.#folders.find(name)) !== undefined;
  }

  #withUpstream(model: Model): Model {
    const known = this.upstreams.models.get(model.name);
    return known && model.kind === 'transformer' ? { ...model, upstream: known.key } : model;
  }

  async list(accountId?: number): Promise<Model[]> {
    const builtIn = this.allBuiltIn();
    const opened = new Set(
      accountId === undefined
        ? []
        : (await this.#downloadStore.visible(accountId)).filter(isHere).map(({ name }) => name),
    );
    const local = (await this.#folders.list()).filter(
      ({ name, isPublic }) => (isPublic || opened.has(name)) && !builtIn.some((model) => model.name === name),
    );
    const tuned = await this.#tuned.visible(accountId);
    const here = new Set([...builtIn, ...local].map(({ name }) => name));
    const elsewhere = [...this.upstreams.models.keys()].filter((name) => !here.has(name));
    return [
      ...[...builtIn, ...local].map((model) => this.#withUpstream(model)),
      ...elsewhere.map((name) => this.#withUpstream(this.upstreamOnly(name)!)),
      ...(await Promise.all(tuned.map((one) => this.#asModel(nameFor(accountId, one), one)))),
    ];
  }

  /** The base is found by its name: the home, or the checkout, may have moved since. */
  async #asModel(name: string, tuned: TunedModelRecord): Promise<Model> {
    const { name: own, base_model } = tuned;
    const base = (this.builtIn(base_model) ?? (await this.#folders.find(base_model)))?.folder;
    const folder = this.#tuned.path(own);
    const policy = policyOf(tuned);
    return { name, kind: 'transformer', folder, tunedOn: base_model, policy, ...(base && { base }) };
  }

  /** Names of other models cannot be custom names, since calls would be ambiguous. Names of a hub have a slash; custom names have none. */
  async isReserved(name: string): Promise<boolean> {
    return (
      /^[0-9a-f]{64}$/.test(name) || this.upstreams.models.has(name) || (await this.#folders.find(name)) !== undefined
    );
  }

  /** A model that has a folder here and that the account may use. */
  async local(name: string, accountId?: number): Promise<LocalModel | undefined> {
    const found = await this.#folders.find(name);
    if (!found || found.isPublic) return found;
    const asked = accountId === undefined ? [] : await this.#downloadStore.visible(accountId, name);
    return asked.some(isHere) ? found : undefined;
  }

  builtIn(name: string): Model | undefined {
    return this.allBuiltIn().find((model) => model.name === name);
  }

  allBuiltIn(): Model[] {
    const models: Model[] = [{ name: shippedModel, kind: 'transformer', folder: shippedFolder }];
    const embedder = this.#embedder();
    if (embedder) models.push({ name: defaultEmbedder, kind: 'embedding', folder: embedder });
    return models;
  }
}

const isHere = ({ status }: DownloadRow) => status === 'available';

export const downloadFailed = ({ name, error }: DownloadRow) =>
  new Refusal('model_download_failed', { name, reason: error ?? 'it ended early' });

function progressOf({ status, bytes_done, bytes_total }: DownloadRow): { work: string; progress: string } {
  const work = status === 'quantizing' ? 'Quantizing' : 'Downloading';
  if (status === 'queued') return { work, progress: 'it waits for its turn' };
  if (bytes_total === null) return { work, progress: 'the hub is asked for it' };
  const share = Math.floor((100 * (bytes_done ?? 0)) / Math.max(1, bytes_total));
  return { work, progress: `${share}% of ${size(bytes_total)}` };
}

function size(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB'];
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  return `${(bytes / 1000 ** power).toFixed(power > 1 ? 1 : 0)} ${units[power]}`;
}
