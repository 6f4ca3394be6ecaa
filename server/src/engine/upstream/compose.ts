// Composes the upstream engines of the settings into one part of the server. Without any, the child process is the engine.
import type { FastifyBaseLogger } from 'fastify';
import type { Config } from '../../config/settings.ts';
import type { Engine } from '../engine.ts';
import { RoutedEngine, type UpstreamState, upstreamPrefix } from './routed.ts';

export function withUpstreams(
  child: Engine,
  { upstreams: settings }: Pick<Config, 'upstreams'>,
  localFolder: (name: string) => string,
  log: FastifyBaseLogger,
) {
  const models = new Map(
    settings.map(({ name, folder }) => [name, { key: upstreamPrefix + name, folder: folder ?? localFolder(name) }]),
  );
  if (settings.length === 0) return { engine: child, upstreams: { models, states: (): UpstreamState[] => [] } };
  const engine = new RoutedEngine(child, settings, localFolder, log);
  return { engine, upstreams: { models, states: () => engine.states() } };
}
