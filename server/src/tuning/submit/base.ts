// Checks the base of a tuning job before anything is queued.
import { Refusal } from '@lorekeep/contract';
import type { Capacity } from '../../cluster/cluster.ts';
import type { SpareWorker } from '../../cluster/spare-worker.ts';
import type { Model, Models } from '../../models/models.ts';
import type { TunedModelRecord } from '../../models/tuned.ts';
import type { TunedFolders } from '../../models/tuned-folders.ts';
import { refuseBeyondMemory } from './memory.ts';

export interface BaseDependencies {
  models: Models;
  /** Main memory of the machine that tunes; undefined if GPUs tune. */
  memory(): number | undefined;
  capacity(): Promise<Capacity[]>;
}

/** The base of this name, if it can be tuned on. */
export async function tunableBase({ models }: Pick<BaseDependencies, 'models'>, name: string, accountId: number) {
  const base = await models.find(name, accountId);
  if (base.tunedOn !== undefined) throw new Refusal('base_is_tuned', { name, base: base.tunedOn });
  if (base.upstream !== undefined && !(await models.hasWeights(base.name)))
    throw new Refusal('upstream_only', { name, purpose: 'tune on it' });
  if (base.kind === 'embedding') throw new Refusal('model_of_other_kind', { name, kind: 'embed texts' });
  return base;
}

/** The base that a tuned model moves to: another one, or its own in another precision. `called` is the owner's name for the model. */
export async function resolveTargetBase(
  parts: BaseDependencies & { folders: TunedFolders; spare: Pick<SpareWorker, 'fit'> },
  { model, called, base: wished }: { model: TunedModelRecord; called: string; base: string | undefined },
  signal: AbortSignal,
): Promise<Model> {
  const base = await tunableBase(parts, wished ?? model.base_model, model.account_id);
  await refuseBeyondMemory(base, parts.memory(), await parts.capacity());
  const { same, misfit } = await parts.spare.fit(await parts.folders.model(model.name), base.folder, signal);
  // The same weights under another name count as another base, whose folder is kept separately.
  if (same && base.name === model.base_model) throw new Refusal('base_same', { model: called, base: base.name });
  if (misfit !== null)
    throw new Refusal('base_misfit', { model: called, from: model.base_model, base: base.name, reason: misfit });
  return base;
}
