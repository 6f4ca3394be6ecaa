// Prometheus metrics. Labels come from routes, never from request content. Durations are recorded by route and statuses in a separate
// counter, since a histogram per status and route would take a megabyte.
import type { FastifyInstance } from 'fastify';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

interface Upstreams {
  states(): { name: string; state: string; counts: Record<'answered' | 'failed', number> }[];
}

interface Replicas {
  states(): { number: number; state: string; inFlight: number; answered: number; failed: number }[];
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

  /** Collected when the metrics are read. The upstream engines come from the settings. */
  watchUpstreams({ states }: Upstreams): void {
    if (states().length === 0) return;
    this.#gauge(
      'lorekeep_upstream_up',
      'Whether an upstream engine passed its checks and can be asked.',
      ['model'],
      (self) => {
        for (const { name, state } of states()) self.set({ model: name }, state === 'ok' ? 1 : 0);
      },
    );
    this.#gauge(
      'lorekeep_upstream_answers',
      'Answers of an upstream engine, and failures, since the start.',
      ['model', 'result'],
      (self) => {
        for (const { name, counts } of states())
          for (const [result, count] of Object.entries(counts)) self.set({ model: name, result }, count);
      },
    );
  }

  /** Replicas are numbered; their number changes with the load. */
  watchReplicas({ states }: Replicas): void {
    if (states().length === 0) return;
    this.#gauge('lorekeep_replica_up', 'Whether a replica of the engine can be asked.', ['replica'], (self) => {
      self.reset();
      for (const { number, state } of states()) self.set({ replica: String(number) }, state === 'ready' ? 1 : 0);
    });
    this.#gauge('lorekeep_replica_requests', 'Requests that a replica has in flight.', ['replica'], (self) => {
      self.reset();
      for (const { number, inFlight } of states()) self.set({ replica: String(number) }, inFlight);
    });
    this.#gauge(
      'lorekeep_replica_answers',
      'Answers of a replica, and requests that it failed by ending, since it was added.',
      ['replica', 'result'],
      (self) => {
        self.reset();
        for (const { number, answered, failed } of states())
          for (const [result, count] of Object.entries({ answered, failed }))
            self.set({ replica: String(number), result }, count);
      },
    );
  }

  /** A gauge whose value is collected when the metrics are read. */
  #gauge<Label extends string>(
    name: string,
    help: string,
    labelNames: Label[],
    collect: (self: Gauge<Label>) => void,
  ): void {
    new Gauge<Label>({
      ...{ name, help, labelNames, registers: [this.registry] },
      collect() {
        collect(this);
      },
    });
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
