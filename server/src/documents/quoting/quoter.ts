// Quotes from an index: the embedder of the index compares sentences with the question.

import type { CallContext, ModelClient } from '../../inference/model-client.ts';
import { float32Rows } from '../../inference/vectors.ts';
import type { OwnIndex } from '../rows.ts';
import type { SearchResult } from '../search/search.ts';
import type { Quote } from './excerpt.ts';
import { quoteOfFollowUp } from './follow-up.ts';
import { type Likeness, quoteOf } from './quote.ts';

/** Number of passages searched for a quote, however few are cited, since sentences are ranked more reliably than passages. */
export const maxQuotedPassages = 8;
const maxComparedLength = 600;

export class Quoter {
  readonly #modelClient: Pick<ModelClient, 'embed'>;

  constructor(modelClient: Pick<ModelClient, 'embed'>) {
    this.#modelClient = modelClient;
  }

  async quote(
    index: OwnIndex,
    question: string,
    passages: SearchResult['passages'],
    callContext: CallContext,
  ): Promise<Quote | undefined> {
    return await quoteOf(question, passages.slice(0, maxQuotedPassages), this.#likeness(index, callContext));
  }

  /** The quote for a message that goes on from the earlier questions of a thread. */
  async quoteFollowUp(
    index: OwnIndex,
    asked: { thread: string[]; text: string; strict: boolean },
    passages: SearchResult['passages'],
    callContext: CallContext,
  ): Promise<Quote | undefined> {
    return await quoteOfFollowUp(asked, passages.slice(0, maxQuotedPassages), this.#likeness(index, callContext));
  }

  /** Embeds each text once, since readings of a follow-up share most candidates. */
  #likeness({ embedder }: OwnIndex, callContext: CallContext): Likeness {
    const vectors = new Map<string, Float32Array>();
    return async (asked, texts) => {
      const [question, ...short] = [asked, ...texts].map((text) => text.slice(0, maxComparedLength).toWellFormed());
      const missing = [...new Set([question!, ...short])].filter((text) => !vectors.has(text));
      if (missing.length > 0) {
        const embedded = float32Rows(await this.#modelClient.embed(embedder, { texts: missing }, callContext));
        for (const [at, vector] of embedded.entries()) vectors.set(missing[at]!, vector);
      }
      const first = vectors.get(question!)!;
      return short.map((text) => cosine(first, vectors.get(text)!));
    };
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
