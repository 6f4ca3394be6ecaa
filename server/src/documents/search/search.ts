// Hybrid search of an index: vector and full-text search, fused and deduplicated. It is deterministic as long as the index does not
// change. The caller has checked that the index belongs to the account.
import type { Citation, Metadata } from '@lorekeep/contract';
import { embeddedText } from '@lorekeep/reader';
import { damagedData } from '../../blobs/checked.ts';
import type { CallContext, ModelClient } from '../../inference/model-client.ts';
import { float32Rows } from '../../inference/vectors.ts';
import type { Store } from '../../store/database.ts';
import { type FileFilter, type Hit, passageKey, type Vectors, VectorsDamaged } from '../../vectors/vectors.ts';
import type { Measurements } from '../indexing/index-store.ts';
import type { OwnFile, OwnIndex } from '../rows.ts';
import { passagesAt, type StoredPassage } from '../stored-passages.ts';
import { contentWords, stem } from './content-words.ts';
import { type Fused, fused } from './fuse.ts';
import { reranked } from './rerank.ts';

/** Candidates taken from each list (vectors, full text). Raised when many are copies of a few texts. */
const initialCandidates = 50;
const maxCandidates = 6_400;
/** Maximum passages of a file selection that is searched exactly, since a filtered graph search would be slow. */
const maxExactPassages = 20_000;
/** Number of fused results that are read and reranked by their text; with `rerank`, all except duplicates of a few texts. */
const rerankHead = 20;
const maxReranked = 400;
/** Number of best full-text matches that determine the coverage of the question's words. */
const coverageHits = 3;
/** Maximum characters of a query: more text adds cost and no meaning. The embedder reads only the beginning anyway. */
const maxQueryLength = 4_000;

/** Minimum share of a question's words for a passage to count as relevant. */
const minCoverage = 0.5;

export interface SearchFilter {
  file_ids?: number[] | undefined;
  files?: string[] | undefined;
  metadata?: Metadata | undefined;
}

export interface SearchQuery {
  text: string;
  limit: number;
  mode?: 'hybrid' | 'vectors' | 'text' | undefined;
  filter?: SearchFilter | undefined;
  rerank?: boolean | undefined;
  /** Return only passages relevant enough for an answer. */
  about?: boolean | undefined;
}

export interface SearchResult {
  passages: (Citation & { context: string; header: string | null })[];
  /** Highest similarity, regardless of its rank. */
  best: number | null;
  threshold: number | null;
  /** Whether any passage is relevant to the question. */
  relevant: boolean;
}

export class Search {
  readonly #store: Store;
  readonly #vectors: Vectors;
  readonly #modelClient: ModelClient;

  constructor(store: Store, vectors: Vectors, modelClient: ModelClient) {
    this.#store = store;
    this.#vectors = vectors;
    this.#modelClient = modelClient;
  }

