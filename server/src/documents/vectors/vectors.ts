// Where vectors and their texts are searched: a port with one adapter now (LanceDB in a folder).

/** One passage as it is searched. */
export interface VectorRow {
  file: number;
  number: number;
  /** The same for passages that say the same. */
  hash: string;
  text: string;
  vector: Float32Array;
}

export interface Hit {
  file: number;
  number: number;
  hash: string;
  /** Cosine similarity with what was asked for; null where only words were. */
  similarity: number | null;
  /** How well the words fit, the more the better; null where only meaning was compared. Says something beside others of the same search alone. */
  words: number | null;
}

/** Only these files, or all but these. */
export type Files = { only: number[] } | { not: number[] };

/** How the nearest are found: every passage is compared, or a graph is walked of which so much was measured. */
export interface Measured {
  passages: number;
  recall: number;
  /** How far the graph is walked, and how many times as many candidates are compared exactly. */
  ef: number;
  refine: number;
}

/** Tables are named by whoever makes them, and a name is never used twice. Only one writes to a table at a time. */
export interface Vectors {
  /** Adds rows; the first ones make the table. */
  add(table: string, rows: VectorRow[]): Promise<void>;
  /** Removes what stands in these files from the number on. */
  removeFrom(table: string, places: { file: number; from: number }[]): Promise<void>;
  vectorsOf(table: string, places: { file: number; number: number }[]): Promise<Map<string, Float32Array>>;
  nearest(table: string, vector: Float32Array, limit: number, files: Files, measured?: Measured): Promise<Hit[]>;
  /** Passages with words of the text, the best first; compared with the vector, once it is there, where there is one. */
  matching(
    table: string,
    text: string,
    vector: Promise<Float32Array> | null,
    limit: number,
    files: Files,
  ): Promise<Hit[]>;
  count(table: string): Promise<number>;
  /** Puts words and vectors in order after rows came or went. Undefined where every passage is compared. */
  settle(table: string): Promise<Measured | undefined>;
  /** After a removal: settles, and where removed rows would still lie on the disk, copies those that stay to the new table. Answers which one it is. */
  purge(table: string, fresh: string): Promise<string>;
  drop(table: string): Promise<void>;
  tables(): Promise<string[]>;
}

export const placeOf = ({ file, number }: { file: number; number: number }) => `${file}:${number}`;
