// The HTTP application without routes: limits of connections and bodies, error answers, default headers, request log and metrics.
import * as contract from '@lorekeep/contract';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyReply, LogController } from 'fastify';
import type { Config } from '../config/settings.ts';
import { readBodies } from './bodies.ts';
import { coalesceWrites } from './coalesce-writes.ts';
import { answerBroken, guardConnections, maxHeaderBytes } from './connections.ts';
import { allowOrigins, setDefaultHeaders } from './default-headers.ts';
import { announceDeprecations } from './deprecation.ts';
import type { Life } from './health-routes.ts';
import { logRequests } from './log.ts';
import type { Metrics } from './metrics.ts';
import { answerErrors, asRefusal, sendRefusal } from './refusals.ts';
import { validatorCompiler } from './validate.ts';

export function createApp(
  config: Config,
  log: FastifyBaseLogger,
  { life, metrics }: { life: Life; metrics: Metrics },
): FastifyInstance {
  const app = Fastify({
    loggerInstance: log,
    // No child logger per request; lines about a request name it.
    childLoggerFactory: (logger) => logger,
    // log.ts writes one line per request instead.
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => crypto.randomUUID(),
    requestIdHeader: false,
    trustProxy: config.trusted_proxies.length > 0 ? [...config.trusted_proxies] : false,
    routerOptions: { ignoreDuplicateSlashes: true, ignoreTrailingSlash: true, maxParamLength: 500 },
    // bodies.ts enforces the limits; Fastify's limit would apply to uploads too.
    bodyLimit: Number.MAX_SAFE_INTEGER,
    requestTimeout: config.upload_timeout * 1000,
    keepAliveTimeout: 65_000,
    forceCloseConnections: 'idle',
    http: {
      maxHeaderSize: maxHeaderBytes,
      headersTimeout: config.body_timeout * 1000,
      connectionsCheckingInterval: 1000,
      // connections.ts answers these errors.
      requireHostHeader: false,
    },
    clientErrorHandler: (error, socket) => answerBroken(error, socket, config.body_timeout),
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => {
      sendRefusal(asRefusal(error, request, config.home), request, reply as FastifyReply);
    },
  });
  app.decorate('cut', life.cut.signal);
  setDefaultHeaders(app);
  allowOrigins(app, config.cors_origins);
  guardConnections(app, { connections: config.max_connections, seconds: config.body_timeout });
  app.setValidatorCompiler(validatorCompiler as never);
  answerErrors(app, contract.routes, config.home);
  readBodies(app, { bytes: config.max_body, seconds: config.body_timeout });
  // An idle keep-alive connection would delay a shutdown.
  app.addHook('onResponse', ({ raw }, _reply, done) => {
    if (life.draining) raw.socket.destroySoon();
    done();
  });
  metrics.watch(app);
  logRequests(app);
  announceDeprecations(app);
  coalesceWrites(app);
  return app;
}
