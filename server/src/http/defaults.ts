// The headers of every answer, unless its route sets others: what is answered is for the caller alone and kept by no cache, and no browser guesses
// another type for it. Public files (the console, /docs) set their own.
import type { FastifyInstance } from 'fastify';

export const defaultHeaders = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

/** Registered before all other hooks, so that their refusals have the headers as well. */
export function setDefaultHeaders(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(defaultHeaders).header('x-request-id', request.id);
    done();
  });
}
