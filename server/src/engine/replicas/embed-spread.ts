// Splits an embedding of many texts into parts that are computed in parallel, and joins the results.
import { EngineFailure } from '../engine.ts';
import type { Embedding, Vectors } from '../protocol.ts';

/** Minimum number of texts of a part. */
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
        throw withTextOffset(error, from);
      }
    });
    return joinedVectors(await Promise.all(parts), froms);
  } finally {
    // If one part fails, the others are cancelled.
    stop.abort();
  }
}

/** Corrects the number of the text in a refusal to its number among all texts. */
function withTextOffset(error: unknown, from: number): unknown {
  if (!(error instanceof EngineFailure) || from === 0 || typeof error.facts.text !== 'number') return error;
  return new EngineFailure(error.code, error.message, { ...error.facts, text: error.facts.text + from });
}

function joinedVectors(parts: readonly Vectors[], froms: readonly number[]): Vectors {
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
