// Figures for Prometheus. Labels come from the routes, never from what callers send. Time is counted by route alone and statuses in a counter of
// their own: a histogram has a line for each of its buckets, which for every status of every route would be a megabyte.
import type { FastifyInstance } from 'fastify';
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';

export class Metrics {
  readonly registry = new Registry();
  readonly #durations = new Histogram({
    name: 'lorekeep_http_request_seconds',
    help: 'Time from the first byte of a request to the last of its answer.',
    labelNames: ['method', 'route'] as const,
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 60],
    registers: [this.registry],
  });
  readonly #requests = new Counter({
    name: 'lorekeep_http_requests_total',
    help: 'Requests that were answered.',
    labelNames: ['method', 'route', 'status'] as const,
    registers: [this.registry],
  });
  readonly rowsStored = new Counter({
    name: 'lorekeep_dataset_rows_total',
    help: 'Rows of datasets stored.',
    registers: [this.registry],
  });
  readonly tokens = new Counter({
    name: 'lorekeep_tokens_total',
    help: 'Tokens that models read (in) and generated (out).',
    labelNames: ['direction'] as const,
    registers: [this.registry],
  });
  readonly outcomes = new Counter({
    name: 'lorekeep_memory_answers_total',
    help: 'Answers of tuned models by outcome: recited, made of facts, from documents, unknown, of the base.',
    labelNames: ['outcome'] as const,
    registers: [this.registry],
  });

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }

  watch(app: FastifyInstance): void {
    app.addHook('onResponse', (request, reply, done) => {
      const route = request.routeOptions.config.contract?.path ?? 'none';
      // A request that matches no route may have any HTTP method.
      const method = route === 'none' ? 'any' : request.method;
      this.#durations.observe({ method, route }, reply.elapsedTime / 1000);
      this.#requests.inc({ method, route, status: String(reply.statusCode) });
      done();
    });
  }
}
