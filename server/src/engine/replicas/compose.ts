// The engine of the settings: one child process, or a group of replicas.
import type { FastifyBaseLogger } from 'fastify';
import { gpuNames } from '../../cluster/gpus.ts';
import type { Config } from '../../config/settings.ts';
import { ChildEngine, servingChild } from '../child.ts';
import { ConnectedEngine } from '../connected.ts';
import type { Engine } from '../engine.ts';
import { Replica, type ReplicaState } from './replica.ts';
import { ReplicatedEngine } from './replicated.ts';

export interface ComposedEngine {
  engine: Engine;
  /** Replicas with their states; none where one engine answers all. */
  replicas: { states(): ReplicaState[] };
  reportSetUp(progress: string): void;
}

export function composeEngine(config: Config, python: Promise<string>, log: FastifyBaseLogger): ComposedEngine {
  const options = engineOptions(config);
  if (config.replicas.max === 1 && config.replicas_on === 'local') {
    const engine = new ChildEngine(python, log, options);
    return { engine, replicas: { states: () => [] }, reportSetUp: (progress) => engine.reportSetUp(progress) };
  }
  const start = localReplicas(config, options, python, log);
  const engine = new ReplicatedEngine({ range: config.replicas, start, log });
  return {
    engine,
    replicas: { states: () => engine.states() },
    reportSetUp: (progress) => engine.reportSetUp(progress),
  };
}

/** Child processes of this machine. The first one tells how many GPUs there are, and the others take theirs in turn. */
function localReplicas(config: Config, options: readonly string[], python: Promise<string>, log: FastifyBaseLogger) {
  const gpus = Promise.withResolvers<number>();
  if (config.engine_device === 'cpu') gpus.resolve(0);
  return (number: number): Replica => {
    const own = log.child({ replica: number });
    const transport = Promise.all([python, number === 1 ? 0 : gpus.promise]).then(([program, count]) =>
      servingChild(program, options, own, gpuOf(number, count)),
    );
    const engine = new ConnectedEngine(transport, own);
    if (number === 1) engine.onReady(() => gpus.resolve(engine.gpus()!));
    return new Replica(number, engine);
  };
}

function gpuOf(number: number, count: number): Record<string, string> {
  if (count === 0) return {};
  return { CUDA_VISIBLE_DEVICES: gpuNames(count, process.env.CUDA_VISIBLE_DEVICES)[(number - 1) % count]! };
}

/** Options of one process of the engine: what the settings give to all is divided. */
export function engineOptions({ engine_memory, engine_threads, engine_device, embedder, replicas }: Config): string[] {
  const { max } = replicas;
  return [
    ...(engine_memory === 'auto' ? [] : ['--memory', String(Math.floor(engine_memory / max))]),
    ...(engine_memory === 'auto' && max > 1 ? ['--share', String(max)] : []),
    ...['--threads', String(engine_threads), '--device', engine_device],
    ...(embedder === 'default' ? [] : ['--embedder', embedder]),
  ];
}
