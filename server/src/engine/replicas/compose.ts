// Creates the configured engine: one child process, or a group of replicas, local or on a Ray cluster.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import { gpuNames } from '../../cluster/gpus.ts';
import { rayCluster } from '../../cluster/ray/compose.ts';
import type { Config } from '../../config/settings.ts';
import { ChildEngine, servingChild } from '../child.ts';
import { ConnectedEngine } from '../connected.ts';
import type { Engine } from '../engine.ts';
import { onRay } from './on-ray.ts';
import { Replica, type ReplicaState } from './replica.ts';
import { ReplicatedEngine } from './replicated.ts';
import { removeStale } from './stale.ts';

export interface ComposedEngine {
  engine: Engine;
  /** States of the replicas; empty for a single engine. */
  replicas: { states(): ReplicaState[] };
  reportSetUp(progress: string): void;
}

export function composeEngine(config: Config, python: Promise<string>, log: FastifyBaseLogger): ComposedEngine {
  const { replicas: range, replicas_on } = config;
  const areElsewhere = replicas_on === 'ray';
  if (range.max === 1 && !areElsewhere) {
    const engine = new ChildEngine(python, log, engineOptions(config, 1));
    return { engine, replicas: { states: () => [] }, reportSetUp: (progress) => engine.reportSetUp(progress) };
  }
  const start = areElsewhere ? rayReplicas(config, log) : localReplicas(config, python, log);
  const engine = new ReplicatedEngine({ range, start, areElsewhere, log });
  return {
    engine,
    replicas: { states: () => engine.states() },
    reportSetUp: (progress) => engine.reportSetUp(progress),
  };
}

/** Child processes of this machine. The first one reports the number of GPUs, and the others are assigned theirs in turn. */
function localReplicas(config: Config, python: Promise<string>, log: FastifyBaseLogger) {
  const { max } = config.replicas;
  const gpus = Promise.withResolvers<number>();
  if (config.engine_device === 'cpu') gpus.resolve(0);
  return (number: number): Replica => {
    const own = log.child({ replica: number });
    const transport = Promise.all([python, number === 1 ? 0 : gpus.promise]).then(([program, count]) => {
      // The first replica sees all GPUs, and divides by their number itself.
      const sharing = count === 0 ? max : Math.ceil(max / count);
      return servingChild(program, engineOptions(config, max, sharing), own, gpuOf(number, count));
    });
    const engine = new ConnectedEngine(transport, own);
    if (number === 1) engine.onReady(() => gpus.resolve(engine.gpus()!));
    return new Replica(number, engine);
  };
}

function gpuOf(number: number, count: number): Record<string, string> {
  if (count === 0) return {};
  return { CUDA_VISIBLE_DEVICES: gpuNames(count, process.env.CUDA_VISIBLE_DEVICES)[(number - 1) % count]! };
}

/** Runs on the cluster, each in a slot. They belong to this process alone, since each start of a server uses new names. */
function rayReplicas(config: Config, log: FastifyBaseLogger) {
  const all = join(config.home, 'replicas');
  const cluster = rayCluster(config, (name) => join(all, name), log, 'ray_replica');
  // Slots other than GPUs may be on one node and share its memory.
  const options = engineOptions(config, config.ray_resource === 'GPU' ? 1 : config.replicas.max);
  const server = `replica-${randomBytes(4).toString('hex')}`;
  removeStale(all, server, log);
  return (number: number): Replica => {
    const name = `${server}-${number}`;
    const own = log.child({ replica: number });
    const { transport, place } = onRay({
      ...{ cluster, name, folder: join(all, name), options },
      ports: config.replicas_ports,
    });
    return new Replica(number, new ConnectedEngine(Promise.resolve(transport), own), place);
  };
}

/** Options of one engine process. `among` processes divide LOREKEEP_ENGINE_MEMORY, `sharing` ones the free part of one memory. */
function engineOptions(
  { engine_memory, engine_threads, engine_device, embedder }: Config,
  among: number,
  sharing = among,
): string[] {
  return [
    ...(engine_memory === 'auto' ? [] : ['--memory', String(Math.floor(engine_memory / among))]),
    ...(engine_memory === 'auto' && sharing > 1 ? ['--share', String(sharing)] : []),
    ...['--threads', String(engine_threads), '--device', engine_device],
    ...(embedder === 'default' ? [] : ['--embedder', embedder]),
  ];
}
