// Models and indexes that can be tuned, asked or evaluated. A target in the address is used, listed or not; if it does
// not exist, the page says so and selects nothing else.
import type { DownloadedModel, Lorekeep } from '@lorekeep/client';
import { pluralize } from '../format.ts';
import { tunedModel } from './tuned.ts';

export const canAnswer = ({ status, model_type }: DownloadedModel) =>
  status === 'available' && model_type !== 'embedding';

interface Named {
  /** The name of a tuned model, which may be shared by another account, or of a base. */
  model?: string | null;
  index?: string | null;
}

export async function askableModels(lorekeep: Lorekeep, signal: AbortSignal, { model, index }: Named = {}) {
  const [models, tuned, indexes] = await Promise.all([
    lorekeep.listDownloadedModels({ signal }),
    Array.fromAsync(lorekeep.allTunedModels({ limit: 1000 }, { signal })),
    Array.fromAsync(lorekeep.allIndexes({ limit: 1000 }, { signal })),
  ]);
  const bases = models.filter(canAnswer);
  const known =
    tuned.some(({ model_name, custom_model_name }) => model === model_name || model === custom_model_name) ||
    bases.some(({ model_name }) => model === model_name);
  if (model && !known) tuned.unshift(await tunedModel(lorekeep, model, signal));
  const ready = indexes.filter(({ ready }) => ready);
  if (index && !ready.some(({ job_id }) => String(job_id) === index)) {
    const found = await lorekeep.showIndex({ id: index }, { signal });
    if (!found.ready)
      throw new Error(`Nothing of the index ${index} can be asked yet: wait until a file of it is read.`);
    ready.unshift(found);
  }
  return { bases, tuned, indexes: ready };
}

export type Askable = Awaited<ReturnType<typeof askableModels>>;

/** Datasets as options, newest first. A dataset in the address that is not listed, such as a shared one, comes first. */
export async function datasetChoices(lorekeep: Lorekeep, signal: AbortSignal, named: string | null) {
  const datasets = await Array.fromAsync(lorekeep.allDatasets({ limit: 1000 }, { signal }));
  if (named && !datasets.some(({ dataset_id }) => dataset_id === named))
    datasets.unshift(await lorekeep.showDataset({ id: named }, { signal }));
  return datasets.map(({ dataset_id, name, rows }) => ({
    value: dataset_id,
    name: `${name ?? dataset_id.slice(0, 12)} (${pluralize(rows, 'row')})`,
  }));
}
