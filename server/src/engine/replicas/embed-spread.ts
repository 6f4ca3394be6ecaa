// An embedding of many texts as several smaller ones, computed side by side, and put together as if it had been one.
import { EngineFailure } from '../engine.ts';
import type { Embedding, Vectors } from '../protocol.ts';

/** Fewer texts than that are not worth a part of their own. */
export const leastTexts = 32;

export async function embedSpread(
  request: Embedding,
  replicas: number,
  signal: AbortSignal | undefined,
  embed: (part: Embedding, signal: AbortSignal) => Promise<Vectors>,
): Promise<Vectors> {
  const { texts } = request;
  const count = Math.max(1, Math.min(replicas, Math.floor(texts.length / leastTexts)));
  const stop = new AbortController();
  const ended = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal;
  const froms = Array.from({ length: count + 1 }, (_, part) => Math.round((part * texts.length) / count));
  try {
    const parts = froms.slice(0, -1).map(async (from, part) => {
      try {
        return await embed({ ...request, texts: texts.slice(from, froms[part + 1]) }, ended);
      } catch (error) {
        throw placed(error, from);
      }
    });
    return joined(await Promise.all(parts), froms);
  } finally {
    // Where one part fails the others are needless.
    stop.abort();
  }
}

/** A refusal names the text by its number among all. */
function placed(error: unknown, from: number): unknown {
  if (!(error instanceof EngineFailure) || from === 0 || typeof error.facts.text !== 'number') return error;
  return new EngineFailure(error.code, error.message, { ...error.facts, text: error.facts.text + from });
}

function joined(parts: readonly Vectors[], froms: readonly number[]): Vectors {
  const [first] = parts;
  if (parts.length === 1) return first!;
  return {
    ...first!,
    count: parts.reduce((sum, { count }) => sum + count, 0),
    tokens: parts.reduce((sum, { tokens }) => sum + tokens, 0),
    data: Buffer.concat(parts.map(({ data }) => Buffer.from(data, 'base64'))).toString('base64'),
    truncated: parts.flatMap(({ truncated }, part) => truncated.map((text) => text + froms[part]!)),
  };
}
