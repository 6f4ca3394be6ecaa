// Port for vector and full-text search, with one adapter (lance.ts, LanceDB).

/** Identity of a passage: its file and its number in the file. */
export interface PassageId {
  file: number;
  number: number;
}

export const passageKey = ({ file, number }: PassageId) => `${file}:${number}`;

/** A passage as stored for the search. */
export interface VectorRow extends PassageId {
  /** Hash of the text: equal for passages with the same text. */
  hash: string;
  text: string;
  vector: Float32Array;
}

export interface Hit extends PassageId {
  hash: string;
  /** Cosine similarity to the query; null for full-text search alone. */
  similarity: number | null;
  /** Full-text score, higher is better; null for vector search alone. Comparable within one search only. */
  words: number | null;
  /** Current row id in the table. */
  row: bigint;
}

/** Restricts the search to these files, or excludes them. */
export type FileFilter = { only: number[] } | { not: number[] };

/** Settings and measured recall of the graph index. Without it the search is exact. */
export interface GraphIndexSettings {
  passages: number;
  recall: number;
  /** Search breadth, and the refinement factor: the multiple of the limit that is re-ranked exactly. */
  ef: number;
  refine: number;
}

/** The files of a table are damaged or gone. */
export class VectorsDamaged extends Error {}

/** Tables of passages. The creator chooses the name, which is never reused. A table has one writer at a time. */
export interface Vectors {
  /** Adds rows; the first call creates the table. */
  add(table: string, rows: VectorRow[]): Promise<void>;
  /** Removes the passages of these files from the given number on. */
  removeFrom(table: string, places: { file: number; from: number }[]): Promise<void>;
  vectorsOf(table: string, places: PassageId[]): Promise<Map<string, Float32Array>>;
  nearest(
    table: string,
    vector: Float32Array,
    limit: number,
    files: FileFilter,
    measured?: GraphIndexSettings,
  ): Promise<Hit[]>;
  /** Full-text search, best passages first. */
  matching(table: string, text: string, limit: number, files: FileFilter): Promise<Hit[]>;
  /** Adds similarities to hits of a recent full-text search. Passages removed since have none. */
  compared(table: string, vector: Float32Array, hits: Hit[]): Promise<Hit[]>;
  count(table: string): Promise<number>;
  /** Optimizes the indexes after rows were added or removed. Returns undefined if the search is exact. */
  settle(table: string): Promise<GraphIndexSettings | undefined>;
  /** Optimizes after a removal. If removed rows would stay on disk, copies the rest to `fresh`. Returns the name of the table in use. */
  purge(table: string, fresh: string): Promise<string>;
  /** Whether the table exists; without rows there may be none. */
  isThere(table: string): Promise<boolean>;
  drop(table: string): Promise<void>;
  tables(): Promise<string[]>;
}
