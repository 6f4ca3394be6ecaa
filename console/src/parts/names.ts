// Display names for the ids in records. Each is requested once.
import type { Lorekeep } from '@lorekeep/client';
import { tunedModel } from './tuned.ts';

const known = new Map<string, Promise<string | null>>();

function once(key: string, ask: () => Promise<string | null>): Promise<string | null> {
  const found = known.get(key) ?? ask().catch(() => null);
  // An object without a name, or a deleted one, may get a name later.
  known.set(key, found);
  void found.then((name) => name === null && known.delete(key));
  return found;
}

export const nameOfDataset = (lorekeep: Lorekeep, id: string, signal: AbortSignal) =>
  once(`dataset ${id}`, async () => (await lorekeep.showDataset({ id }, { signal })).name);

const hash = /^[0-9a-f]{64}/;
const index = /^index (\d+)/;

/** The names of targets: where one is called by the id of a model or an index, the name that this has. */
export async function namesOfTargets(lorekeep: Lorekeep, targets: string[], signal: AbortSignal): Promise<string[]> {
  const named = await Promise.all(
    targets.map(async (target) => {
      const model = hash.exec(target)?.[0];
      if (model) {
        const name = await once(model, async () => (await tunedModel(lorekeep, model, signal)).custom_model_name);
        return name === null ? target.replace(model, `${model.slice(0, 12)}…`) : target.replace(model, name);
      }
      const id = index.exec(target)?.[1];
      if (!id) return target;
      const name = await once(`index ${id}`, async () => (await lorekeep.showIndex({ id }, { signal })).name);
      return name === null ? target : target.replace(`index ${id}`, name);
    }),
  );
  // Two models may have had one name in turn.
  return named.map((name, at) => (named.indexOf(name) === at ? name : `${name} (${at + 1})`));
}
