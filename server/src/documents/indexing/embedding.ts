// The vectors of passages: of what the index says already they are taken from there, and what several passages say alike is embedded once.
import { Refusal } from '@lorekeep/contract';
import type { Asker } from '../../completions/asking.ts';
import { persist } from '../../completions/persist.ts';
import { float32Rows } from '../../completions/vectors.ts';
import { placeOf } from '../vectors/vectors.ts';
import type { GatheredPassage } from './batch.ts';
import type { Workplace } from './indexing.ts';
import type { HeldIndex } from './ledger.ts';

export interface EmbeddedPassages {
  /** By the hash of what is embedded. */
  vectors: Map<string, Float32Array>;
  /** Texts that the engine refuses, each with the reason. */
  refused: Map<string, string>;
}

export async function vectorsOf(
  { ledger, vectors, asking }: Workplace,
  index: HeldIndex,
  passages: GatheredPassage[],
  asker: Asker,
): Promise<EmbeddedPassages> {
  const texts = new Map(passages.map(({ embedded, text }) => [embedded, text]));
  const known = await ledger.known(index.id, [...texts.keys()]);
  const old = await vectors.vectorsOf(index.vectors, [...known.values()]);
  const found = new Map<string, Float32Array>();
  for (const [embedded, place] of known) {
    const vector = old.get(placeOf(place));
    if (vector) found.set(embedded, vector);
  }
  const refused = new Map<string, string>();
  const embed = async (embedded: string[]): Promise<Refusal | undefined> => {
    const request = { texts: embedded.map((one) => texts.get(one)!) };
    const answer = await persist(asker.signal, async () =>
      float32Rows(await asking.embed(index.embedder, request, asker)),
    );
    if (answer instanceof Refusal) return answer;
    for (const [row, vector] of answer.entries()) found.set(embedded[row]!, vector);
    return undefined;
  };
  const missing = [...texts.keys()].filter((embedded) => !found.has(embedded));
  const refusal = missing.length > 0 ? await embed(missing) : undefined;
  if (refusal) {
    // Nothing can be embedded, such as for a model that is gone: it is not these texts.
    await refuseWithoutEngine(asking, index, asker);
    for (const one of missing) {
      const itsOwn = await embed([one]);
      if (itsOwn) refused.set(one, itsOwn.message);
    }
  }
  return { vectors: found, refused };
}

/** Throws where a plain word is refused as well. */
async function refuseWithoutEngine(asking: Workplace['asking'], { embedder }: HeldIndex, asker: Asker): Promise<void> {
  const answer = await persist(asker.signal, async () => await asking.embed(embedder, { texts: ['word'] }, asker));
  if (answer instanceof Refusal) throw answer;
}
