// Figures for Prometheus. Labels come from the routes, never from what callers send, so that their number stays bounded.
import type { FastifyInstance } from 'fastify';
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';

export class Metrics {
  readonly registry = new Registry();
  readonly #durations = new Histogram({
    name: 'lorekeep_http_request_seconds',
    help: 'Time from the first byte of a request to the last of its answer.',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 60],
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

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }

  watch(app: FastifyInstance): void {
    app.addHook('onResponse', (request, reply, done) => {
      const route = request.routeOptions.config.contract?.path ?? 'none';
      this.#durations.observe(
        { method: request.method, route, status: String(reply.statusCode) },
        reply.elapsedTime / 1000,
      );
      done();
    });
  }
}
