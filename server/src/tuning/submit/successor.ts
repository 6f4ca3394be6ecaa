// Orders a job that rebuilds a tuned model from a changed list of facts, or on another base. Experts that the change touches
// are trained again, all others are reused.
import { randomBytes } from 'node:crypto';
import { Refusal } from '@lorekeep/contract';
import type { TunedModelRecord } from '../../models/tuned.ts';
import type { ModelFact } from '../../models/tuned-facts.ts';
import type { Store } from '../../store/database.ts';
import type { JobCommands } from '../job-commands.ts';
import type { JobFolders } from '../job-folders.ts';
import type { Change } from '../queue/transition.ts';
import { writeChangedModelName } from '../run/job-spec.ts';
import { FactsFile } from './facts-file.ts';

export interface SuccessorDependencies {
  store: Store;
  folders: JobFolders;
  jobCommands: JobCommands;
  contact: string;
}

export interface Successor {
  accountId: number;
  keyId: number;
  jobsLimit: number | null;
  old: TunedModelRecord;
  /** The base that the model moves to; by default the base of the old model. */
  base?: string | undefined;
  /** The custom name that moves to the new model when the job is over. */
  customName: string | null;
  facts: AsyncIterable<Omit<ModelFact, 'recalled'>>;
  /** Called at the end of the transaction that creates the job. */
  made(change: Change, job: number): Promise<void>;
}

export async function orderSuccessor(
  { store, folders, jobCommands, contact }: SuccessorDependencies,
  { accountId, keyId, jobsLimit, old, base, customName, facts, made }: Successor,
): Promise<{ job: number; facts: number }> {
  const before = await store.db
    .selectFrom('tuning_jobs')
    .select(['base_model', 'arguments', 'gate'])
    .where('id', '=', old.job_id)
    .executeTakeFirstOrThrow();
  const name = randomBytes(32).toString('hex');
  const folder = await folders.create(name);
  const factsFile = await FactsFile.into(folder);
  try {
    await writeChangedModelName(folder, old.name);
    for await (const { row, valid_from, valid_until, source, ...fact } of facts) {
      factsFile.add(row, fact, { valid_from, valid_until, source });
      if (factsFile.isFull) await factsFile.flush();
    }
    if (factsFile.facts === 0) throw new Refusal('nothing_left', { model: customName ?? old.alias ?? old.name });
    await factsFile.close();
    await folders.keep(name);
    const job = await store.db.transaction().execute(async (change) => {
      const job = {
        ...{ name, accountId, keyId, jobsLimit, contact, ...before, ...(base && { base_model: base }) },
        ...{ custom_model_name: customName, is_public: old.is_public, dataset_id: old.dataset_id, policy: old.policy },
        ...{ use_cached_model: 1, gpus: 1, nodes: 1, facts: factsFile.facts, sweep: null, priority: 0, warnings: '[]' },
      };
      return await jobCommands.add(change, job, async (id) => await made(change, id));
    });
    return { job, facts: factsFile.facts };
  } catch (error) {
    await factsFile.abandon();
    await folders.discard(name);
    throw error;
  }
}
