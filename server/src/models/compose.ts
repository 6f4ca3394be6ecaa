// Base models, their downloads and tuned models as one part of the server.
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { StoredFolders } from '../blobs/stored-folders.ts';
import type { Config } from '../config/settings.ts';
import { EngineCommands } from '../engine/command.ts';
import type { Engine } from '../engine/engine.ts';
import type { UploadLimits } from '../http/form.ts';
import type { Heartbeat } from '../leases/heartbeat.ts';
import type { WrittenFolders } from '../leases/written-folders.ts';
import type { Store } from '../store/database.ts';
import { DownloadStore } from './downloads/download-store.ts';
import { Downloader } from './downloads/downloader.ts';
import { Downloads } from './downloads/downloads.ts';
import { ModelFolders } from './folders.ts';
import { Models, type Upstreams } from './models.ts';
import { modelRoutes } from './routes.ts';
import { Acceptance } from './transfer/accept.ts';
import { ModelExports } from './transfer/export.ts';
import { ModelImports } from './transfer/import.ts';
import { TunedModels } from './tuned.ts';
import { TunedFolders } from './tuned-folders.ts';
import { type TunedModelParts, tunedModelRoutes } from './tuned-routes.ts';

interface Dependencies {
  config: Config;
  store: Store;
  heartbeat: Heartbeat;
  engine: Engine;
  upstreams: Upstreams;
  /** Folders in which imported models arrive. */
  arriving: WrittenFolders;
  /** Store in which tuned models outlive this machine. */
  beyond: StoredFolders | undefined;
  uploads: UploadLimits;
  python: Promise<string>;
  log: FastifyBaseLogger;
}

export function composeModels({
  config,
  store,
  heartbeat,
  engine,
  upstreams,
  arriving,
  beyond,
  uploads,
  python,
  log,
}: Dependencies) {
  const folders = new ModelFolders(config.home);
  const downloadStore = new DownloadStore(store, heartbeat);
  const tunedFolders = new TunedFolders(config.home, heartbeat.name, beyond);
  const tuned = new TunedModels(store, tunedFolders);
  const models = new Models(folders, downloadStore, tuned, () => engine.embedder(), upstreams);
  const downloader = new Downloader(downloadStore, folders, config.hub_url, python, log);
  const operatorOnly = config.model_downloads === 'operator';
  const downloads = new Downloads({ models, folders, downloadStore, downloader, engine, operatorOnly, log });
  const commands = new EngineCommands(python);
  const exports = new ModelExports(commands, config.home);
  const imports = new ModelImports({
    ...{ store, tuned, models, arriving, folders: tunedFolders, commands },
    ...{ acceptance: new Acceptance(commands), contact: config.contact, limits: uploads },
  });
  return {
    ...{ models, tuned, tunedFolders },
    routes(app: FastifyInstance, given: Pick<TunedModelParts, 'askable' | 'indexId' | 'forget' | 'move'>) {
      modelRoutes(app, downloads, () => engine.gpus());
      tunedModelRoutes(app, { tuned, models, folders: tunedFolders, exports, imports, engine, ...given });
    },
    start: () => downloader.start(),
    stop: async () => await downloader.stop(),
  };
}
