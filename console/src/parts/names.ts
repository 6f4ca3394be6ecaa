// Display names for ids, each requested once.
import type { Lorekeep } from '@lorekeep/client';
import { tunedModel } from './tuned.ts';

const nameCache = new Map<string, Promise<string | null>>();

function cachedName(key: string, ask: () => Promise<string | null>): Promise<string | null> {
  const found = nameCache.get(key) ?? ask().catch(() => null);
  // Not cached, since an object without a name may get one later.
  nameCache.set(key, found);
  void found.then((name) => name === null && nameCache.delete(key));
  return found;
}

export const nameOfDataset = (lorekeep: Lorekeep, id: string, signal: AbortSignal) =>
  cachedName(`dataset ${id}`, async () => (await lorekeep.showDataset({ id }, { signal })).name);

const hashPattern = /^[0-9a-f]{64}/;
const indexPattern = /^index (\d+)/;

/** Names of targets, with ids of models and indexes replaced by their names. */
export async function namesOfTargets(lorekeep: Lorekeep, targets: string[], signal: AbortSignal): Promise<string[]> {
  const named = await Promise.all(
    targets.map(async (target) => {
      const model = hashPattern.exec(target)?.[0];
      if (model) {
        const name = await cachedName(model, async () => (await tunedModel(lorekeep, model, signal)).custom_model_name);
        return name === null ? target.replace(model, `${model.slice(0, 12)}…`) : target.replace(model, name);
      }
      const id = indexPattern.exec(target)?.[1];
      if (!id) return target;
      const name = await cachedName(`index ${id}`, async () => (await lorekeep.showIndex({ id }, { signal })).name);
      return name === null ? target : target.replace(`index ${id}`, name);
    }),
  );
  // Two models may have had the same name at different times.
  return named.map((name, at) => (named.indexOf(name) === at ? name : `${name} (${at + 1})`));
}
