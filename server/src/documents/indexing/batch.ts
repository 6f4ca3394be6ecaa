// Batch of passages between reading and storing, gathered across files, so that embedding requests are large and small files share
// writes.
import { createHash } from 'node:crypto';
import { embeddedText, type Passage } from '@lorekeep/reader';
import type { FileChange, NewEvent } from './index-store.ts';

export const passagesAtOnce = 256;

export interface GatheredPassage {
  file: number;
  number: number;
  text: string;
  embedded: string;
  hash: string;
  passage: Passage & { part?: string };
}

export class Batch {
  readonly passages: GatheredPassage[] = [];
  readonly files = new Map<number, FileChange>();
  readonly events: NewEvent[] = [];

  get full(): boolean {
    return this.passages.length >= passagesAtOnce;
  }

  get empty(): boolean {
    return this.passages.length === 0 && this.files.size === 0 && this.events.length === 0;
  }

  add(file: number, passage: Passage & { part?: string }): void {
    const text = embeddedText(passage);
    const embedded = createHash('sha256').update(text).digest('base64url').slice(0, 22);
    this.passages.push({ file, number: passage.number, text, embedded, hash: passage.hash, passage });
    this.change(file, { passages: passage.number + 1 });
  }

  change(id: number, change: Omit<FileChange, 'id'>): void {
    this.files.set(id, { ...this.files.get(id), ...change, id });
  }

  /** Drops unwritten passages of a file that cannot be read to its end. */
  forget(file: number): void {
    for (let at = this.passages.length - 1; at >= 0; at--)
      if (this.passages[at]!.file === file) this.passages.splice(at, 1);
    for (let at = this.events.length - 1; at >= 0; at--)
      if (this.events[at]!.data?.file_id === file) this.events.splice(at, 1);
    this.files.delete(file);
  }
}
