// Downloads of models for accounts, with their rules: permission, limits, and what each account may see.
import {
  type DownloadedModel,
  downloadsOnTheWay,
  type ModelType,
  Refusal,
  type WishedPrecision,
} from '@lorekeep/contract';
import type { FastifyBaseLogger } from 'fastify';
import type { Caller } from '../../auth/caller.ts';
import type { Engine } from '../../engine/engine.ts';
import { type LocalModel, type ModelFolders, weightsOf } from '../folders.ts';
import { defaultEmbedder, downloadFailed, type Model, type Models } from '../models.ts';
import type { DownloadRow, DownloadStore } from './download-store.ts';
import type { Downloader } from './downloader.ts';

/** Waiting and running downloads of one account. */
const maxOpenDownloads = 10;
/** Clients poll every second: the next poll returns a failure; a later call starts a retry. */
const failureReportMs = 5_000;

export interface DownloadRequest {
  name: string;
  modelType: ModelType | null;
  token: string | undefined;
  isPublic: boolean | undefined;
  precision: WishedPrecision | undefined;
}

interface Dependencies {
  models: Models;
  folders: ModelFolders;
  downloadStore: DownloadStore;
  downloader: Downloader;
  engine: Pick<Engine, 'unload' | 'unready'>;
  operatorOnly: boolean;
  log: FastifyBaseLogger;
}

export class Downloads {
  readonly #parts: Dependencies;
  /** Failures that were returned to a poll, by download and attempt. */
  readonly #reportedFailures = new Map<number, number>();

  constructor(parts: Dependencies) {
    this.#parts = parts;
  }

  /** Returns an available model at once, and a pending one with its progress. Starts the download of any other. */
  async request(caller: Caller, wish: DownloadRequest): Promise<DownloadedModel> {
    const { models, downloadStore, engine } = this.#parts;
    const { name, token } = wish;
    const builtIn = models.builtIn(name);
    if (builtIn) return await shownBuiltIn(builtIn);
    // It is installed with the engine; its folder is known once the engine runs.
    if (name === defaultEmbedder && engine.unready()) return shownComing(name);
    const local = await models.local(name, caller.account.id);
    const asked = await downloadStore.visible(caller.account.id, name);
    if (local) {
      refuseOtherPrecision(local, wish.precision);
      return await shownLocal(local, asked);
    }
    const coming = asked.find((row) => isOnTheWay(row) && (row.account_id === caller.account.id || !token));
    if (coming) return shownAsked(coming);
    await this.#refuse(caller, wish, asked);
    return shownAsked(await this.#begin(caller, wish));
  }

  async #refuse(caller: Caller, { name, token }: DownloadRequest, asked: DownloadRow[]): Promise<void> {
    const { folders, downloadStore, operatorOnly } = this.#parts;
    const wrong =
      wrongName(name) ??
      ((await folders.isModel(name.split('/')[0]!)) ? 'a model has the name of its organisation' : undefined);
    if (wrong) throw new Refusal('model_name_invalid', { name: name.slice(0, 200), reason: wrong });
    if (operatorOnly && !caller.isOperator) throw new Refusal('operator_only');
    const failed = asked.find(({ status }) => status === 'failed');
    if (failed && !token && Date.now() - (failed.finished_at ?? 0) < failureReportMs) {
      if (this.#reportedFailures.get(failed.id) !== failed.attempts) {
        this.#reportedFailures.set(failed.id, failed.attempts);
        throw downloadFailed(failed);
      }
    }
    if ((await downloadStore.countOnTheWay(caller.account.id)) >= maxOpenDownloads)
      throw new Refusal('downloads_limit', { limit: maxOpenDownloads });
  }

  async #begin(caller: Caller, { name, modelType, token, isPublic, precision }: DownloadRequest): Promise<DownloadRow> {
    const { downloadStore, downloader } = this.#parts;
    const wish = {
      accountId: caller.account.id,
      name,
      modelType,
      isPublic: isPublic ?? (token === undefined || caller.isOperator),
      withToken: token !== undefined,
      precision,
    };
    const queued = await downloader.keep(token, async () => await downloadStore.queue(wish));
    // The same model was requested concurrently; that request is the download.
    if (!queued) return (await downloadStore.visible(caller.account.id, name))[0]!;
    this.#reportedFailures.delete(queued.id);
    downloader.wake();
    return queued;
  }

  async list(caller: Caller): Promise<DownloadedModel[]> {
    const { models, folders } = this.#parts;
    const asked = await this.#asked(caller);
    const builtIn = models.allBuiltIn();
    const here = (await folders.list()).filter(
      (model) =>
        !builtIn.some(({ name }) => name === model.name) &&
        (caller.isOperator ||
          model.isPublic ||
          asked.some((row) => row.name === model.name && row.status === 'available')),
    );
    const modelsByName = new Map<string, DownloadedModel>();
    for (const model of builtIn) modelsByName.set(model.name, await shownBuiltIn(model));
    for (const model of here) modelsByName.set(model.name, await shownLocal(model, asked));
    for (const row of asked)
      if (row.status !== 'available' && !modelsByName.has(row.name)) modelsByName.set(row.name, shownAsked(row));
    return this.#withUpstreams(modelsByName);
  }

  /** Adds models on upstream engines, with and without local weights. */
  #withUpstreams(modelsByName: Map<string, DownloadedModel>): DownloadedModel[] {
    for (const { name, state, notes } of this.#parts.models.upstreams.states()) {
      const upstream = { state, notes };
      const here = modelsByName.get(name);
      modelsByName.set(name, here?.status === 'available' ? { ...here, upstream } : shownUpstream(name, upstream));
    }
    return [...modelsByName.values()];
  }

  async show(caller: Caller, name: string): Promise<DownloadedModel> {
    const found = (await this.list(caller)).find((model) => model.model_name === name);
    if (!found) throw new Refusal('model_not_found', { name: name.slice(0, 200) });
    return found;
  }

  /** The operator sees all downloads, its own first. */
  async #asked(caller: Caller): Promise<DownloadRow[]> {
    const { downloadStore } = this.#parts;
    const visible = await downloadStore.visible(caller.account.id);
    if (!caller.isOperator) return visible;
    const known = new Set(visible.map(({ id }) => id));
    return [...visible, ...(await downloadStore.all()).filter(({ id }) => !known.has(id))];
  }

  /** Cancels the download, and frees memory and disk. */
  async remove(name: string): Promise<void> {
    const { models, folders, downloadStore, downloader, engine, log } = this.#parts;
    if (models.builtIn(name)) throw new Refusal('model_built_in', { name });
    const ids = await downloadStore.remove(name);
    await downloader.cancel(ids);
    const local = await folders.find(name);
    if (!local && ids.length === 0) throw new Refusal('model_not_found', { name: name.slice(0, 200) });
    if (ids.length > 0) await folders.forget(name);
    if (!local) return;
    await folders.remove(local, async () => {
      if (engine.unready()) return;
      await engine
        .unload(local.folder)
        .catch((error) => log.warn({ err: error, model: name }, 'a deleted model could not be unloaded'));
    });
  }
}

