// Forgetting: a model made anew from the facts that stay. What the others touched is trained again, everything else is taken over as it is.
import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { type AnswerOf, type forgetFacts, type listModelFacts, Refusal } from '@lorekeep/contract';
import type { Caller } from '../keys/caller.ts';
import type { TunedModels } from '../models/tuned.ts';
import type { Store } from '../store/database.ts';
import { isForeignAlias } from './aliases.ts';
import { Intake } from './intake.ts';
import type { JobFolders } from './job-folders.ts';
import { changes } from './preparation.ts';
import type { JobRequests } from './requests.ts';

interface ModelFact {
  input: string;
  output: string;
  row: number;
  dataset_id: string | null;
  topic: string | null;
  recalled: boolean;
}

interface Parts {
  store: Store;
  tuned: TunedModels;
  folders: JobFolders;
  requests: JobRequests;
  contact: string;
}

export async function* factsOf(folders: JobFolders, model: string): AsyncGenerator<ModelFact> {
  const lines = createInterface({
    input: createReadStream(folders.modelFacts(model)),
    crlfDelay: Number.POSITIVE_INFINITY,
  });
  for await (const line of lines) if (line !== '') yield JSON.parse(line) as ModelFact;
}

/** A page of the facts of a model; `after` is the place of the last one of the page before, from 1. */
export async function pageOfFacts(
  folders: JobFolders,
  model: string,
  limit: number,
  after = 0,
): Promise<AnswerOf<typeof listModelFacts>> {
  const facts: AnswerOf<typeof listModelFacts>['facts'] = [];
  let place = 0;
  for await (const { row, input, output, dataset_id, recalled } of factsOf(folders, model)) {
    if (++place <= after) continue;
    if (facts.length === limit) return { facts, next: place - 1 };
    facts.push({ row, input, output, dataset_id, recalled });
  }
  return { facts, next: null };
}

export async function forget(
  { store, tuned, folders, requests, contact }: Parts,
  caller: Caller,
  model: string,
  inputs: string[],
  alias: string | undefined,
): Promise<AnswerOf<typeof forgetFacts>> {
  const old = await tuned.own(caller, model);
  const made = await store.db
    .selectFrom('tuning_jobs')
    .selectAll()
    .where('id', '=', old.job_id)
    .executeTakeFirstOrThrow();
  const custom = alias ?? old.alias;
  if (custom && (await isForeignAlias(store.db, custom, caller.account.id)))
    throw new Refusal('name_taken', { name: custom });
  const name = randomBytes(32).toString('hex');
  const folder = await folders.create(name);
  const intake = await Intake.into(folder);
  try {
    await changes(folder, old.name);
    const open = new Set(inputs);
    for await (const { input, output, row, dataset_id, topic } of factsOf(folders, old.name)) {
      if (inputs.includes(input)) open.delete(input);
      else intake.add(row, { input, output, topic, dataset_id });
      if (intake.isFull) await intake.flush();
    }
    for (const input of open) throw new Refusal('fact_not_found', { input: input.slice(0, 200), model });
    if (intake.facts === 0) throw new Refusal('nothing_left', { model });
    await intake.close();
    const id = await requests.create({
      name,
      accountId: caller.account.id,
      keyId: caller.key.id,
      jobsLimit: caller.account.limits.jobs,
      contact,
      base_model: made.base_model,
      custom_model_name: custom,
      is_public: old.is_public,
      dataset_id: old.dataset_id,
      arguments: made.arguments,
      gate: made.gate,
      use_cached_model: 1,
      gpus: 1,
      nodes: 1,
      facts: intake.facts,
      sweep: null,
      priority: 0,
      warnings: '[]',
    });
    return { job_id: id, status: 'CREATED', facts: intake.facts };
  } catch (error) {
    await intake.abandon();
    await folders.removeJob(name);
    throw error;
  }
}
