// Composes tuning into one part of the server: submission, the queue, and the runs of this server.
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { Cluster } from '../cluster/cluster.ts';
import { ProcessCluster } from '../cluster/process-cluster.ts';
import { Attempts } from '../cluster/ray/attempts.ts';
import { rayCluster } from '../cluster/ray/compose.ts';
import { SpareWorker } from '../cluster/spare-worker.ts';
import { Workers } from '../cluster/workers.ts';
import type { Config } from '../config/settings.ts';
import type { Datasets } from '../datasets/datasets.ts';
import type { Engine } from '../engine/engine.ts';
import type { ReplicaState } from '../engine/replicas/replica.ts';
import type { UploadLimits } from '../http/form.ts';
import type { Heartbeat } from '../leases/heartbeat.ts';
import type { TrustedTime } from '../leases/trusted-time.ts';
import { memoryBytes } from '../models/known-models.ts';
import type { Models } from '../models/models.ts';
import type { TunedModels } from '../models/tuned.ts';
import type { TunedFolders } from '../models/tuned-folders.ts';
import type { TunedModelParts } from '../models/tuned-routes.ts';
import type { Store } from '../store/database.ts';
import { JobCommands } from './job-commands.ts';
import type { JobFolders } from './job-folders.ts';
import { Jobs } from './jobs.ts';
import { JobStore } from './queue/job-store.ts';
import type { Job } from './queue/transition.ts';
import { tuningRoutes } from './routes.ts';
import { Cleanup } from './run/cleanup.ts';
import { JobSpecs } from './run/job-spec.ts';
import { Scheduler } from './run/scheduler.ts';
import { slotsFor } from './slots.ts';
import { resolveTargetBase } from './submit/base.ts';
import { forget } from './submit/forget.ts';
import { type FindLongFacts, findLongFacts } from './submit/long-facts.ts';
import { type MovedTo, moveModel } from './submit/move.ts';
import { plan } from './submit/plan.ts';
import { Planner } from './submit/planner.ts';
import { Submission } from './submit/submission.ts';
import { orderSuccessor, type Successor } from './submit/successor.ts';

interface Dependencies {
  config: Config;
  store: Store;
  heartbeat: Heartbeat;
  time: TrustedTime;
  engine: Engine;
  replicas: { states(): ReplicaState[] };
  datasets: Datasets;
  models: Models;
  tuned: TunedModels;
  tunedFolders: TunedFolders;
  folders: JobFolders;
  uploads: UploadLimits;
  python: Promise<string>;
  /** Called when a run of a job ends on this server: a change of a memory or an erasure may wait for it. */
  onEnd: () => void;
  log: FastifyBaseLogger;
}