  async search(index: OwnIndex, query: SearchQuery, callContext: CallContext): Promise<SearchResult> {
    const { threshold = null } = parsed(index);
    const text = query.text.slice(0, maxQueryLength).toWellFormed();
    const vector = query.mode === 'text' ? null : this.#vectorOf(index, text, callContext);
    // The awaiter sees the rejection; this only silences unhandledRejection.
    vector?.catch(() => {});
    const { close, worded, count } = await this.#candidates(index, query, text, vector);
    // With reranking all candidates are read first, otherwise only the requested passages. Most of them are at the head
    // of one of the lists.
    const anew = query.rerank ? Math.min(count, maxReranked) : close.length > 0 && worded.length > 0 ? rerankHead : 0;
    const head = Math.max(anew, query.limit, coverageHits);
    const heads = new Map([...close.slice(0, head), ...worded.slice(0, head)].map((hit) => [passageKey(hit), hit]));
    for (const hit of worded) if (heads.has(passageKey(hit))) heads.set(passageKey(hit), hit);
    const read = await this.#passages(index.id, text, [...heads.values()]);
    const bestWorded = worded.slice(0, coverageHits).flatMap((hit) => read.get(passageKey(hit)) ?? []);
    const held = Math.max(0, ...bestWorded.map((passage) => termCoverage(text, passage)));
    const order = fused(close, worded, held);
    const folded = foldedByText(order);
    const selected = firstOf(folded, Math.max(anew, query.limit), close[0]);
    const unread = selected.filter((hit) => !read.has(passageKey(hit)));
    for (const [place, passage] of await this.#passages(index.id, text, unread)) read.set(place, passage);
    // Skips passages that were removed meanwhile.
    const found = selected.flatMap((hit) => {
      const passage = read.get(passageKey(hit));
      return passage ? [{ passage, fused: hit.fused }] : [];
    });
    const ordered = [...reranked(text, found.slice(0, anew)), ...found.slice(anew)];
    const passages = ordered
      .map(({ passage }) => passage)
      .filter((passage) => !query.about || isAbout(text, passage, threshold))
      .slice(0, query.limit);
    const best = vector && order.length > 0 ? Math.max(...order.map(({ similarity }) => similarity ?? -1)) : null;
    const near = best !== null && (threshold === null || best >= threshold);
    // A code or name unknown to the embedder counts as found if the passage has every word of the question.
    const relevant =
      passages.length > 0 &&
      (near || passages.some((passage) => termCoverage(text, passage) >= (vector ? 1 : minCoverage)));
    return { passages, best: best === null ? null : rounded(best), threshold, relevant };
  }

  /** Results of both searches in the current table of the index. */
  async #candidates(index: OwnIndex, query: SearchQuery, text: string, vector: Promise<Float32Array> | null) {
    const find = async (table: string) => await this.#bothLists({ ...index, vectors: table }, query, text, vector);
    const first = await find(index.vectors).then(
      (found) => ({ found, whole: found.close.length > 0 || found.worded.length > 0 }),
      (error: unknown) => ({ error, whole: false }),
    );
    let table = index.vectors;
    if (!first.whole) {
      // The removal of a file may move the remaining passages to another table.
      const row = await this.#store.db
        .selectFrom('indexes')
        .select('vectors')
        .where('id', '=', index.id)
        .executeTakeFirst();
      table = row?.vectors ?? table;
    }
    const last =
      table === index.vectors
        ? first
        : await find(table).then(
            (found) => ({ found }),
            (error: unknown) => ({ error }),
          );
    const damaged = (reason: string, cause?: unknown) =>
      damagedData({ what: 'document index', name: String(index.id) }, reason, cause);
    if ('error' in last)
      throw last.error instanceof VectorsDamaged ? damaged('its vectors cannot be read', last.error) : last.error;
    if (!first.whole && (await this.#isGone(index.id, table))) throw damaged('its vectors are missing');
    return last.found;
  }

  /** Whether the table is missing although the index has passages; without passages it has no table. */
  async #isGone(id: number, table: string): Promise<boolean> {
    if (await this.#vectors.isThere(table)) return false;
    const file = await this.#store.db
      .selectFrom('index_files')
      .select('id')
      .where('index_id', '=', id)
      .where('state', '=', 'done')
      .where('passages', '>', 0)
      .limit(1)
      .executeTakeFirst();
    return file !== undefined;
  }

  /** Candidates of both lists. Their number doubles until enough distinct texts are found, since duplicates hide others. */
  async #bothLists(index: OwnIndex, query: SearchQuery, text: string, vector: Promise<Float32Array> | null) {
    const { files, approximate } = await this.#searched(index, query.filter);
    for (let count = Math.max(initialCandidates, query.limit * 2); ; count *= 2) {
      const [close, matching] = await Promise.all([
        vector ? vector.then((near) => this.#vectors.nearest(index.vectors, near, count, files, approximate)) : [],
        query.mode === 'vectors' ? [] : this.#vectors.matching(index.vectors, text, count, files),
      ]);
      const worded = vector ? await this.#withSimilarity(index.vectors, await vector, matching, close) : matching;
      const texts = new Set([...close, ...worded].map(({ hash }) => hash)).size;
      const more = close.length === count || worded.length === count;
      if (texts >= query.limit || !more || count >= maxCandidates) return { close, worded, count };
    }
  }

  /** Full-text results with similarities, taken from the vector search or computed here. */
  async #withSimilarity(table: string, vector: Float32Array, worded: Hit[], close: Hit[]): Promise<Hit[]> {
    const known = new Map(close.map((hit) => [passageKey(hit), hit.similarity]));
    const unknown = worded.filter((hit) => !known.has(passageKey(hit)));
    for (const hit of await this.#vectors.compared(table, vector, unknown)) known.set(passageKey(hit), hit.similarity);
    return worded.map((hit) => ({ ...hit, similarity: known.get(passageKey(hit)) ?? null }));
  }

  /** Files to search, and the graph index if the search covers enough passages. */
  async #searched(index: OwnIndex, filter: SearchFilter | undefined) {
    const { files, passages } = await this.#files(index.id, filter);
    const { approximate } = parsed(index);
    return { files, approximate: passages <= maxExactPassages ? undefined : approximate };
  }

  async #vectorOf({ embedder }: OwnIndex, text: string, callContext: CallContext): Promise<Float32Array> {
    const [vector] = float32Rows(await this.#modelClient.embed(embedder, { texts: [text] }, callContext));
    return vector!;
  }

  /**
   * Finished files that match the filter, and their number of passages. Without a filter the few files to exclude are listed
   * instead.
   */
  async #files(indexId: number, filter: SearchFilter | undefined): Promise<{ files: FileFilter; passages: number }> {
    const { file_ids, files: names, metadata } = filter ?? {};
    const chosen = file_ids ?? names ?? metadata;
    let query = this.#store.db
      .selectFrom('index_files')
      .select(['id', 'name', 'metadata', 'passages'])
      .where('index_id', '=', indexId)
      .orderBy('id');
    if (!chosen) {
      const hidden = await query
        .where('state', '<>', 'done')
        .where((eb) => eb.or([eb('passages', '>', 0), eb('state', '=', 'reading')]))
        .execute();
      return { files: { not: hidden.map(({ id }) => id) }, passages: Number.POSITIVE_INFINITY };
    }
    query = query.where('state', '=', 'done');
    if (file_ids) query = query.where('id', 'in', file_ids.length > 0 ? file_ids : [0]);
    const only = (await query.execute())
      .filter(({ name }) => !names || names.some((pattern) => matchesWildcard(pattern, name)))
      .filter((file) => !metadata || holds(JSON.parse(file.metadata) as Metadata, metadata));
    return {
      files: { only: only.map(({ id }) => id) },
      passages: only.reduce((sum, { passages }) => sum + passages, 0),
    };
  }

