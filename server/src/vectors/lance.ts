// Adapter for vectors and full text in LanceDB, one folder per table, on disk or in object storage. Up to some 200,000 passages the
// search is exact, since approximate search with default settings has too little recall. Above, a graph index (HNSW) is built, and its
// search breadth is raised until the recall suffices.
import type { Connection, Query, Table } from '@lancedb/lancedb';
import { folderOfTables, type TablePlace } from './place.ts';
import type { FileFilter, GraphIndexSettings, Hit, VectorRow, Vectors } from './vectors.ts';
import { passageKey, VectorsDamaged } from './vectors.ts';

export interface LanceOptions {
  /** Number of passages above which a graph index is used. */
  exactUpTo: number;
}

const defaults: LanceOptions = { exactUpTo: 200_000 };
/** Required recall of the graph, measured on as many neighbours as a search asks for. */
const minRecall = 0.98;
const maxProbes = 100;
const topK = 50;
/** Maximum number of results with equal scores that are compared, so that ties are broken deterministically. */
const maxTies = 4096;
const graphs = [
  { ef: 100, refine: 5 },
  { ef: 300, refine: 10 },
  { ef: 1000, refine: 20 },
];
/** Loaded on demand: it takes 30 MB of memory, and only servers with documents need it. */
const lance = async () => await import('@lancedb/lancedb');
const tableSuffix = '.lance';
const maxIdsPerQuery = 1000;
const maxPlacesPerQuery = 500;
const nothing: FileFilter = { not: [] };

export class LanceVectors implements Vectors {
  readonly #place: TablePlace;
  readonly #options: LanceOptions;
  readonly #open = new Map<string, Promise<Table | undefined>>();
  /** Tables that have a full-text index. */
  readonly #worded = new Set<string>();
  #connection: Promise<Connection> | undefined;
  /** The options of the open connection, serialised for comparison. */
  #connectedWith = '';

  /** Takes a place, or the path of a folder. */
  constructor(place: TablePlace | string, options: Partial<LanceOptions> = {}) {
    this.#place = typeof place === 'string' ? folderOfTables(place) : place;
    this.#options = { ...defaults, ...options };
  }

  async add(name: string, rows: VectorRow[]): Promise<void> {
    if (rows.length === 0) return;
    const data = rows as unknown as Record<string, unknown>[];
    const table = await this.#table(name);
    if (table) {
      await table.add(data);
      return;
    }
    const created = (await this.#database()).createTable(name, data);
    this.#open.set(name, created);
    await created.catch((error) => {
      this.#open.delete(name);
      throw error;
    });
  }

  async removeFrom(name: string, places: { file: number; from: number }[]): Promise<void> {
    const table = await this.#table(name);
    if (!table) return;
    const whole = places.filter(({ from }) => from === 0).map(({ file }) => file);
    for (let at = 0; at < whole.length; at += maxIdsPerQuery)
      await table.delete(`file in (${whole.slice(at, at + maxIdsPerQuery).join(', ')})`);
    for (const { file, from } of places) if (from > 0) await table.delete(`file = ${file} and number >= ${from}`);
  }

  async vectorsOf(name: string, places: { file: number; number: number }[]): Promise<Map<string, Float32Array>> {
    const found = new Map<string, Float32Array>();
    const table = await this.#table(name);
    if (!table || places.length === 0) return found;
    for (let at = 0; at < places.length; at += maxPlacesPerQuery) {
      const some = places.slice(at, at + maxPlacesPerQuery);
      const where = some.map(({ file, number }) => `(file = ${file} and number = ${number})`).join(' or ');
      for (const row of await table.query().where(where).select(['file', 'number', 'vector']).toArray())
        found.set(passageKey(row), Float32Array.from(row.vector));
    }
    return found;
  }

  async nearest(
    name: string,
    vector: Float32Array,
    limit: number,
    files: FileFilter = nothing,
    measured?: GraphIndexSettings,
  ): Promise<Hit[]> {
    const table = await this.#within(this.#table(name));
    if (!table) return [];
    const found = await this.#reading(
      async () =>
        await bestOf(limit, '_distance', -1, (columns, count) => {
          const query = filtered(table.query().nearestTo(vector).column('vector').distanceType('cosine'), files);
          const walked = measured
            ? query.ef(Math.max(measured.ef, count * measured.refine)).refineFactor(measured.refine)
            : query.bypassVectorIndex();
          return walked.select(columns).withRowId().limit(count).toArrow();
        }),
    );
    return found.map(({ score, ...hit }) => ({ ...hit, similarity: 1 + score, words: null }));
  }

