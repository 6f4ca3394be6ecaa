// Quotes from an index: the embedder of the index compares sentences with the question.

import type { CallContext, ModelClient } from '../../inference/model-client.ts';
import { float32Rows } from '../../inference/vectors.ts';
import type { OwnIndex } from '../rows.ts';
import type { SearchResult } from '../search/search.ts';
import type { Quote } from './excerpt.ts';
import { quoteOf } from './quote.ts';

/** Number of passages searched for a quote, however few are cited, since sentences are ranked more reliably than passages. */
export const maxQuotedPassages = 8;
const maxComparedLength = 600;

export class Quoter {
  readonly #modelClient: Pick<ModelClient, 'embed'>;

  constructor(modelClient: Pick<ModelClient, 'embed'>) {
    this.#modelClient = modelClient;
  }

  async quote(
    { embedder }: OwnIndex,
    question: string,
    passages: SearchResult['passages'],
    callContext: CallContext,
  ): Promise<Quote | undefined> {
    return await quoteOf(question, passages.slice(0, maxQuotedPassages), async (asked, texts) => {
      const short = [asked, ...texts].map((text) => text.slice(0, maxComparedLength).toWellFormed());
      const [first, ...others] = float32Rows(await this.#modelClient.embed(embedder, { texts: short }, callContext));
      return others.map((vector) => cosine(first!, vector));
    });
  }
}

export function cosine(one: Float32Array, other: Float32Array): number {
  let [both, ones, others] = [0, 0, 0];
  for (const [at, value] of one.entries()) {
    both += value * other[at]!;
    ones += value * value;
    others += other[at]! * other[at]!;
  }
  return both / (Math.sqrt(ones * others) || 1);
}
