// How bodies come in: small JSON is collected within a size and a time; large bodies stay streams for the handler to read.
import type { IncomingMessage } from 'node:http';
import { Refusal } from '@lorekeep/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { parseJson } from './json.ts';

export interface BodyLimits {
  bytes: number;
  seconds: number;
}

/** Parsers for every content type: those that a route does not take are refused by name. */
export function readBodies(app: FastifyInstance, limits: BodyLimits): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', async (request: FastifyRequest, payload: IncomingMessage) => {
    const route = request.routeOptions.config.contract;
    refuseEncoding(request);
    const kind = route?.bodyKind ?? 'json';
    if (!route?.body) return undefined;
    refuseOtherType(request, kind === 'multipart' ? 'multipart/form-data' : 'application/json');
    if (kind !== 'json') return payload;
    const bytes = await collect(payload, limits);
    if (bytes.length === 0 && route.bodyOptional) return undefined;
    return parseJson(bytes);
  });
}

function refuseEncoding(request: FastifyRequest): void {
  const encoding = request.headers['content-encoding'];
  if (encoding && encoding !== 'identity') throw new Refusal('content_encoding_unsupported', { encoding });
}

function refuseOtherType(request: FastifyRequest, expected: string): void {
  const given = request.headers['content-type'];
  const type = given?.split(';', 1)[0]?.trim().toLowerCase();
  // Clients that name no type mean JSON.
  if (type === expected || (!type && expected === 'application/json')) return;
  throw new Refusal('content_type_unsupported', { type: given ? `"${given.slice(0, 100)}"` : '(none)', expected });
}

async function collect(payload: IncomingMessage, { bytes, seconds }: BodyLimits): Promise<Buffer> {
  const tooLarge = () => new Refusal('body_too_large', { limit: bytes });
  if (Number(payload.headers['content-length'] ?? 0) > bytes) throw tooLarge();
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of arriving(payload, seconds, seconds)) {
    size += chunk.length;
    if (size > bytes) throw tooLarge();
    chunks.push(chunk);
  }
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
}

/** The bytes of a body as they come, with a limit on each pause and on the whole; a sender that hangs up or dawdles is an error by name. */
export async function* arriving(
  payload: IncomingMessage,
  pauseSeconds: number,
  wholeSeconds: number,
): AsyncGenerator<Buffer> {
  // A request that is complete already needs no clock: most small ones.
  const started = performance.now();
  const slow = (seconds: number) => new Refusal('body_too_slow', { seconds });
  const source = payload.iterator({ destroyOnReturn: false });
  try {
    for (;;) {
      const left = Math.min(pauseSeconds * 1000, started + wholeSeconds * 1000 - performance.now());
      if (left <= 0) throw slow(wholeSeconds);
      const { done, value } = await within(left, source.next(), () =>
        slow(left === pauseSeconds * 1000 ? pauseSeconds : wholeSeconds),
      );
      if (done) break;
      yield value;
    }
    if (!payload.complete) throw new Refusal('body_incomplete');
  } finally {
    // Only when nobody reads it any more can the rest flow past: connections.ts throws it away.
    void source.return?.();
  }
}

async function within<T>(milliseconds: number, read: Promise<T>, late: () => Refusal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(late()), milliseconds);
  try {
    return await Promise.race([read, promise]);
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw new Refusal('body_incomplete', {}, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}