  async #passages(
    indexId: number,
    question: string,
    hits: Hit[],
  ): Promise<Map<string, SearchResult['passages'][number]>> {
    const found = new Map<string, SearchResult['passages'][number]>();
    if (hits.length === 0) return found;
    const [passages, files] = await Promise.all([
      passagesAt(this.#store, indexId, hits),
      this.#store.db
        .selectFrom('index_files')
        .selectAll()
        .where('id', 'in', [...new Set(hits.map(({ file }) => file))])
        .where('state', '=', 'done')
        .execute(),
    ]);
    const fileOf = new Map(files.map((file) => [file.id, file]));
    for (const hit of hits) {
      const place = passageKey(hit);
      const passage = passages.get(place);
      const file = fileOf.get(hit.file);
      if (passage && file) found.set(place, toPassage(passage, file, hit, question));
    }
    return found;
  }
}

function toPassage(
  passage: StoredPassage,
  file: OwnFile,
  hit: Hit,
  question: string,
): SearchResult['passages'][number] {
  const passageText = { context: passage.context, header: passage.header ?? null, text: passage.text };
  return {
    file: file.name,
    file_id: file.id,
    ...withPlace(passage, file, hit.number),
    ...passageText,
    score: rounded(hit.similarity ?? termCoverage(question, passageText)),
    metadata: JSON.parse(file.metadata) as Metadata,
  };
}

/** Reads a passage with its text and its place in the file. */
export function withPlace(passage: StoredPassage, file: OwnFile, number: number) {
  return {
    ...(passage.part !== undefined && { part: passage.part }),
    page: passage.page ?? null,
    last_page: passage.lastPage ?? null,
    line: passage.line ?? null,
    title: passage.title ?? file.title,
    headings: passage.headings,
    heading: passage.headings.at(-1) ?? null,
    passage: number,
    start: passage.start,
    end: passage.end,
    text: passage.text,
    ...(passage.boxes && { boxes: passage.boxes }),
  };
}

const parsed = ({ measured }: OwnIndex) => JSON.parse(measured) as Measurements;
const rounded = (similarity: number) => Math.round(similarity * 10_000) / 10_000;

function foldedByText(hits: Fused[]): Fused[] {
  const seen = new Set<string>();
  return hits.filter(({ hash }) => !seen.has(hash) && seen.add(hash));
}

/** The first candidates, and the nearest one, which full-text matches may have pushed back. */
function firstOf(order: Fused[], count: number, nearest: Hit | undefined): Fused[] {
  return order.filter((hit, rank) => rank < count || hit.hash === nearest?.hash);
}

/** Relevant passages: similar enough, or with half of the question's words. Others would mislead the model. */
export const isAbout = (
  question: string,
  passage: PassageText & { score: number },
  threshold: number | null,
): boolean => threshold === null || passage.score >= threshold / 2 || termCoverage(question, passage) >= minCoverage;

interface PassageText {
  context: string;
  header: string | null;
  text: string;
}

/** Share of the question's words in a passage. */
function termCoverage(question: string, passage: PassageText): number {
  const terms = new Set(contentWords(question).map(stem));
  if (terms.size === 0) return 0;
  const there = new Set(contentWords(embeddedText({ ...passage, header: passage.header ?? undefined })).map(stem));
  return [...terms].filter((word) => there.has(word)).length / terms.size;
}

const holds = (metadata: Metadata, filter: Metadata) =>
  Object.entries(filter).every(([name, value]) => Object.hasOwn(metadata, name) && metadata[name] === value);

/** Whether a name matches a pattern with * as wildcard, in one pass from left to right without backtracking. */
export function matchesWildcard(pattern: string, name: string): boolean {
  const [first = '', ...between] = pattern.split(/\*+/);
  const last = between.pop();
  if (last === undefined) return name === first;
  const end = name.length - last.length;
  if (end < first.length || !name.startsWith(first) || !name.endsWith(last)) return false;
  let at = first.length;
  for (const part of between) {
    const found = name.indexOf(part, at);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}
