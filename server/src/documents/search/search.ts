// Finds the passages of an index that a question is about: by meaning and by words, both fused, the same text once. The same question has
// the same answer as long as the index does not change. The account was checked before: an index is only ever searched as its owner's.
import type { Citation, Metadata } from '@lorekeep/contract';
import type { Asker, Asking } from '../../completions/asking.ts';
import { float32Rows } from '../../completions/vectors.ts';
import type { Store } from '../../store/database.ts';
import type { OwnFile } from '../files.ts';
import type { OwnIndex } from '../indexes.ts';
import type { Measurements } from '../indexing/ledger.ts';
import { embeddedText, type Passage } from '../passages/passage.ts';
import type { Files, Hit, Vectors } from '../vectors/vectors.ts';
import { placeOf } from '../vectors/vectors.ts';
import { type Fused, fused } from './fuse.ts';
import { reranked } from './rerank.ts';
import { contentWords, stem } from './words.ts';

/** Of each of both lists. */
const candidates = 50;
/** So many of what both searches found are read and ordered by what they say; of all with `rerank`. */
const readOfBoth = 20;
/** Of these one shows how much of the question's words there is at all. */
const bestByWords = 3;
/** More says no more, and costs. The embedder reads the beginning alone anyway. */
const longestQuery = 4_000;

/** The part of a question's words from which on a passage may be about it. */
const halfSaid = 0.5;

export interface Filter {
  file_ids?: number[] | undefined;
  files?: string[] | undefined;
  metadata?: Metadata | undefined;
}

export interface Query {
  text: string;
  limit: number;
  mode?: 'hybrid' | 'vectors' | 'text' | undefined;
  filter?: Filter | undefined;
  rerank?: boolean | undefined;
}

export interface Found {
  passages: (Citation & { context: string; header: string | null })[];
  /** Similarity of the best, whichever place it has. */
  best: number | null;
  threshold: number | null;
  /** Whether there is anything that the question is about. */
  relevant: boolean;
}

/** What an answer may be made from: near enough, or with half of the question's words. Others only lead a model astray. */
export function aboutIt<Candidate extends Found['passages'][number]>(
  question: string,
  { passages, threshold }: { passages: Candidate[]; threshold: number | null },
): Candidate[] {
  return passages.filter(
    (passage) => threshold === null || passage.score >= threshold / 2 || shareSaid(question, passage) >= halfSaid,
  );
}

type StoredPassage = Passage & { part?: string };

export class Search {
  readonly #store: Store;
  readonly #vectors: Vectors;
  readonly #asking: Asking;

  constructor(store: Store, vectors: Vectors, asking: Asking) {
    this.#store = store;
    this.#vectors = vectors;
    this.#asking = asking;
  }

  async search(index: OwnIndex, query: Query, asker: Asker): Promise<Found> {
    const { threshold = null, approximate } = parsed(index);
    const files = await this.#files(index.id, query.filter);
    const text = query.text.slice(0, longestQuery).toWellFormed();
    const vector = query.mode === 'text' ? null : await this.#vectorOf(index, text, asker);
    const most = Math.max(candidates, query.limit * 2);
    const [close, worded] = await Promise.all([
      vector ? this.#vectors.nearest(index.vectors, vector, most, files, approximate) : [],
      query.mode === 'vectors' ? [] : this.#vectors.matching(index.vectors, text, vector, most, files),
    ]);
    const read = await this.#passages(index.id, text, worded.slice(0, bestByWords));
    const held = Math.max(0, ...[...read.values()].map((passage) => shareSaid(text, passage)));
    const order = fused(close, worded, held);
    const folded = foldedByText(order);
    // What is ordered anew has to be read first; else only what is asked for.
    const anew = query.rerank ? most : close.length > 0 && worded.length > 0 ? readOfBoth : 0;
    const wanted = folded.slice(0, Math.max(anew, query.limit));
    const unread = wanted.filter((hit) => !read.has(placeOf(hit)));
    for (const [place, passage] of await this.#passages(index.id, text, unread)) read.set(place, passage);
    // What was removed since it was found is left out.
    const found = wanted.flatMap((hit) => {
      const passage = read.get(placeOf(hit));
      return passage ? [{ passage, fused: hit.fused }] : [];
    });
    const ordered = [...reranked(text, found.slice(0, anew)), ...found.slice(anew)];
    const passages = ordered.slice(0, query.limit).map(({ passage }) => passage);
    const best = vector && order.length > 0 ? Math.max(...order.map(({ similarity }) => similarity ?? -1)) : null;
    const near = best !== null && (threshold === null || best >= threshold);
    // A code or a name that the embedder does not know counts as found where every word of the question stands in the passage.
    const relevant = near || passages.some((passage) => shareSaid(text, passage) >= (vector ? 1 : halfSaid));
    return { passages, best: best === null ? null : rounded(best), threshold, relevant };
  }

  async #vectorOf({ embedder }: OwnIndex, text: string, asker: Asker): Promise<Float32Array> {
    const [vector] = float32Rows(await this.#asking.embed(embedder, { texts: [text] }, asker));
    return vector!;
  }

  /** Files that are through and fit the filter. Only what is not to be searched is named where there is no filter: those are few. */
  async #files(indexId: number, filter: Filter | undefined): Promise<Files> {
    const { file_ids, files: names, metadata } = filter ?? {};
    const chosen = file_ids ?? names ?? metadata;
    let query = this.#store.db
      .selectFrom('index_files')
      .select(['id', 'name', 'metadata'])
      .where('index_id', '=', indexId)
      .orderBy('id');
    if (!chosen) {
      const hidden = await query
        .where('state', '<>', 'done')
        .where((eb) => eb.or([eb('passages', '>', 0), eb('state', '=', 'reading')]))
        .execute();
      return { not: hidden.map(({ id }) => id) };
    }
    query = query.where('state', '=', 'done');
    if (file_ids) query = query.where('id', 'in', file_ids.length > 0 ? file_ids : [0]);
    const only = (await query.execute())
      .filter(({ name }) => !names || names.some((pattern) => fits(pattern, name)))
      .filter((file) => !metadata || holds(JSON.parse(file.metadata) as Metadata, metadata));
    return { only: only.map(({ id }) => id) };
  }

