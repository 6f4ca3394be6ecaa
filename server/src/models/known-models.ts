// The known models, compared with the memory of this machine and the downloaded models.
import { totalmem } from 'node:os';
import { constrainedMemory } from 'node:process';
import {
  automaticPrecision,
  type DownloadedModel,
  downloadBytes,
  fitOf,
  knownModels,
  tuningBytes,
} from '@lorekeep/contract';

/** Memory limit of a container, if it is less than the machine has. */
export function memoryBytes(): number {
  const allowed = constrainedMemory();
  return allowed > 0 ? Math.min(allowed, totalmem()) : totalmem();
}

export function listKnownModels(downloaded: DownloadedModel[], gpus: number | undefined) {
  const memory = memoryBytes();
  const here = new Set(downloaded.filter(({ status }) => status === 'available').map(({ model_name }) => model_name));
  return {
    memory_bytes: memory,
    gpus: gpus ?? null,
    models: knownModels.map((model) => ({
      ...model,
      download_bytes: downloadBytes(model),
      memory_bytes: tuningBytes(model),
      fits: gpus ? null : fitOf(model, memory),
      auto: automaticPrecision(model, memory) ?? null,
      is_here: here.has(model.model_name),
    })),
  };
}
