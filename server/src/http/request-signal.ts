// A signal for work that is done for one request alone: it ends when the client goes away, or when the time is up.
import { Refusal } from '@lorekeep/contract';
import type { FastifyReply } from 'fastify';

/** Its reason is always a refusal, shown to a caller that is still connected. */
export function untilGone(reply: FastifyReply, seconds?: number): AbortSignal {
  const controller = new AbortController();
  const timer =
    seconds && setTimeout(() => controller.abort(new Refusal('timed_out', { seconds })), seconds * 1000).unref();
  reply.raw.once('close', () => {
    clearTimeout(timer);
    if (!reply.raw.writableFinished) controller.abort(new Refusal('client_gone'));
  });
  return controller.signal;
}