function refuseOtherPrecision({ name, precision }: LocalModel, wished: WishedPrecision | undefined): void {
  if (wished && wished !== 'auto' && wished !== precision)
    throw new Refusal('model_precision_differs', { name, precision, wished });
}

const isOnTheWay = ({ status }: DownloadRow) => downloadsOnTheWay.includes(status);

const namePart = /^[A-Za-z0-9_]([A-Za-z0-9._-]{0,94}[A-Za-z0-9_])?$/;

/** The rules of the hub, which also prevent path traversal. */
function wrongName(name: string): string | undefined {
  const parts = name.split('/');
  if (parts.length !== 2) return 'it has to be two parts with one slash between them';
  if (!parts.every((text) => namePart.test(text)))
    return 'each part is 1 to 96 letters, digits, full stops, hyphens and underscores, and neither begins nor ends with a full stop or hyphen';
  if (/--|\.\./.test(name)) return 'it must not hold two hyphens or full stops in a row';
  return undefined;
}

const isoTime = (at: number) => new Date(at).toISOString();
const emptyModel = {
  model_id: null,
  user_id: null,
  is_public: true,
  prev_download_ts: null,
  prev_download_error: null,
  download_attempts: 0,
  bytes_done: null,
  bytes_total: null,
  weights_bytes: null,
  precision: null,
  upstream: null,
  commit: null,
};
const startedAt = isoTime(Date.now());

async function shownBuiltIn({ name, kind, folder }: Model): Promise<DownloadedModel> {
  return {
    ...emptyModel,
    model_name: name,
    model_type: kind,
    source: 'built-in',
    status: 'available',
    weights_bytes: await weightsOf(folder),
    precision: 'none',
    creation_ts: startedAt,
  };
}

function shownComing(name: string): DownloadedModel {
  return {
    ...emptyModel,
    model_name: name,
    model_type: 'embedding',
    source: 'built-in',
    status: 'queued',
    creation_ts: startedAt,
  };
}

async function shownLocal(model: LocalModel, asked: DownloadRow[]): Promise<DownloadedModel> {
  // The folder is there a moment before its record says so.
  const row = asked.find(({ name, status }) => name === model.name && status !== 'failed');
  return {
    ...(row ? shownAsked(row) : emptyModel),
    model_name: model.name,
    model_type: model.kind,
    source: row || model.commit ? 'hub' : 'folder',
    status: 'available',
    bytes_done: row?.bytes_total ?? null,
    weights_bytes: await weightsOf(model.folder),
    precision: model.precision,
    is_public: model.isPublic,
    creation_ts: isoTime(row?.created_at ?? model.since),
    commit: model.commit,
  };
}

function shownAsked(row: DownloadRow): DownloadedModel {
  return {
    model_id: row.id,
    model_name: row.name,
    model_type: row.model_type,
    source: 'hub',
    status: row.status,
    user_id: row.account_id,
    is_public: row.is_public === 1,
    creation_ts: isoTime(row.created_at),
    prev_download_ts: isoTime(row.attempted_at),
    prev_download_error: row.error,
    download_attempts: row.attempts,
    bytes_done: row.bytes_done,
    bytes_total: row.bytes_total,
    weights_bytes: null,
    precision: null,
    upstream: null,
    commit: null,
  };
}

function shownUpstream(name: string, upstream: { state: string; notes: string[] }): DownloadedModel {
  const status = upstream.state === 'ok' ? 'available' : upstream.state.startsWith('starting') ? 'queued' : 'failed';
  return {
    ...emptyModel,
    ...{ model_name: name, model_type: 'transformer', source: 'upstream', status, upstream, creation_ts: startedAt },
    prev_download_error: status === 'failed' ? upstream.state : null,
  };
}
