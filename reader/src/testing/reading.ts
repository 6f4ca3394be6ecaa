// Helpers for tests of the reader: writes a file to its own folder and reads its blocks, its text, or its failure.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { after, afterEach } from 'node:test';
import type { Block } from '../block.ts';
import { Unreadable } from '../failures.ts';
import type { Limits } from '../limits.ts';
import { DocumentReader, type ReadEvent } from '../read.ts';

export const checkout = resolve(import.meta.dirname, '../../..');

const cleanups: (() => Promise<void>)[] = [];
after(async () => {
  for (const clean of cleanups.reverse()) await clean();
});

export async function testFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'lorekeep-documents-'));
  cleanups.push(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

export async function testReader(limits: Partial<Limits> = {}): Promise<DocumentReader> {
  const reader = new DocumentReader({ scratch: join(await testFolder(), 'scratch'), limits });
  cleanups.push(() => reader.close());
  return reader;
}

let shared: Promise<DocumentReader> | undefined;
let folder: Promise<string> | undefined;

/** All results for a file. */
export async function readingOf(path: string, name = basename(path), reader?: DocumentReader): Promise<ReadEvent[]> {
  shared ??= testReader();
  const found: ReadEvent[] = [];
  for await (const one of (reader ?? (await shared)).read({ path, name })) found.push(one);
  return found;
}

export async function readingOfBytes(
  bytes: string | Uint8Array,
  name: string,
  reader?: DocumentReader,
): Promise<ReadEvent[]> {
  folder ??= testFolder();
  const path = join(await folder, 'file');
  await writeFile(path, bytes);
  return await readingOf(path, name, reader);
}

/** The reason why a file cannot be read; fails if it can. */
export async function failureOf(
  bytes: string | Uint8Array,
  name: string,
  reader?: DocumentReader,
): Promise<Unreadable> {
  let found: ReadEvent[];
  try {
    found = await readingOfBytes(bytes, name, reader);
  } catch (error) {
    if (error instanceof Unreadable) return error;
    throw error;
  }
  throw new Error(`${name} was read: ${JSON.stringify(found).slice(0, 500)}`);
}

export const blocksOf = (readings: ReadEvent[]): Block[] => readings.filter((one) => one.type === 'block');
export const textOf = (readings: ReadEvent[]): string =>
  blocksOf(readings)
    .map(({ text }) => text)
    .join('\n');
export const kindOfReading = (readings: ReadEvent[]) => readings.find((one) => one.type === 'kind')?.kind;
export const noticesOf = (readings: ReadEvent[]) =>
  readings.filter((one) => one.type === 'notice').map(({ part, text }) => (part ? `${part}: ${text}` : text));

/** Short form of a block: "heading1 Title", "row a | b". */
export const short = ({ kind, level, text, header }: Block) => `${kind}${level ?? ''}${header ? '!' : ''} ${text}`;

/** Checks after each hostile file that the shared reader still reads the next file normally. */
export function staysWell(): void {
  afterEach(async () => {
    assert.equal(textOf(await readingOfBytes('All is well.', 'well.txt')), 'All is well.');
  });
}
