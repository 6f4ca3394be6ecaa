// Finds the facts of a change that are too long for the changed model, before the change is ordered.
import { randomBytes } from 'node:crypto';
import { Refusal } from '@lorekeep/contract';
import type { Models } from '../../models/models.ts';
import type { TunedModelRecord } from '../../models/tuned.ts';
import type { Store } from '../../store/database.ts';
import { contextOf } from '../context.ts';
import type { JobFolders } from '../job-folders.ts';
import { type JobSpecs, specOf } from '../run/job-spec.ts';
import { FactsFile } from './facts-file.ts';
import type { Planner } from './planner.ts';
import { defaultLength, templateTokens } from './submission.ts';

interface Dependencies {
  store: Store;
  models: Models;
  folders: JobFolders;
  jobSpecs: JobSpecs;
  planner: Planner;
}

interface Asked {
  model: TunedModelRecord;
  accountId: number;
  facts: { input: string; output: string }[];
}

/** The index of each fact that is too long, with the reason. */
export type FindLongFacts = (asked: Asked, signal: AbortSignal) => Promise<Map<number, string>>;

const timeoutSeconds = 60;

/** A token has at least one byte, so facts that are short in bytes fit. A worker counts the tokens of the others. */
export async function findLongFacts(
  { store, models, folders, jobSpecs, planner }: Dependencies,
  { model, accountId, facts }: Asked,
  signal: AbortSignal,
): Promise<Map<number, string>> {
  const { arguments: given, gate } = await store.db
    .selectFrom('tuning_jobs')
    .select(['arguments', 'gate'])
    .where('id', '=', model.job_id)
    .executeTakeFirstOrThrow();
  // Every fact is measured, even if the job trains fewer.
  const { max_finetuning_examples: _, ...args } = JSON.parse(given) as Record<string, unknown>;
  const limit = (args.max_length as number | undefined) ?? defaultLength;
  const isLong = ({ input, output }: Asked['facts'][number], most: number) =>
    Buffer.byteLength(input) + Buffer.byteLength(output) + templateTokens > most;
  // The job reports a missing base.
  const base = await models.find(model.base_model, accountId).catch((error) => {
    if (error instanceof Refusal) return undefined;
    throw error;
  });
  if (!base) return new Map();
  const context = await contextOf(base.folder);
  const most = context > 0 ? Math.min(limit, context) : limit;
  if (!facts.some((fact) => isLong(fact, most))) return new Map();
  const name = randomBytes(32).toString('hex');
  const file = await FactsFile.into(await folders.create(name));
  try {
    for (const [at, fact] of facts.entries()) if (isLong(fact, most)) file.add(at + 1, fact);
    await file.close();
    const job = { arguments: JSON.stringify(args), slots: 1, gate, dataset_id: null, sweep: null };
    await folders.writeSpec(name, { ...specOf(job, base.folder, 'cpu', jobSpecs.embedder), reuse: [] });
    const { problems } = await planner.dryRun(folders.job(name), signal, { seconds: timeoutSeconds, first: true });
    const long = problems.filter(({ kind }) => kind === 'too_long');
    return new Map(long.map(({ rows, message }) => [rows[0]! - 1, message.replace(/^Row \d+ /, '')]));
  } catch (error) {
    await file.abandon();
    throw error;
  } finally {
    await folders.folders.remove(name);
  }
}
