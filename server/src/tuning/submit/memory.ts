// Checks, before a job is queued, that the machine has enough memory to tune on its base.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Refusal } from '@lorekeep/contract';
import { z } from 'zod';
import type { Capacity } from '../../cluster/cluster.ts';
import { weightsOf } from '../../models/folders.ts';
import type { Model } from '../../models/models.ts';

/** Memory of a tuning process besides the weights, as the engine counts it. */
const overheadBytes = 900_000_000;

const configSchema = z.object({ dtype: z.string().optional(), torch_dtype: z.string().optional() });

/**
 * Refuses a base that does not fit into the machine's memory. If GPUs tune, `there` is undefined. Other servers may have less
 * memory; there the job fails at its start with the same numbers.
 */
export async function refuseBeyondMemory(
  { name, folder }: Model,
  there: number | undefined,
  capacity: Capacity[],
): Promise<void> {
  const weights = await weightsInMemory(folder);
  const [, ...servers] = capacity;
  if (there === undefined || weights === undefined || servers.length > 1) return;
  const needed = weights + overheadBytes;
  if (needed > there)
    throw new Refusal('out_of_memory', {
      reason: `tuning on ${name} needs ${needed} bytes of memory, and this machine has ${there}`,
    });
}

/** Large models stored in 32 bits are loaded in 16 bits. */
async function weightsInMemory(folder: string): Promise<number | undefined> {
  const stored = await weightsOf(folder);
  if (stored === null) return undefined;
  const config: unknown = await readFile(join(folder, 'config.json'), 'utf8').then(JSON.parse, () => undefined);
  const said = configSchema.safeParse(config).data;
  return (said?.dtype ?? said?.torch_dtype) === 'float32' ? stored / 2 : stored;
}
