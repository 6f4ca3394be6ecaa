// Abort signal for the work of one request: it fires when the client disconnects, the time limit is reached or the server stops.
import { Refusal } from '@lorekeep/contract';
import type { FastifyReply } from 'fastify';

/** The reason is always a refusal, shown to a caller that is still connected. */
export function requestSignal(reply: FastifyReply, seconds?: number): AbortSignal {
  const controller = new AbortController();
  const timer =
    seconds && setTimeout(() => controller.abort(new Refusal('timed_out', { seconds })), seconds * 1000).unref();
  const { cut } = reply.server;
  const end = () => controller.abort(cut.reason);
  cut.addEventListener('abort', end, { once: true });
  reply.raw.once('close', () => {
    clearTimeout(timer);
    cut.removeEventListener('abort', end);
    if (!reply.raw.writableFinished) controller.abort(new Refusal('client_gone'));
  });
  return controller.signal;
}
