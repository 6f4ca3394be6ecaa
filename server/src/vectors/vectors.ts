// Port for the search of vectors and their texts, with one adapter now (LanceDB in a folder).

/** A passage is known by its file and its number there. */
export interface Place {
  file: number;
  number: number;
}

export const placeOf = ({ file, number }: Place) => `${file}:${number}`;

/** A stored passage for the search. */
export interface VectorRow extends Place {
  /** The same for passages that say the same. */
  hash: string;
  text: string;
  vector: Float32Array;
}

export interface Hit extends Place {
  hash: string;
  /** Cosine similarity with what was asked for; null where only words were. */
  similarity: number | null;
  /** Score of the words, the more the better; null where only meaning was compared. Comparable only within one search. */
  words: number | null;
  /** Current row in the table. */
  row: bigint;
}

/** Only these files, or all but these. */
export type Files = { only: number[] } | { not: number[] };

/** Settings and recall of the graph that is walked for the nearest. Without them every passage is compared. */
export interface Measured {
  passages: number;
  recall: number;
  /** Breadth of the walk, and the multiple of the limit that is compared exactly. */
  ef: number;
  refine: number;
}

/** The files of a table are damaged or gone. */
export class VectorsDamaged extends Error {}

/** The creator names a table; a name is never used twice. A table has one writer at a time. */
export interface Vectors {
  /** Adds rows; the first ones make the table. */
  add(table: string, rows: VectorRow[]): Promise<void>;
  /** Removes passages of these files from the number on. */
  removeFrom(table: string, places: { file: number; from: number }[]): Promise<void>;
  vectorsOf(table: string, places: Place[]): Promise<Map<string, Float32Array>>;
  nearest(table: string, vector: Float32Array, limit: number, files: Files, measured?: Measured): Promise<Hit[]>;
  /** Passages with words of the text, the best first. */
  matching(table: string, text: string, limit: number, files: Files): Promise<Hit[]>;
  /** Each of these hits of a search a moment ago, with its similarity. What was removed since has none. */
  compared(table: string, vector: Float32Array, hits: Hit[]): Promise<Hit[]>;
  count(table: string): Promise<number>;
  /** Puts words and vectors in order after rows came or went. Undefined where every passage is compared. */
  settle(table: string): Promise<Measured | undefined>;
  /** After a removal: settles, and where removed rows would still lie on the disk, copies those that stay to the new table. Answers which one it is. */
  purge(table: string, fresh: string): Promise<string>;
  /** Whether there is a table of this name: without rows there may be none. */
  isThere(table: string): Promise<boolean>;
  drop(table: string): Promise<void>;
  tables(): Promise<string[]>;
}