  async matching(name: string, text: string, limit: number, files: FileFilter = nothing): Promise<Hit[]> {
    const table = await this.#within(this.#table(name));
    if (!table || !(await this.#reading(async () => await this.#hasWords(name, table)))) return [];
    const found = await this.#reading(
      async () =>
        await bestOf(limit, '_score', 1, (columns, count) =>
          filtered(table.query().nearestToText(text, ['text']), files)
            .select(columns)
            .withRowId()
            .limit(count)
            .toArrow(),
        ),
    );
    return found.map(({ score, ...hit }) => ({ ...hit, similarity: null, words: score }));
  }

  async compared(name: string, vector: Float32Array, hits: Hit[]): Promise<Hit[]> {
    const table = await this.#within(this.#table(name));
    if (!table || hits.length === 0) return hits;
    const rows = hits.map(({ row }) => row);
    const taken = await this.#within(
      table
        .takeRowIds(rows)
        .select(['file', 'number', 'vector'])
        .toArray()
        .catch(() => []),
    );
    const vectors = new Map(taken.map((row) => [passageKey(row), row.vector.toArray() as Float32Array]));
    // If the table was optimized since, row ids have changed.
    const elsewhere = hits.filter((hit) => !vectors.has(passageKey(hit)));
    const found = await this.#reading(async () => await this.vectorsOf(name, elsewhere));
    for (const [place, its] of found) vectors.set(place, its);
    return hits.map((hit) => {
      const its = vectors.get(passageKey(hit));
      return its ? { ...hit, similarity: cosine(vector, its) } : hit;
    });
  }

