// Headers of every answer. By default: no caching, since answers are private, and no MIME sniffing. Routes may set others; public files
// (the console, /docs) do. For pages of other sites: CORS, for the origins of LOREKEEP_CORS_ORIGINS.
import type { FastifyInstance } from 'fastify';

export const defaultHeaders = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

/** Registered before all other hooks, so that their refusals get the headers too. */
export function setDefaultHeaders(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(defaultHeaders).header('x-request-id', request.id);
    done();
  });
}

/** Never with credentials: the cookie of the console counts for pages of this server alone. */
export function allowOrigins(app: FastifyInstance, origins: readonly string[]): void {
  if (origins.length === 0) return;
  const everySite = origins.includes('*');
  app.addHook('onRequest', ({ method, headers }, reply, done) => {
    reply.header('vary', 'origin');
    const { origin } = headers;
    if (origin === undefined || !(everySite || origins.includes(origin))) return done();
    reply.header('access-control-allow-origin', origin).header('access-control-expose-headers', exposed);
    // A preflight request has no key, and comes before every call with one.
    if (method !== 'OPTIONS' || headers['access-control-request-method'] === undefined) return done();
    reply
      .code(204)
      .header('access-control-allow-methods', 'GET, POST, PATCH, DELETE')
      // Clients send headers of their own, such as x-stainless-lang.
      .header(
        'access-control-allow-headers',
        headers['access-control-request-headers'] ?? 'authorization, content-type',
      )
      .header('access-control-max-age', '600')
      .send();
  });
}

const exposed = 'content-disposition, deprecation, retry-after, sunset, x-request-id, x-warning';