  async #passages(indexId: number, question: string, hits: Hit[]): Promise<Map<string, Found['passages'][number]>> {
    const found = new Map<string, Found['passages'][number]>();
    if (hits.length === 0) return found;
    const rows = await this.#store.db
      .selectFrom('index_passages')
      .selectAll()
      .where('index_id', '=', indexId)
      .where((eb) =>
        eb.or(hits.map(({ file, number }) => eb.and([eb('file_id', '=', file), eb('number', '=', number)]))),
      )
      .execute();
    const files = await this.#store.db
      .selectFrom('index_files')
      .selectAll()
      .where('id', 'in', [...new Set(hits.map(({ file }) => file))])
      .where('state', '=', 'done')
      .execute();
    const passageAt = new Map(rows.map((row) => [placeOf({ file: row.file_id, number: row.number }), row.passage]));
    const fileOf = new Map(files.map((file) => [file.id, file]));
    for (const hit of hits) {
      const place = placeOf(hit);
      const passage = passageAt.get(place);
      const file = fileOf.get(hit.file);
      if (passage && file) found.set(place, shown(JSON.parse(passage) as StoredPassage, file, hit, question));
    }
    return found;
  }
}

function shown(passage: StoredPassage, file: OwnFile, hit: Hit, question: string): Found['passages'][number] {
  const said = { context: passage.context, header: passage.header ?? null, text: passage.text };
  return {
    file: file.name,
    file_id: file.id,
    ...(passage.part !== undefined && { part: passage.part }),
    page: passage.page ?? null,
    last_page: passage.lastPage ?? null,
    line: passage.line ?? null,
    title: passage.title ?? file.title,
    headings: passage.headings,
    heading: passage.headings.at(-1) ?? null,
    passage: hit.number,
    ...said,
    ...(passage.boxes && { boxes: passage.boxes }),
    score: rounded(hit.similarity ?? shareSaid(question, said)),
    metadata: JSON.parse(file.metadata) as Metadata,
  };
}

const parsed = ({ measured }: OwnIndex) => JSON.parse(measured) as Measurements;
const rounded = (similarity: number) => Math.round(similarity * 10_000) / 10_000;

function foldedByText(hits: Fused[]): Fused[] {
  const seen = new Set<string>();
  return hits.filter(({ hash }) => !seen.has(hash) && seen.add(hash));
}

interface Said {
  context: string;
  header: string | null;
  text: string;
}

/** Share of the question's words that a passage holds. */
function shareSaid(question: string, passage: Said): number {
  const wanted = new Set(contentWords(question).map(stem));
  if (wanted.size === 0) return 0;
  const there = new Set(contentWords(embeddedText({ ...passage, header: passage.header ?? undefined })).map(stem));
  return [...wanted].filter((word) => there.has(word)).length / wanted.size;
}

const holds = (metadata: Metadata, wanted: Metadata) =>
  Object.entries(wanted).every(([name, value]) => Object.hasOwn(metadata, name) && metadata[name] === value);

/** Whether a name is as a pattern says, in which * stands for anything. What stands between is looked for from left to right: never more than one pass. */
export function fits(pattern: string, name: string): boolean {
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