  async count(name: string): Promise<number> {
    return (await (await this.#table(name))?.countRows()) ?? 0;
  }

  /** Number of readable rows. The stored count alone does not prove that the rows can be read. */
  async readable(name: string): Promise<number> {
    const table = await this.#table(name);
    let rows = 0;
    if (table) for await (const batch of table.query()) rows += batch.numRows;
    return rows;
  }

  async settle(name: string): Promise<GraphIndexSettings | undefined> {
    const table = await this.#table(name);
    if (!table) return undefined;
    const rows = await this.#order(table);
    return rows > this.#options.exactUpTo ? await this.#measured(name, table, rows) : undefined;
  }

  /** Returns the number of rows. */
  async #order(table: Table): Promise<number> {
    const rows = await table.countRows();
    const indexes = await table.listIndices();
    const has = (column: string) => indexes.some((index) => index.columns.includes(column));
    if (rows > 0 && !has('text')) await table.createIndex('text', { config: await words() });
    if (rows > this.#options.exactUpTo && !has('vector')) {
      const { Index } = await lance();
      await table.createIndex('vector', {
        config: Index.hnswSq({ distanceType: 'cosine', m: 20, efConstruction: 300 }),
      });
    }
    await optimize(table);
    return rows;
  }

  async purge(name: string, fresh: string): Promise<string> {
    const table = await this.#table(name);
    if (table) await optimize(table);
    // Lance rewrites a data file only when a large part of its rows was deleted. Until then it keeps a list of deleted rows.
    if (!table || !(await this.#place.hasFiles(`${name}${tableSuffix}/_deletions`))) return name;
    for await (const batch of table.query().select(['file', 'number', 'hash', 'text', 'vector'])) {
      const rows = batch.toArray() as unknown as VectorRow[];
      await this.add(
        fresh,
        rows.map(({ file, number, hash, text, vector }) => ({
          ...{ file, number, hash, text },
          vector: Float32Array.from(vector),
        })),
      );
    }
    const copy = await this.#table(fresh);
    if (copy) await this.#order(copy);
    return fresh;
  }

  /** Raises the breadth of the graph search until its recall against the exact search suffices. */
  async #measured(name: string, table: Table, passages: number): Promise<GraphIndexSettings | undefined> {
    const step = Math.max(1, Math.floor(passages / maxProbes));
    const rows: { place: string; vector: Float32Array }[] = [];
    for (let at = 0; at < passages && rows.length < maxProbes; at += step)
      for (const row of await table.query().select(['file', 'number', 'vector']).offset(at).limit(1).toArray())
        rows.push({ place: passageKey(row), vector: Float32Array.from(row.vector) });
    // The vector itself is always found, so it does not count.
    const others = async ({ place, vector }: (typeof rows)[number], measured?: GraphIndexSettings) =>
      (await this.nearest(name, vector, topK + 1, nothing, measured)).map(passageKey).filter((one) => one !== place);
    const exact = await Promise.all(rows.map((row) => others(row)));
    for (const graph of graphs) {
      let found = 0;
      for (const [at, row] of rows.entries()) {
        const near = new Set(await others(row, { passages, recall: 0, ...graph }));
        found += exact[at]!.filter((place) => near.has(place)).length;
      }
      const recall = found / exact.reduce((sum, hits) => sum + hits.length, 0);
      if (recall >= minRecall) return { passages, recall, ...graph };
    }
    // A graph with too little recall is not used.
    return undefined;
  }

  async isThere(name: string): Promise<boolean> {
    return (await this.#within(this.#table(name))) !== undefined;
  }

  async drop(name: string): Promise<void> {
    this.#open.delete(name);
    this.#worded.delete(name);
    await this.#place.remove(`${name}${tableSuffix}`);
  }

  async tables(): Promise<string[]> {
    return (await this.#place.folders())
      .filter((name) => name.endsWith(tableSuffix))
      .map((name) => name.slice(0, -tableSuffix.length));
  }

  /** Whether the table has a full-text index. A positive answer is cached, since a table never loses its index. */
  async #hasWords(name: string, table: Table): Promise<boolean> {
    if (this.#worded.has(name)) return true;
    const has = (await table.listIndices()).some((index) => index.columns.includes('text'));
    if (has) this.#worded.add(name);
    return has;
  }

  /**
   * Retries a read if an optimizing writer removed the old files meanwhile; the retry sees the new ones.
   */
  async #reading<Result>(read: () => Promise<Result>): Promise<Result> {
    return await this.#within(read().catch(async () => await read().catch((error) => this.#failed(error))));
  }

  /** Applies a timeout to a search on a place that does not answer. */
  async #within<Result>(work: Promise<Result>): Promise<Result> {
    const { patience } = this.#place;
    if (patience === undefined) return await work;
    const { promise, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(this.#place.failure(new Error('the search timed out'))), patience);
    return await Promise.race([work, promise]).finally(() => clearTimeout(timer));
  }

  #database(): Promise<Connection> {
    // Other servers write to the same tables; their changes are seen within a second.
    this.#connection ??= lance().then(({ connect }) =>
      connect(this.#place.uri, { readConsistencyInterval: 1, storageOptions: this.#place.options() }),
    );
    return this.#connection;
  }

  /** Reconnects if the credentials of the storage were rotated. */
  #reconnect(): void {
    const options = JSON.stringify(this.#place.options());
    if (options === this.#connectedWith) return;
    this.#connectedWith = options;
    this.#connection = undefined;
    this.#open.clear();
  }

  #table(name: string): Promise<Table | undefined> {
    this.#reconnect();
    let opened = this.#open.get(name);
    if (!opened) {
      opened = this.#database()
        .then((database) => database.openTable(name))
        .catch((error: Error) => {
          this.#open.delete(name);
          if (/not found/i.test(error.message) && !this.#place.failure(error)) return undefined;
          return this.#failed(error);
        });
      this.#open.set(name, opened);
    }
    return opened;
  }

  /** Treats unreadable files as damaged, since only Lance writes them, unless the place is unreachable. */
  #failed(error: unknown): never {
    throw this.#place.failure(error as Error) ?? new VectorsDamaged('the vectors cannot be read', { cause: error });
  }
}

/** A time slightly in the future, so that files written in this millisecond count as old too. */
const optimize = async (table: Table) =>
  await table.optimize({ cleanupOlderThan: new Date(Date.now() + 1000), deleteUnverified: false });

type ArrowTable = Awaited<ReturnType<Query['toArrow']>>;
type Scored = Pick<Hit, 'file' | 'number' | 'hash' | 'row'> & { score: number };

/** The best results, ties broken by position, since Lance returns equal scores in random order. */
async function bestOf(
  limit: number,
  by: '_distance' | '_score',
  sign: 1 | -1,
  find: (columns: string[], count: number) => Promise<ArrowTable>,
): Promise<Scored[]> {
  for (let count = limit + 1; ; count = Math.min(count * 8, maxTies)) {
    const found = await find(['file', 'number', 'hash', by], count);
    if (found.numRows === 0) return []; // The result has no columns either.
    const column = (name: string) => found.getChild(name)!;
    const [files, numbers, scores] = ['file', 'number', by].map((name) => column(name).toArray() as Float64Array);
    const score = (at: number) => sign * scores![at]!;
    const order = Array.from({ length: found.numRows }, (_, at) => at).sort(
      (one, other) => score(other) - score(one) || files![one]! - files![other]! || numbers![one]! - numbers![other]!,
    );
    const cut = order.length === count && score(order[limit - 1]!) === score(order.at(-1)!);
    if (!cut || count >= maxTies)
      return order.slice(0, limit).map((at) => ({
        ...{ file: files![at]!, number: numbers![at]!, hash: column('hash').get(at), row: column('_rowid').get(at) },
        score: score(at),
      }));
  }
}

/** Tokenizer of the full-text index: words of any language without accents, English words stemmed. */
const words = async () =>
  (await lance()).Index.fts({
    baseTokenizer: 'icu',
    stem: true,
    language: 'English',
    asciiFolding: true,
    removeStopWords: true,
    withPosition: false,
  });

function filtered<Query extends { where(predicate: string): Query }>(query: Query, files: FileFilter): Query {
  if ('only' in files) return query.where(files.only.length > 0 ? `file in (${files.only.join(', ')})` : 'false');
  return files.not.length > 0 ? query.where(`file not in (${files.not.join(', ')})`) : query;
}

function cosine(one: Float32Array, other: Float32Array): number {
  let dot = 0;
  let ones = 0;
  let others = 0;
  for (let at = 0; at < one.length; at++) {
    dot += one[at]! * other[at]!;
    ones += one[at]! * one[at]!;
    others += other[at]! * other[at]!;
  }
  return dot / (Math.sqrt(ones * others) || 1);
}
