// Removes leftovers of a crash between a file and its record: files of datasets, folders of jobs and of tuned models without a record,
// and files that finished jobs no longer need.
import type { FastifyBaseLogger } from 'fastify';
import type { Datasets } from '../../datasets/datasets.ts';
import { BackgroundTasks } from '../../leases/background.ts';
import type { TrustedTime } from '../../leases/trusted-time.ts';
import type { TunedFolders } from '../../models/tuned-folders.ts';
import type { Store } from '../../store/database.ts';
import type { JobFolders } from '../job-folders.ts';
import { finalStatuses, isFinished } from '../queue/states.ts';

const namesAtOnce = 500;
/** Maximum time until a model that another server has deleted or erased is removed from this machine. */
const copySweepMs = 60_000;

interface Dependencies {
  store: Store;
  datasets: Pick<Datasets, 'sweep'>;
  folders: JobFolders;
  tunedFolders: TunedFolders;
  time: TrustedTime;
  log: FastifyBaseLogger;
}

/**
 * Sweeps at each start, and once a minute if the folders are copies: no other server can remove these, and files of a lost machine count
 * as orphaned a day after its last write.
 */
export class Cleanup {
  readonly #parts: Dependencies;
  readonly #tasks: BackgroundTasks;

  constructor(parts: Dependencies) {
    this.#parts = parts;
    this.#tasks = new BackgroundTasks((err) => parts.log.warn({ err }, 'cleanup of model copies failed; retrying'));
  }

  async sweep(now: number): Promise<number> {
    const { store, datasets, folders, tunedFolders } = this.#parts;
    return (await datasets.sweep(now)) + (await removeLeftovers(store, folders, tunedFolders, now));
  }

  start(): void {
    const { store, tunedFolders, log } = this.#parts;
    if (!tunedFolders.areCopies) return;
    this.#tasks.run(async () => {
      const models = await tunedFolders.send(recorded(modelsOf(store)));
      if (models > 0) log.info({ models }, 'uploaded models that only this machine had to the storage');
    });
    this.#tasks.every(copySweepMs, async () => void (await this.sweep(await this.#parts.time.now())));
  }

  async stop(): Promise<void> {
    await this.#tasks.stop();
  }
}

export async function removeLeftovers(
  store: Store,
  jobs: JobFolders,
  models: TunedFolders,
  now?: number,
): Promise<number> {
  for (const name of await jobs.untidy()) {
    const job = await store.db.selectFrom('tuning_jobs').select('status').where('name', '=', name).executeTakeFirst();
    if (job && isFinished(job.status)) await jobs.tidy(name);
  }
  const jobsOf = (names: string[]) => store.db.selectFrom('tuning_jobs').select('name').where('name', 'in', names);
  const swept = await jobs.sweep(recorded(jobsOf), now);
  return (
    swept +
    (await models.sweep(
      recorded(
        // The model of an unfinished job is about to get its record.
        (names) => jobsOf(names).where('status', 'not in', finalStatuses),
        modelsOf(store),
      ),
      now,
    ))
  );
}

const modelsOf = (store: Store) => (names: string[]) =>
  store.db.selectFrom('tuned_models').select('name').where('name', 'in', names);

type Query = (names: string[]) => { execute(): Promise<{ name: string }[]> };

/** The names that at least one of the queries returns. */
function recorded(...queries: Query[]): (names: string[]) => Promise<Set<string>> {
  return async (names) => {
    const known = new Set<string>();
    for (let at = 0; at < names.length; at += namesAtOnce)
      for (const query of queries)
        for (const { name } of await query(names.slice(at, at + namesAtOnce)).execute()) known.add(name);
    return known;
  };
}
