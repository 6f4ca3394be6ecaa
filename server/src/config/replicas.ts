// The number of replicas of the engine, the ports of remote ones, and the memory that local ones need.
import { availableParallelism, totalmem } from 'node:os';
import { z } from 'zod';

const maxReplicas = 64;
/** Minimum memory of an engine process with its imports and a small model. */
const minReplicaBytes = 512 * 1024 ** 2;

export const replicas = z
  .string()
  .regex(/^[1-9][0-9]?(-[1-9][0-9]?)?$/)
  .transform((text) => {
    const [min = 1, max = min] = text.split('-').map(Number);
    return { min, max };
  })
  .refine(({ min, max }) => min <= max && max <= maxReplicas)
  .describe(`a whole number from 1 to ${maxReplicas}, or two with a hyphen between, such as 1-4`);

/** The first and the last of some ports, or null for any. */
export const replicasPorts = z
  .string()
  .regex(/^(any|[1-9][0-9]{3,4}-[1-9][0-9]{3,4})$/)
  .transform((text) => {
    const [first = 0, last = 0] = text.split('-').map(Number);
    return text === 'any' ? null : ([first, last] as const);
  })
  .refine((ports) => ports === null || (ports[0] >= 1024 && ports[0] <= ports[1] && ports[1] <= 65_535))
  .describe('any, or two ports from 1024 to 65535 with a hyphen between, such as 20000-20063');

interface Asked {
  replicas: { min: number; max: number };
  engine_memory: number | 'auto';
  engine_threads: number;
}

/** Error messages if this machine cannot hold the replicas. One replica is always accepted. */
export function refuseReplicas(
  { replicas: { max }, engine_memory, engine_threads }: Asked,
  machine = { bytes: machineBytes(), cores: availableParallelism() },
): string[] {
  if (max === 1) return [];
  const mistakes: string[] = [];
  const threads = max * engine_threads;
  if (threads > machine.cores)
    mistakes.push(
      `LOREKEEP_REPLICAS is ${max} with LOREKEEP_ENGINE_THREADS ${engine_threads}, which is ${threads} threads, and this machine has ${machine.cores} cores; it must be at most ${Math.max(1, Math.floor(machine.cores / engine_threads))}.`,
    );
  const given = engine_memory === 'auto' ? machine.bytes : engine_memory;
  if (max * minReplicaBytes > given)
    mistakes.push(
      `LOREKEEP_REPLICAS is ${max}, and each takes at least ${mega(minReplicaBytes)} of memory, ${mega(max * minReplicaBytes)} in all; ${engine_memory === 'auto' ? 'this machine has' : 'LOREKEEP_ENGINE_MEMORY is'} ${mega(given)}.`,
    );
  if (engine_memory !== 'auto' && engine_memory > machine.bytes)
    mistakes.push(
      `LOREKEEP_ENGINE_MEMORY is ${mega(engine_memory)} for ${max} replicas, and this machine has ${mega(machine.bytes)}.`,
    );
  return mistakes;
}

const mega = (bytes: number) => `${Math.floor(bytes / 1024 ** 2)} MB`;

/** Memory of this machine, or of the container that this process runs in. */
function machineBytes(): number {
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(totalmem(), limit) : totalmem();
}
