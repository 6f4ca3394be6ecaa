// Removes what a crash between a folder and its record left behind: folders of jobs and of tuned models that no record knows, and what jobs that
// were recorded as finished need no more.
import type { Store } from '../store/database.ts';
import type { JobFolders } from './job-folders.ts';
import { isFinished, over } from './states.ts';

export async function sweepJobs(store: Store, folders: JobFolders): Promise<number> {
  for (const name of await folders.untidy()) {
    const job = await store.db.selectFrom('tuning_jobs').select('status').where('name', '=', name).executeTakeFirst();
    if (job && isFinished(job.status)) await folders.tidy(name);
  }
  return await folders.sweep(async (kind, names) => {
    const known = new Set<string>();
    for (let at = 0; at < names.length; at += 500) {
      const some = names.slice(at, at + 500);
      const jobs = await store.db
        .selectFrom('tuning_jobs')
        .select('name')
        .where('name', 'in', some)
        // A model whose job is not over yet is about to be recorded.
        .$if(kind === 'model', (query) => query.where('status', 'not in', over))
        .execute();
      for (const { name } of jobs) known.add(name);
      if (kind === 'job') continue;
      const models = await store.db.selectFrom('tuned_models').select('name').where('name', 'in', some).execute();
      for (const { name } of models) known.add(name);
    }
    return known;
  });
}
