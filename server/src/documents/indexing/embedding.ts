// Computes the vectors of passages with deduplication: vectors of texts that the index has already are reused, and equal texts are
// embedded once.
import { Refusal } from '@lorekeep/contract';
import type { CallContext } from '../../inference/model-client.ts';
import { retry } from '../../inference/retry.ts';
import { float32Rows } from '../../inference/vectors.ts';
import { passageKey } from '../../vectors/vectors.ts';
import type { GatheredPassage } from './batch.ts';
import type { IndexingDependencies } from './dependencies.ts';
import type { LeasedIndex } from './index-store.ts';

export interface EmbeddedPassages {
  /** Vectors by the hash of the embedded text. */
  vectors: Map<string, Float32Array>;
  /** Texts that the engine refuses, each with the reason. */
  refused: Map<string, string>;
}

export async function vectorsOf(
  { indexStore, vectors, modelClient }: IndexingDependencies,
  index: LeasedIndex,
  passages: GatheredPassage[],
  callContext: CallContext,
): Promise<EmbeddedPassages> {
  const texts = new Map(passages.map(({ embedded, text }) => [embedded, text]));
  const known = await indexStore.known(index.id, [...texts.keys()]);
  const old = await vectors.vectorsOf(index.vectors, [...known.values()]);
  const found = new Map<string, Float32Array>();
  for (const [embedded, place] of known) {
    const vector = old.get(passageKey(place));
    if (vector) found.set(embedded, vector);
  }
  const refused = new Map<string, string>();
  const embed = async (embedded: string[]): Promise<Refusal | undefined> => {
    const request = { texts: embedded.map((one) => texts.get(one)!) };
    const answer = await retry(callContext.signal, async () =>
      float32Rows(await modelClient.embed(index.embedder, request, callContext)),
    );
    if (answer instanceof Refusal) return answer;
    for (const [row, vector] of answer.entries()) found.set(embedded[row]!, vector);
    return undefined;
  };
  const missing = [...texts.keys()].filter((embedded) => !found.has(embedded));
  const refusal = missing.length > 0 ? await embed(missing) : undefined;
  if (refusal) {
    // The embedder itself fails, for example because its model was deleted; the texts are not the cause.
    await refuseWithoutEngine(modelClient, index, callContext);
    for (const one of missing) {
      const itsOwn = await embed([one]);
      if (itsOwn) refused.set(one, itsOwn.message);
    }
  }
  return { vectors: found, refused };
}

/** Throws if even a plain word is refused. */
async function refuseWithoutEngine(
  modelClient: IndexingDependencies['modelClient'],
  { embedder }: LeasedIndex,
  callContext: CallContext,
): Promise<void> {
  const answer = await retry(
    callContext.signal,
    async () => await modelClient.embed(embedder, { texts: ['word'] }, callContext),
  );
  if (answer instanceof Refusal) throw answer;
}
