// Passages and quote for a question, alone or as a follow-up of the questions before it. A message that does not depend on earlier ones
// by its wording is a follow-up only if nothing answers it alone: "How many are in stock?"
import type { CallContext } from '../../inference/model-client.ts';
import type { Quote } from '../quoting/excerpt.ts';
import { partsOf } from '../quoting/parts.ts';
import { maxQuotedPassages, type Quoter } from '../quoting/quoter.ts';
import { pointsBack, threadOf } from '../quoting/readings.ts';
import type { OwnIndex } from '../rows.ts';
import type { Search, SearchQuery, SearchResult } from '../search/search.ts';
import { notFound } from './no-answer.ts';
import { corrected } from './typos.ts';

export interface Found extends SearchResult {
  /** The text that was searched for. */
  searched: string;
  quote?: Quote | undefined;
  /** Further quotes, for a message of several questions. The text of `quote` includes theirs. */
  furtherQuotes?: Quote[] | undefined;
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
    const found = await this.#findParts(index, query, callContext);
    if (answers(query, found)) return found;
    const text = corrected(query.text, found.passages);
    const again = text === undefined ? found : await this.#findParts(index, { ...query, text }, callContext);
    return answers(query, again) ? again : found;
  }

  async #findParts(index: OwnIndex, query: FindQuery, callContext: CallContext): Promise<Found> {
    const whole = await this.#findOne(index, query, callContext);
    const { text, earlier = [], quotes } = query;
    const parts = quotes ? partsOf(text) : [];
    if (parts.length < 2) return whole;
    const found: Found[] = [];
    for (const [at, part] of parts.entries()) {
      const before = [...earlier, ...parts.slice(0, at)];
      found.push(await this.#findOne(index, { ...query, text: part, earlier: before }, callContext));
    }
    return together(whole, found);
  }

  async #findOne(index: OwnIndex, query: FindQuery, callContext: CallContext): Promise<Found> {
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

/** The quotes of all questions of a message; that of the message as a whole if it has them all, or if one question has none. */
function together(whole: Found, parts: Found[]): Found {
  const quoted = parts.flatMap(({ quote, passages }) => (quote ? [{ quote, passage: passages[quote.passage]! }] : []));
  if (quoted.length < parts.length && (whole.quote || quoted.length === 0)) return whole;
  const texts = [...new Set(quoted.map(({ quote }) => quote.text))];
  if (whole.quote && texts.every((text) => whole.quote!.text.includes(text))) return whole;
  const said = texts.filter((text) => !texts.some((other) => other !== text && other.includes(text)));
  if (quoted.length < parts.length) said.push(notFound);
  const passages: Found['passages'] = [];
  const placed = quoted.map(({ quote, passage }) => {
    const at = passages.findIndex((one) => isSame(one, passage));
    return { ...quote, passage: at < 0 ? passages.push(passage) - 1 : at };
  });
  const others = whole.passages.filter((passage) => !passages.some((one) => isSame(one, passage)));
  const [first, ...furtherQuotes] = placed;
  const quote = { ...first!, text: said.map(asSentence).join(' ') };
  return { ...whole, relevant: true, passages: [...passages, ...others], quote, furtherQuotes };
}

/** A quote that may be followed by another one: a cell of a table has no mark at its end. */
const asSentence = (text: string, at: number, all: string[]): string =>
  at === all.length - 1 || /[.!?…;:]$/.test(text) ? text : `${text};`;

type Passage = Found['passages'][number];
const isSame = (one: Passage, other: Passage): boolean =>
  one.file_id === other.file_id && one.passage === other.passage;

const answers = ({ quotes }: FindQuery, { relevant, quote }: Found): boolean =>
  quotes ? quote !== undefined : relevant;
