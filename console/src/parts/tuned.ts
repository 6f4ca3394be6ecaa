// A tuned model by its name. The same call also knows bases and indexes, which no page of a tuned model shows.
import type { Lorekeep, ShowTunedModelAnswer } from '@lorekeep/client';

type TunedModelDetails = Extract<ShowTunedModelAnswer, { job_id: number }>;

export async function tunedModel(lorekeep: Lorekeep, model: string, signal: AbortSignal): Promise<TunedModelDetails> {
  const found = await lorekeep.showTunedModel({ model }, { signal });
  if (!('job_id' in found)) throw new Error(`${model} is not a tuned model.`);
  return found;
}
