// Passages and quote for a question, alone or as a follow-up of the questions before it. A message that does not depend on earlier ones
// by its wording is a follow-up only if nothing answers it alone: "How many are in stock?"
import type { CallContext } from '../../inference/model-client.ts';
import type { Quote } from '../quoting/excerpt.ts';
import { maxQuotedPassages, type Quoter } from '../quoting/quoter.ts';
import { pointsBack, threadOf } from '../quoting/readings.ts';
import type { OwnIndex } from '../rows.ts';
import type { Search, SearchQuery, SearchResult } from '../search/search.ts';

export interface Found extends SearchResult {
  /** The text that was searched for. */
  searched: string;
  quote?: Quote | undefined;
}

export interface FindQuery extends Pick<SearchQuery, 'text' | 'limit' | 'filter' | 'rerank'> {
  /** Earlier questions of the conversation, the oldest first. */
  earlier?: string[] | undefined;
  /** Whether a quote is the answer. */
  quotes: boolean;
}

export class Finder {
  readonly #search: Search;
  readonly #quoter: Quoter;

  constructor(search: Search, quoter: Quoter) {
    this.#search = search;
    this.#quoter = quoter;
  }

  async find(index: OwnIndex, query: FindQuery, callContext: CallContext): Promise<Found> {
    const { text, earlier = [] } = query;
    if (text === '') return { passages: [], best: null, threshold: null, relevant: false, searched: text };
    const thread = threadOf(earlier);
    const alone = async () => await this.#found(index, query, [], callContext);
    const following = async () => await this.#found(index, query, thread, callContext);
    if (thread.length === 0) return await alone();
    const points = pointsBack(text);
    const first = points ? await following() : await alone();
    if (answers(query, first) || points === 'surely') return first;
    const second = points ? await alone() : await following();
    return answers(query, second) ? second : first;
  }

  async #found(index: OwnIndex, query: FindQuery, thread: string[], callContext: CallContext): Promise<Found> {
    const { text, limit, quotes, filter, rerank } = query;
    const searched = [...thread, text].join(' ');
    const searchQuery = { text: searched, limit: quotes ? Math.max(limit, maxQuotedPassages) : limit, filter, rerank };
    const found = await this.#search.search(index, { ...searchQuery, about: !quotes }, callContext);
    if (!quotes) return { ...found, searched };
    const { passages } = found;
    const quote =
      thread.length === 0
        ? await this.#quoter.quote(index, text, passages, callContext)
        : await this.#quoter.quoteFollowUp(index, { thread, text, strict: !pointsBack(text) }, passages, callContext);
    return { ...found, searched, quote };
  }
}

const answers = ({ quotes }: FindQuery, { relevant, quote }: Found): boolean =>
  quotes ? quote !== undefined : relevant;
