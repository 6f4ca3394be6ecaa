// The routes of the service itself: health checks (liveness, readiness), version and metrics.
import * as contract from '@lorekeep/contract';
import type { FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import type { Engine } from '../engine/engine.ts';
import type { Store } from '../store/database.ts';
import type { Metrics } from './metrics.ts';
import { serve } from './serve.ts';

/** The newest release of the platform's Python client that is tested with this server. */
const newestClient = '3.4.3';

export interface Life {
  /** True after a graceful shutdown has begun. */
  draining: boolean;
  /** Aborted, with a refusal as the reason, when calls in flight have to end. */
  cut: AbortController;
}

interface Upstreams {
  states(): { name: string; state: string }[];
}

// The endpoint is public, so reasons are left out: they name hosts, roles and databases.

/** Callers with a key find the reasons in the list of models. */
const upstreamParts = ({ states }: Upstreams) =>
  Object.fromEntries(
    states().map(({ name, state }) => [
      `upstream ${name}`,
      state === 'ok' || state.startsWith('starting') ? state : 'cannot be asked',
    ]),
  );

export function serviceRoutes(
  app: FastifyInstance,
  parts: { store: Store; engine: Engine; upstreams: Upstreams; metrics: Metrics; life: Life; version: string },
): void {
  const { store, engine, upstreams, metrics, life, version } = parts;

  serve(app, contract.health, async () => ({ status: 'ok' as const }));

  serve(app, contract.readiness, async ({ request, reply }) => {
    const database = await sql`select 1`.execute(store.db).then(
      () => 'ok',
      (error: Error) => {
        request.log.warn({ err: error }, 'the database does not answer');
        return 'does not answer';
      },
    );
    const server = life.draining ? 'stopping' : 'ok';
    // A starting engine is reported but counts as healthy, since everything except models works. A hanging engine is unhealthy.
    const ready = database === 'ok' && server === 'ok' && !engine.isSilent();
    if (!ready) reply.code(503);
    return {
      status: ready ? ('ready' as const) : ('not ready' as const),
      parts: { server, database, engine: engine.unready() ?? 'ok', ...upstreamParts(upstreams) },
    };
  });

  serve(app, contract.metrics, async ({ reply }) => {
    reply.type(metrics.registry.contentType);
    return await metrics.registry.metrics();
  });

  serve(app, contract.version, async () => ({
    server: version,
    client: newestClient,
    api: [
      { name: 'v1', path: '/v1' },
      { name: 'v2', path: '/v2' },
      { name: 'v3', path: '/v3' },
      { name: 'v1alpha', path: '/v1alpha' },
      { name: 'inf', path: '/inf' },
      { name: 'openapi', path: '/openapi.json' },
    ],
  }));
}
