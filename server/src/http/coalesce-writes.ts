// Answers that are ready in one turn of the event loop go out together at its end. Written one by one, each wakes a client that fell asleep
// waiting for it, and under load that waking costs more than the request: see docs/experiments/2026-11-21-authenticated-reads.md.
import type { FastifyInstance } from 'fastify';

export function sendTogether(app: FastifyInstance): void {
  app.addHook('onSend', (_request, _reply, _payload, done) => {
    setImmediate(done);
  });
}
