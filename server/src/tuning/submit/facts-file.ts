// From rows to facts: each once, no question with two answers, in the form that the engine reads. Written to the job's folder as they come,
// so that any number of them takes little memory.
import { type FileHandle, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { FactSource } from '@lorekeep/contract';
import { syncFolder } from '../../files/durable.ts';
import { answerKey, questionKey } from '../../files/question-key.ts';

export interface Conflict {
  rows: [number, number];
  message: string;
}

/** `dataset_id` where it is not that of the job. */
interface FoundFact {
  input: string;
  output: string;
  topic?: unknown;
  dataset_id?: unknown;
}

/** Time and source of a fact, checked: never those of a dataset's row as they come. */
export interface FactDetails {
  valid_from?: string | undefined;
  valid_until?: string | undefined;
  source?: FactSource | undefined;
}

/** Number of faults that are listed. */
export const maxListed = 100;

export class FactsFile {
  /** Facts, each once. */
  facts = 0;
  /** Rows that repeat another one. */
  readonly duplicates: number[] = [];
  duplicateCount = 0;
  readonly conflicts: Conflict[] = [];
  conflictCount = 0;
  /** Bytes of the longest row in UTF-8. */
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

  /** `row` counts from 1, as people count. */
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

  /** There is enough to be written. */
  get isFull(): boolean {
    return this.#pending.length >= 1000;
  }

  async flush(): Promise<void> {
    const bytes = Buffer.from(this.#pending.join(''));
    this.#pending = [];
    for (let at = 0; at < bytes.length; ) at += (await this.#file.write(bytes, at)).bytesWritten;
  }

  /** Durable from here on. */
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
