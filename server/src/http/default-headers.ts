// Default headers of every answer: no caching, since answers are private, and no MIME sniffing. Routes may set others; public files (the
// console, /docs) do.
import type { FastifyInstance } from 'fastify';

export const defaultHeaders = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

/** Registered before all other hooks, so that their refusals get the headers too. */
export function setDefaultHeaders(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(defaultHeaders).header('x-request-id', request.id);
    done();
  });
}
