// Dry run of a request to /v1/train: reports what it would do and cost, and stores nothing.

import type { IncomingMessage } from 'node:http';
import { type AnswerOf, type planTraining, Refusal } from '@lorekeep/contract';
import type { Caller } from '../../auth/caller.ts';
import type { Capacity } from '../../cluster/cluster.ts';
import type { Store } from '../../store/database.ts';
import type { JobFolders } from '../job-folders.ts';
import { isInQueue, running } from '../queue/states.ts';
import type { JobSpecs } from '../run/job-spec.ts';
import { experienceOf, slowdown } from './estimate.ts';
import { maxListed } from './facts-file.ts';
import type { Submission } from './submission.ts';

export type Plan = AnswerOf<typeof planTraining>;

interface Dependencies {
  store: Store;
  submission: Submission;
  jobSpecs: JobSpecs;
  folders: JobFolders;
  capacity(): Promise<Capacity[]>;
}

/** Time limit in seconds. A caller that disconnects cancels the plan. */
const timeoutSeconds = 300;

export async function plan(
  parts: Dependencies,
  caller: Caller,
  body: IncomingMessage | undefined,
  signal: AbortSignal,
): Promise<Plan> {
  const { store, submission, jobSpecs, folders } = parts;
  const draft = await submission.read(caller, body);
  try {
    const { factsFile, fields, base, warnings } = draft;
    if (factsFile.facts === 0) throw new Refusal('dataset_empty');
    const clean = factsFile.conflictCount === 0;
    const { id } = caller.account;
    const reuse =
      fields.use_cached_model === false ? [] : await jobSpecs.earlier(id, base.name, fields.custom_model_name);
    const dryRun = await submission.dryRun(draft, reuse, signal, { seconds: timeoutSeconds, first: false });
    const slots = (fields.gpu_config?.gpus ?? 1) * (fields.gpu_config?.nodes ?? 1);
    const known = clean && 'experts' in dryRun ? dryRun : undefined;
    const experience = await experienceOf(store, base.name);
    const train = known ? known.experts - known.reused : 0;
    const seconds = known ? (experience.fixed + (experience.perExpert * train) / slots) * slowdown(experience) : null;
    return {
      facts: factsFile.facts,
      duplicates: factsFile.duplicates,
      duplicates_total: factsFile.duplicateCount,
      conflicts: factsFile.conflicts,
      too_long: dryRun.problems
        .filter(({ kind }) => kind === 'too_long')
        .slice(0, maxListed)
        .map(({ rows, message }) => ({ row: rows[0] ?? 0, message })),
      experts_to_train: known ? train : null,
      experts_to_verify: known?.candidates ?? null,
      experts_to_reuse: known?.reused ?? null,
      seconds: seconds === null ? null : Math.round(seconds * 10) / 10,
      seconds_from_jobs: experience.jobs,
      memory_bytes: known ? (experience.peakMemory ?? known.memory_bytes) : null,
      model_bytes: known?.model_bytes ?? null,
      slots,
      queue: await queueAt(parts, fields.priority ?? 0, experience.fixed + experience.perExpert * 100),
      warnings: [...warnings, ...(known?.warnings.filter((warning) => !warnings.includes(warning)) ?? [])],
    };
  } finally {
    // The draft is stored on this machine only.
    await folders.folders.remove(draft.name);
  }
}

/** Position at the end of the queue of its priority, and the estimated wait if every job before it is an average one. */
async function queueAt(
  { store, capacity }: Dependencies,
  priority: number,
  typicalSeconds: number,
): Promise<Plan['queue']> {
  const count = async (query: { executeTakeFirstOrThrow(): Promise<{ count: number; slots: number | null }> }) => {
    const { count, slots } = await query.executeTakeFirstOrThrow();
    return { count: Number(count), slots: Number(slots ?? 0) };
  };
  const figures = store.db
    .selectFrom('tuning_jobs')
    .select((eb) => [eb.fn.countAll<number>().as('count'), eb.fn.sum<number | null>('slots').as('slots')]);
  const before = await count(figures.where(isInQueue).where('priority', '>=', priority));
  const busy = await count(figures.where('status', 'in', running));
  const [own, ...servers] = await capacity();
  const all = servers.length > 0 ? servers : [own!];
  const total = all.reduce((sum, { nodes, slots }) => sum + nodes * slots, 0);
  const free = Math.max(0, total - busy.slots);
  return {
    position: before.count + 1,
    slots_total: total,
    slots_free: free,
    seconds_until_start:
      total === 0
        ? null
        : free > 0 && before.count === 0
          ? 0
          : Math.round(((before.slots + busy.slots) / total) * typicalSeconds),
  };
}
