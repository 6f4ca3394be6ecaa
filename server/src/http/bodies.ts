// Reads request bodies: small JSON is buffered within a size limit and a time limit; large bodies remain streams for the
// handler.
import type { IncomingMessage } from 'node:http';
import { Refusal } from '@lorekeep/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { parseJson } from './json.ts';

export interface BodyLimits {
  bytes: number;
  seconds: number;
}

/** Content-type parsers. A type that the route does not accept is refused by name. */
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
  // A missing content type means JSON.
  if (type === expected || (!type && expected === 'application/json')) return;
  throw new Refusal('content_type_unsupported', { type: given ? `"${given.slice(0, 100)}"` : '(none)', expected });
}

async function collect(payload: IncomingMessage, { bytes, seconds }: BodyLimits): Promise<Buffer> {
  const tooLarge = () => new Refusal('body_too_large', { limit: bytes });
  if (Number(payload.headers['content-length'] ?? 0) > bytes) throw tooLarge();
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of streamBody(payload, { pauseSeconds: seconds, wholeSeconds: seconds })) {
    size += chunk.length;
    if (size > bytes) throw tooLarge();
    chunks.push(chunk);
  }
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
}

/** Minimum rate of a body. */
export interface Pace {
  /** Maximum pause, and length of the windows over which the rate is measured. */
  pauseSeconds: number;
  wholeSeconds: number;
  /** Minimum bytes per second; undefined for a body that has to be complete after one pause anyway. */
  rate?: number;
}

/** Streams a body with limits on pauses, rate and size. A sender that disconnects or is too slow causes a specific error. */
export async function* streamBody(
  payload: IncomingMessage,
  { pauseSeconds, wholeSeconds, rate = 0 }: Pace,
): AsyncGenerator<Buffer> {
  const started = performance.now();
  const slow = (reason: string) => new Refusal('body_too_slow', { reason });
  const pause = pauseSeconds * 1000;
  // Counts only the time waiting for bytes, not the time processing them.
  let waited = 0;
  let bytes = 0;
  const source = payload.iterator({ destroyOnReturn: false });
  try {
    for (;;) {
      const left = Math.min(pause, started + wholeSeconds * 1000 - performance.now());
      const late = () =>
        slow(
          left === pause
            ? `nothing came for ${pauseSeconds} seconds`
            : `it was not complete after ${wholeSeconds} seconds`,
        );
      if (left <= 0) throw late();
      const before = performance.now();
      const { done, value } = await withTimeout(left, source.next(), late);
      if (done) break;
      waited += performance.now() - before;
      bytes += value.length;
      if (waited >= pause) {
        if (bytes < (rate * waited) / 1000)
          throw slow(`fewer than ${rate} bytes a second came over ${pauseSeconds} seconds`);
        waited = 0;
        bytes = 0;
      }
      yield value;
    }
    if (!payload.complete) throw new Refusal('body_incomplete');
  } finally {
    // The rest can be discarded only when no reader is attached; connections.ts does that.
    void source.return?.();
  }
}

async function withTimeout<T>(milliseconds: number, read: Promise<T>, late: () => Refusal): Promise<T> {
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
