// The service itself: liveness, readiness, version, metrics.
import { z } from 'zod';
import { route } from './route.ts';

const tag = 'Service';

export const health = route({
  name: 'health',
  method: 'GET',
  path: '/healthz',
  tag,
  summary: 'Is the process alive',
  access: 'public',
  answer: z.object({ status: z.literal('ok') }),
});

export const readiness = route({
  name: 'readiness',
  method: 'GET',
  path: '/readyz',
  tag,
  summary:
    'Can it take requests: 200 when server and database answer, 503 while starting, draining, without its database or with an engine that hangs',
  access: 'public',
  answer: z.object({
    status: z.enum(['ready', 'not ready']),
    parts: z.record(z.string(), z.string()).describe('Each part with "ok" or what is wrong with it.'),
  }),
  answerAlso: [503],
});

export const metrics = route({
  name: 'metrics',
  method: 'GET',
  path: '/metrics',
  tag,
  summary: 'Figures for Prometheus',
  access: 'public',
  answer: z.string(),
  answerType: 'text/plain',
});

export const version = route({
  name: 'version',
  method: 'GET',
  path: '/v1/version',
  tag,
  summary: 'Versions of the server, of the client it speaks to, and of the parts of the API',
  access: 'public',
  answer: z.object({
    server: z.string(),
    client: z.string().describe('The newest version of the platform client that is known to work.'),
    api: z.array(z.object({ name: z.string(), path: z.string() })),
  }),
});

export const openapi = route({
  name: 'openapi',
  method: 'GET',
  path: '/openapi.json',
  tag,
  summary: 'This contract as an OpenAPI 3.1 document',
  access: 'public',
  answer: z.looseObject({ openapi: z.string() }),
});
