// Server-sent events. A failure before the first event is an ordinary error; a later one is sent as the last event of the stream.
import { Readable } from 'node:stream';
import { openaiError, Refusal } from '@lorekeep/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';

export async function sendEvents(
  request: FastifyRequest,
  reply: FastifyReply,
  events: AsyncGenerator<object>,
  failed: (refusal: Refusal) => object = openaiError,
): Promise<Readable> {
  const first = await events.next();
  reply.type('text/event-stream; charset=utf-8').header('x-accel-buffering', 'no');
  return Readable.from(written(request, first, events, failed), { objectMode: false });
}

async function* written(
  request: FastifyRequest,
  first: IteratorResult<object>,
  events: AsyncGenerator<object>,
  failed: (refusal: Refusal) => object,
): AsyncGenerator<string> {
  try {
    for (let step = first; !step.done; step = await events.next()) yield event(step.value);
    yield 'data: [DONE]\n\n';
  } catch (error) {
    const { cut } = request.server;
    if (cut.aborted) return yield event(failed(cut.reason as Refusal));
    const refusal =
      error instanceof Refusal ? error : new Refusal('internal', { request: request.id }, { cause: error });
    if (refusal.code === 'client_gone') return;
    request.log.error({ request: request.id, err: refusal.cause ?? refusal }, refusal.message);
    yield event(failed(refusal as Refusal));
  } finally {
    await events.return(undefined);
  }
}

const event = (data: object) => `data: ${JSON.stringify(data)}\n\n`;
