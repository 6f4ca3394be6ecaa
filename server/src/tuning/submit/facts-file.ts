// Converts rows to facts in the engine's format: duplicates are dropped and contradictions found. Facts are streamed to a file in the job's
// folder, so that any number takes little memory.
import { type FileHandle, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { FactSource } from '@lorekeep/contract';
import { syncFolder } from '../../files/durable.ts';
import { answerKey, questionKey } from '../../files/question-key.ts';

export interface Conflict {
  rows: [number, number];
  message: string;
}

/** `dataset_id` is set if it differs from the job's. */
interface FoundFact {
  input: string;
  output: string;
  topic?: unknown;
  dataset_id?: unknown;
}

/** Validated time and source of a fact. Columns of a dataset's row are never used for them unchecked. */
export interface FactDetails {
  valid_from?: string | undefined;
  valid_until?: string | undefined;
  source?: FactSource | undefined;
}

/** Maximum number of faults that are listed. */
export const maxListed = 100;

export class FactsFile {
  /** Number of distinct facts. */
  facts = 0;
  /** Number of duplicate rows. */
  readonly duplicates: number[] = [];
  duplicateCount = 0;
  readonly conflicts: Conflict[] = [];
  conflictCount = 0;
  /** UTF-8 bytes of the longest row. */
  maxLength = 0;
  readonly #known = new Map<string, { row: number; answer: string }>();
  readonly #path: string;
  readonly #file: FileHandle;
  #pending: string[] = [];

  private constructor(path: string, file: FileHandle) {
    this.#path = path;
    this.#file = file;
  }

  static async into(folder: string): Promise<FactsFile> {
    const path = join(folder, 'facts.jsonl');
    return new FactsFile(path, await open(path, 'w', 0o600));
  }

  /** `row` counts from 1. */
  add(row: number, { input, output, topic, dataset_id }: FoundFact, details: FactDetails = {}): void {
    const key = questionKey(input);
    const answer = answerKey(output);
    const other = this.#known.get(key);
    if (other) {
      if (other.answer === answer) {
        this.duplicateCount++;
        if (this.duplicates.length < maxListed) this.duplicates.push(row);
        return;
      }
      this.conflictCount++;
      if (this.conflicts.length < maxListed)
        this.conflicts.push({
          rows: [other.row, row],
          message: `rows ${other.row} and ${row} ask the same (${cut(input)}) and answer differently; row ${row}: ${cut(output)}`,
        });
      return;
    }
    this.#known.set(key, { row, answer });
    this.facts++;
    this.maxLength = Math.max(this.maxLength, Buffer.byteLength(input) + Buffer.byteLength(output));
    this.#pending.push(
      `${JSON.stringify({ input, output, row, ...(typeof topic === 'string' && { topic }), ...(typeof dataset_id === 'string' && { dataset_id }), ...details })}\n`,
    );
  }

  /** True once the buffer is large enough to be written. */
  get isFull(): boolean {
    return this.#pending.length >= 1000;
  }

  async flush(): Promise<void> {
    const bytes = Buffer.from(this.#pending.join(''));
    this.#pending = [];
    for (let at = 0; at < bytes.length; ) at += (await this.#file.write(bytes, at)).bytesWritten;
  }

  /** Flushes and syncs the file; the facts are durable afterwards. */
  async close(): Promise<void> {
    await this.flush();
    await this.#file.sync();
    await this.#file.close();
    await syncFolder(dirname(this.#path));
  }

  async abandon(): Promise<void> {
    await this.#file.close().catch(() => {});
  }
}

const cut = (text: string) => JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
