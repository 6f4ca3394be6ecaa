// Loads a tuned model by name. The API call also returns bases and indexes, which are rejected here.
import type { Lorekeep, ShowTunedModelAnswer } from '@lorekeep/client';

type TunedModelDetails = Extract<ShowTunedModelAnswer, { job_id: number }>;

export async function tunedModel(lorekeep: Lorekeep, model: string, signal: AbortSignal): Promise<TunedModelDetails> {
  const found = await lorekeep.showTunedModel({ model }, { signal });
  if (!('job_id' in found)) throw new Error(`${model} is not a tuned model.`);
  return found;
}
