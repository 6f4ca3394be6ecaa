// Coalesces writes: answers that are ready in one turn of the event loop are sent together at its end. Sent one by one, each would wake a
// waiting client, and under load that costs more than the request: see docs/experiments/2026-11-21-authenticated-reads.md.
import type { FastifyInstance } from 'fastify';

export function coalesceWrites(app: FastifyInstance): void {
  app.addHook('onSend', (_request, _reply, _payload, done) => {
    setImmediate(done);
  });
}
