// What can be asked: bases and tuned models that are here, and documents that are ready.
import type { DownloadedModel, Lorekeep } from '@lorekeep/client';

export const canAnswer = ({ status, model_type }: DownloadedModel) =>
  status === 'available' && model_type !== 'embedding';

export async function whatCanBeAsked(lorekeep: Lorekeep, signal: AbortSignal) {
  const [models, tuned, indexes] = await Promise.all([
    lorekeep.listDownloadedModels({ signal }),
    Array.fromAsync(lorekeep.allTunedModels({}, { signal })),
    Array.fromAsync(lorekeep.allIndexes({}, { signal })),
  ]);
  return { bases: models.filter(canAnswer), tuned, indexes: indexes.filter(({ ready }) => ready) };
}

export type Askable = Awaited<ReturnType<typeof whatCanBeAsked>>;
