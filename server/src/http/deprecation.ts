// Deprecation headers of routes: since when, until when, and the replacement.
import type { FastifyInstance } from 'fastify';

export function announceDeprecations(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    const deprecated = request.routeOptions.config.contract?.deprecated;
    if (!deprecated) return done();
    reply.header('Deprecation', `@${Date.parse(deprecated.since) / 1000}`);
    reply.header('Sunset', new Date(deprecated.sunset).toUTCString());
    reply.header(
      'X-Warning',
      `${request.routeOptions.url} is deprecated and works until ${deprecated.sunset}: ${deprecated.instead}`,
    );
    done();
  });
}