export function composeTuning(dependencies: Dependencies) {
  const { config, store, heartbeat, engine, datasets, models, tuned, tunedFolders, folders, uploads, python, log } =
    dependencies;
  const { contact } = config;
  const workers = new Workers(python, log);
  const gpus = () => (config.engine_device === 'cpu' ? 0 : engine.gpus());
  const tick = () => scheduler.tick();
  const { cluster, isLocal, capacity, largest, others } = composeCluster(dependencies, workers, gpus, tick);
  const jobCommands = new JobCommands(store);
  const jobs = new Jobs(store, folders, (job) => scheduler.problemOf(job));
  const device = () => (gpus() ? 'cuda' : 'cpu');
  const jobSpecs = new JobSpecs(
    models,
    tuned,
    folders,
    // On a cluster each node detects its own GPUs.
    isLocal ? device : () => config.engine_device,
    config.embedder === 'default' ? undefined : config.embedder,
  );
  const scheduler = new Scheduler({
    ...{ jobStore: new JobStore(store), heartbeat, cluster, folders, models: tunedFolders, log },
    timeLimit: config.job_time_limit,
    prepare: async (job) => await prepare(jobSpecs, folders, job, isLocal),
    onEnd: dependencies.onEnd,
  });
  const wake = () => scheduler.wake();
  // The memory of a cluster's nodes is not known here.
  const memory = () => (isLocal && !gpus() ? memoryBytes() : undefined);
  const spare = new SpareWorker(workers);
  const planner = new Planner(workers);
  const submission = new Submission({
    ...{ store, datasets, models, folders, jobCommands, jobSpecs, capacity: largest, uploads, contact, memory },
    planner,
    onNew: wake,
  });
  const target: MovedTo = async (...asked) =>
    await resolveTargetBase({ models, memory, capacity: largest, folders: tunedFolders, spare }, ...asked);
  const successors = composeSuccessors(dependencies, jobCommands, target, wake);
  const longFacts: FindLongFacts = async (...asked) =>
    await findLongFacts({ store, models, folders, jobSpecs, planner }, ...asked);
  return {
    jobs,
    ...successors,
    forMemories: { order: successors.order, movedTo: target, tooLong: longFacts, spare },
    workers,
    spare,
    device,
    cleanup: new Cleanup(dependencies),
    routes: (app: FastifyInstance) =>
      tuningRoutes(app, {
        ...{ submission, jobCommands, jobs, contact, wake },
        plan: (...asked) => plan({ store, submission, jobSpecs, folders, capacity }, ...asked),
        slots: (caller) => slotsFor({ ...dependencies, cluster, capacity, others }, caller),
      }),
    start: async () => await scheduler.start(),
    // On a cluster nothing else ends this machine's workers, which also serve requests that are not jobs.
    stop: async () => await scheduler.stop().finally(async () => await workers.close()),
  };
}

/** Orders of jobs that rebuild a model: without some facts, on another base, or with other facts. */
function composeSuccessors(
  { config, store, tuned, tunedFolders, folders }: Dependencies,
  jobCommands: JobCommands,
  movedTo: MovedTo,
  wake: () => void,
) {
  const { contact } = config;
  const forgetFacts: TunedModelParts['forget'] = async (...asked) => {
    const answer = await forget({ store, tuned, models: tunedFolders, folders, jobCommands, contact }, ...asked);
    wake();
    return answer;
  };
  const move: TunedModelParts['move'] = async (...asked) => {
    const parts = { store, tuned, models: tunedFolders, folders, jobCommands, contact, movedTo };
    const answer = await moveModel(parts, ...asked);
    wake();
    return answer;
  };
  const order = async (successor: Successor) => {
    const made = await orderSuccessor({ store, folders, jobCommands, contact }, successor);
    wake();
    return made;
  };
  return { forget: forgetFacts, move, order };
}

/** The cluster, its slots and those of other servers, and the largest size of a job. */
function composeCluster(
  { config, folders, heartbeat, log }: Dependencies,
  workers: Workers,
  gpus: () => number | undefined,
  onEnd: () => void,
) {
  const isLocal = config.cluster === 'local';
  const cluster: Cluster = isLocal
    ? new ProcessCluster(workers, config.slots, gpus, onEnd)
    : rayCluster(config, (name) => folders.job(name), log);
  // The slots of a cluster that all servers share are counted once.
  const capacity = async () =>
    isLocal ? await heartbeat.capacities(await cluster.capacity()) : [await cluster.capacity()];
  const largest = async () => {
    const known = await cluster.largest();
    return isLocal ? await capacity() : known ? [known] : [];
  };
  // Servers of a shared cluster have no slots of their own.
  const others = async () => (isLocal ? await heartbeat.others() : []);
  return { cluster, isLocal, capacity, largest, others };
}

async function prepare(
  jobSpecs: JobSpecs,
  folders: JobFolders,
  job: Job,
  isLocal: boolean,
): Promise<string | undefined> {
  // An earlier run may still be alive on a cluster that was configured before.
  if (isLocal) await new Attempts(folders.job(job.name)).closeLast();
  return await jobSpecs.prepare(job);
}
