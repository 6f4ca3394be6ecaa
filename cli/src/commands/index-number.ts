// Finds the number of an index, which may be given by its name. A number is never taken for a name, as in the names of models.
import type { Context } from '../command.ts';
import { MissingError } from '../exit.ts';
import { didYouMean } from '../nearest.ts';

export async function indexNumber(context: Context, given: string): Promise<number> {
  if (/^[1-9][0-9]{0,14}$/.test(given)) return Number(given);
  const names: string[] = [];
  for await (const { name, job_id } of context.client().allIndexes({ limit: 1000 }, context)) {
    if (name === given) return job_id;
    if (name !== null) names.push(name);
  }
  throw new MissingError(`There is no index "${given}".${didYouMean(given, names)}`, 'index_not_found');
}
