// Background worker of downloads: claims them, runs two at a time, and writes their progress and results.
// Tokens are here in memory, from the request until the end of its download.
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import type { ModelFolders } from '../folders.ts';
import { memoryBytes } from '../known-models.ts';
import { type Download, type Outcome, startDownload } from './download.ts';
import type { DownloadRow, DownloadStore } from './download-store.ts';

const maxConcurrent = 2;
const claimMs = 2_000;
const progressMs = 1_000;

const noToken =
  'the server was started again, and tokens are not kept: send private_hf_token again, and it goes on from where it was';

export class Downloader {
  readonly #downloadStore: DownloadStore;
  readonly #folders: ModelFolders;
  readonly #hub: string;
  readonly #log: FastifyBaseLogger;
  readonly #running = new Map<number, { asked: DownloadRow; download: Download; over: Promise<void> }>();
  /** Access tokens of the hub by download, in memory only: none is stored, encrypted or not. */
  readonly #tokens = new Map<number, string>();
  #python: { program: string } | { missing: true } | undefined;
  #timers: NodeJS.Timeout[] = [];
  #claiming: Promise<void> | undefined;
  /** Number of downloads that are being queued. */
  #arriving = 0;
  #stopped = false;

  constructor(
    downloadStore: DownloadStore,
    folders: ModelFolders,
    hub: string,
    python: Promise<string>,
    log: FastifyBaseLogger,
  ) {
    this.#downloadStore = downloadStore;
    this.#folders = folders;
    this.#hub = hub;
    this.#log = log;
    python.then(
      (program) => this.#begin({ program }),
      () => this.#begin({ missing: true }),
    );
  }

  #begin(python: { program: string } | { missing: true }): void {
    this.#python = python;
    this.wake();
  }

  start(): void {
    this.#timers = [
      setInterval(() => this.wake(), claimMs).unref(),
      setInterval(() => void this.#advance().catch((error) => this.#logError(error)), progressMs).unref(),
    ];
    void this.#sweep().catch((error) => this.#logError(error));
    this.wake();
  }

  /** Removes leftovers of interrupted deletions, and downloads of deleted accounts. */
  async #sweep(): Promise<void> {
    for (const name of await this.#folders.sweep())
      if (!(await this.#downloadStore.isAskedFor(name))) await this.#folders.forget(name);
  }

  /** Keeps the token of a download from before it is in the queue until it is over. */
  async keep(
    token: string | undefined,
    queue: () => Promise<DownloadRow | undefined>,
  ): Promise<DownloadRow | undefined> {
    this.#arriving++;
    try {
      const asked = await queue();
      if (asked && token !== undefined) this.#tokens.set(asked.id, token);
      return asked;
    } finally {
      this.#arriving--;
    }
  }

  /** Called when there may be work. */
  wake(): void {
    if (!this.#python || this.#stopped) return;
    this.#claiming ??= this.#take()
      .catch((error) => this.#logError(error))
      .finally(() => {
        this.#claiming = undefined;
      });
  }

  async #take(): Promise<void> {
    for (const asked of await this.#downloadStore.take(maxConcurrent - this.#running.size, this.#running.keys())) {
      if (this.#stopped) return;
      const token = this.#tokens.get(asked.id);
      if (!this.#python || 'missing' in this.#python) {
        const error = 'the Python environment of the engine could not be made; the log of the server says why';
        await this.#end(asked, { status: 'failed', error });
      } else if (asked.with_token && token === undefined) {
        // Claimed before its token was here; it is claimed again soon.
        if (this.#arriving > 0) continue;
        await this.#end(asked, { status: 'failed', error: noToken });
      } else {
        this.#run(asked, this.#python.program, token);
      }
    }
  }

  #run(asked: DownloadRow, program: string, token: string | undefined): void {
    this.#log.info({ model: asked.name }, 'download started');
    const wish = {
      name: asked.name,
      modelType: asked.model_type,
      hub: this.#hub,
      models: this.#folders.path,
      token,
      isPublic: asked.is_public === 1,
      precision: asked.precision,
      memoryBytes: memoryBytes(),
    };
    const download = startDownload(program, wish, (line) => this.#log.debug(`download of ${asked.name}: ${line}`));
    const over = download.outcome
      .then(async (outcome) => {
        if (outcome) await this.#end(asked, outcome);
      })
      .finally(() => {
        this.#running.delete(asked.id);
        this.wake();
      });
    this.#running.set(asked.id, { asked, download, over });
  }

  /** Writes the result, with retries while the database is unavailable. */
  async #end(asked: DownloadRow, outcome: Outcome): Promise<void> {
    this.#tokens.delete(asked.id);
    this.#log.info({ model: asked.name, ...outcome }, 'download ended');
    const running = this.#running.get(asked.id);
    while (!this.#stopped) {
      try {
        if (running) await this.#downloadStore.advance({ id: asked.id, ...running.download.progress() });
        return await this.#downloadStore.end(asked.id, outcome);
      } catch (error) {
        this.#logError(error);
        await sleep(claimMs, undefined, { ref: false });
      }
    }
  }

  async #advance(): Promise<void> {
    for (const [id, { asked, download }] of this.#running)
      if (!(await this.#downloadStore.advance({ id, ...download.progress() }))) await this.#drop(id, asked, download);
    for (const id of this.#tokens.keys())
      if (!this.#running.has(id) && !(await this.#downloadStore.advance({ id, done: null, total: null })))
        this.#tokens.delete(id);
  }

  /** Stops a download that was deleted, whose account was deleted, or that a server took over which took this one for dead. */
  async #drop(id: number, { name }: DownloadRow, download: Download): Promise<void> {
    this.#tokens.delete(id);
    await download.stop();
    if (!(await this.#downloadStore.isAskedFor(name))) await this.#folders.forget(name);
  }

  /** Stops these downloads on this server; resolves when they cannot write any more. */
  async cancel(ids: number[]): Promise<void> {
    for (const id of ids) this.#tokens.delete(id);
    await Promise.all(ids.map((id) => this.#running.get(id)?.download.stop()));
  }

  #logError(error: unknown): void {
    this.#log.warn({ err: error }, 'downloader tick failed; retrying');
  }

  /** Stops the running downloads and releases their leases. Another server, or this one after a restart, resumes them. */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const timer of this.#timers) clearInterval(timer);
    await this.#claiming;
    await Promise.all([...this.#running.values()].map(({ download }) => download.stop()));
    await Promise.all([...this.#running.values()].map(({ over }) => over));
    await this.#downloadStore.release().catch((error) => this.#logError(error));
  }
}
