// Prints names from the server for shell completion: one per line, within a short timeout.
import type { Lorekeep } from '@lorekeep/client';
import { collectItems } from './collect-items.ts';

/** Timeout after Tab. */
const timeoutMs = 1_500;
const maxNames = 200;

const tuned = async (client: Lorekeep, call: Call): Promise<string[]> => {
  const { models } = await client.listTunedModels({ limit: maxNames }, call);
  return models.map(({ custom_model_name, model_name }) => custom_model_name ?? model_name);
};

const kinds = {
  tuned,
  models: async (client: Lorekeep, call: Call) => {
    const [bases, named] = await Promise.all([client.listDownloadedModels(call), tuned(client, call)]);
    return [...named, ...bases.filter(({ status }) => status === 'available').map(({ model_name }) => model_name)];
  },
  bases: async (client: Lorekeep, call: Call) => {
    const bases = await client.listDownloadedModels(call);
    return bases.map(({ model_name }) => model_name);
  },
  known: async (client: Lorekeep, call: Call) => {
    const { models } = await client.listKnownModels(call);
    return models.map(({ model_name }) => model_name);
  },
  jobs: async (client: Lorekeep, call: Call) => (await client.listJobs({}, call)).map(({ job_id }) => String(job_id)),
  indexes: async (client: Lorekeep, call: Call) =>
    (await collectItems(client.allIndexes({ limit: maxNames }, call))).flatMap(({ job_id, name }) => [
      String(job_id),
      ...(name === null ? [] : [name]),
    ]),
  evaluations: async (client: Lorekeep, call: Call) =>
    (await collectItems(client.allEvaluations({ limit: maxNames }, call))).map(({ evaluation_id }) =>
      String(evaluation_id),
    ),
  datasets: async (client: Lorekeep, call: Call) =>
    (await collectItems(client.allDatasets({ limit: maxNames }, call))).map(({ dataset_id }) =>
      dataset_id.slice(0, 12),
    ),
  keys: async (client: Lorekeep, call: Call) =>
    (await client.listKeys({}, call)).keys.filter(({ status }) => status === 'active').map(({ id }) => String(id)),
} satisfies Record<string, (client: Lorekeep, call: Call) => Promise<string[]>>;

export type Named = keyof typeof kinds;
type Call = { signal: AbortSignal; retries: number };

/** Omits names with shell metacharacters, since the shell inserts them into the command line. */
const plainPattern = /^[\p{L}\p{N}_][\p{L}\p{N}._/@+=-]*$/u;

export async function namesOf(kind: string, client: () => Lorekeep): Promise<string[]> {
  if (!Object.hasOwn(kinds, kind)) return [];
  const signal = AbortSignal.timeout(timeoutMs);
  const late = new Promise<string[]>((done) => signal.addEventListener('abort', () => done([])));
  const asked = (async () => await kinds[kind as Named](client(), { signal, retries: 0 }))();
  const names = await Promise.race([asked.catch(() => []), late]);
  return [...new Set(names)].filter((name) => plainPattern.test(name)).slice(0, maxNames);
}
