// Figures for Prometheus. Labels come from the routes, never from what callers send. Time is counted by route alone and statuses in a counter of
// their own: a histogram has a line for each of its buckets, which for every status of every route would be a megabyte.
import type { FastifyInstance } from 'fastify';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

interface Upstreams {
  states(): { name: string; state: string; counts: Record<'answered' | 'failed', number> }[];
}

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

  /** Asked when the figures are read: the upstream engines are those of the settings. */
  watchUpstreams({ states }: Upstreams): void {
    if (states().length === 0) return;
    const gauge = <Label extends string>(
      name: string,
      help: string,
      labels: Label[],
      collect: (self: Gauge<Label>) => void,
    ) =>
      new Gauge<Label>({
        ...{ name, help, labelNames: labels, registers: [this.registry] },
        collect() {
          collect(this);
        },
      });
    gauge(
      'lorekeep_upstream_up',
      'Whether an upstream engine passed its checks and can be asked.',
      ['model'],
      (self) => {
        for (const { name, state } of states()) self.set({ model: name }, state === 'ok' ? 1 : 0);
      },
    );
    gauge(
      'lorekeep_upstream_answers',
      'Answers of an upstream engine, and failures, since the start.',
      ['model', 'result'],
      (self) => {
        for (const { name, counts } of states())
          for (const [result, count] of Object.entries(counts)) self.set({ model: name, result }, count);
      },
    );
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
