// A file to passages or blocks: the file itself, then the files inside it, each of which may fail by itself. What a file holds is told as it is
// found, so that nothing large is ever held here.
import { constants, copyFile, link, mkdir, readFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { PassageCutter, type PassageLimits } from '../passages/cut.ts';
import type { Passage } from '../passages/passage.ts';
import { tokenCounter } from '../passages/tokens.ts';
import type { Block } from './block.ts';
import { Unreadable } from './failures.ts';
import { defaultLimits, type Limits } from './limits.ts';
import { canReadImages, readImage } from './ocr.ts';
import { pageNumbers } from './page-numbers.ts';
import { ParsingProcess } from './process/process.ts';

export interface ReaderOptions {
  /** A folder for what is unpacked. It belongs to this reader alone. */
  scratch: string;
  limits?: Partial<Limits>;
  /** Whether blocks are told. */
  blocks?: boolean;
  /** Whether passages are told, cut for the tokenizer of this tokenizer.json. */
  passages?: { tokenizer: string; limits: PassageLimits };
}

/** `part` names the file inside the file, where it is one. */
export type Reading = { part?: string } & (
  | { type: 'kind'; kind: string }
  | { type: 'title'; title: string }
  | { type: 'page'; page: number; pages?: number }
  | { type: 'notice'; text: string }
  | Block
  | ({ type: 'passage' } & Passage)
  /** A passage that says what another before it said under the same headings. */
  | { type: 'repeated'; hash: string }
);

/** What one document may still cost, with all the files inside it. */
interface Budget {
  expanded: number;
  parts: number;
  characters: number;
  seen: Set<string>;
}

interface Part {
  path: string;
  name: string;
  /** How it is called in what is told; nothing for the file itself. */
  part: string | undefined;
  depth: number;
}

/** Reads files one after the other, in a process of its own that lasts as long as nothing goes wrong in it. One reader serves one account. */
export class DocumentReader {
  readonly #options: ReaderOptions;
  readonly #limits: Limits;
  readonly #process: ParsingProcess;
  #count = 0;

  constructor(options: ReaderOptions) {
    this.#options = { ...options, scratch: resolve(options.scratch) };
    this.#limits = { ...defaultLimits, ...options.limits };
    this.#process = new ParsingProcess(this.#options.scratch, this.#limits);
  }

  /** Throws Unreadable when the file holds nothing that can be read, with the reason for people. */
  async *read(file: { path: string; name: string }, signal?: AbortSignal): AsyncGenerator<Reading> {
    const { expanded, parts, characters } = this.#limits;
    const budget: Budget = { expanded, parts, characters, seen: new Set() };
    const path = await this.#handedOver(resolve(file.path));
    try {
      yield* this.#one({ name: file.name, path, part: undefined, depth: 1 }, budget, signal);
    } finally {
      await rm(path, { force: true });
    }
  }

  /** The process sees this file alone, not its neighbours, which may be of other accounts: it stands in a folder of the reader's own. */
  async #handedOver(path: string): Promise<string> {
    const place = join(this.#process.files, String(++this.#count));
    await mkdir(this.#process.files, { recursive: true });
    // On another disk there are no links. Never over what is there: that may be a link to another stored file.
    const { COPYFILE_EXCL, COPYFILE_FICLONE } = constants;
    await link(path, place).catch(async () => await copyFile(path, place, COPYFILE_EXCL | COPYFILE_FICLONE));
    return place;
  }

  async close(): Promise<void> {
    await this.#process.close();
    await rm(this.#options.scratch, { recursive: true, force: true });
  }

  /** One file and those inside it. Nothing comes back from a file without text but the reason. */
  async *#one(file: Part, budget: Budget, signal?: AbortSignal): AsyncGenerator<Reading> {
    const scratch = join(this.#process.unpacked, String(++this.#count));
    try {
      const parts: Part[] = [];
      const wordless: number[] = [];
      let texts = 0;
      let characters = 0;
      for await (const message of this.#process.read(this.#request(file, scratch, budget), signal)) {
        if (message.type === 'part') parts.push(partOf(file, message, budget, this.#limits));
        else if (message.type === 'wordless') wordless.push(message.page);
        else if (message.type === 'end') characters = message.characters;
        else {
          if (message.type === 'block' || message.type === 'passage') texts++;
          if (message.type === 'block' || (message.type === 'passage' && !this.#options.blocks))
            budget.characters -= message.text.length;
          yield told(message as Reading, file.part, budget);
        }
      }
      if (wordless.length > 0 && canReadImages())
        for await (const reading of this.#images(file.path, wordless, { scratch, characters }, signal)) {
          if (reading.type === 'block' || reading.type === 'passage') texts++;
          yield told(reading, file.part, budget);
        }
      else if (wordless.length > 0 && texts > 0)
        yield told({ type: 'notice', text: `${pageNumbers(wordless)} without text` }, file.part, budget);
      const failures: Unreadable[] = [];
      for (const part of parts) {
        try {
          yield* this.#one(part, budget, signal);
          texts++;
        } catch (error) {
          if (!(error instanceof Unreadable)) throw error;
          failures.push(error);
          yield told({ type: 'notice', text: `it was passed over: ${error.message}` }, part.part, budget);
        }
      }
      if (texts > 0) return;
      if (wordless.length > 0) throw new Unreadable('scanned', { pages: pageNumbers(wordless) });
      throw failures[0] ?? new Unreadable('no_text');
    } finally {
      await rm(scratch, { recursive: true, force: true });
    }
  }

  /** Pages that are images come after those with text, each under no heading: what stands above them is not known. */
  async *#images(
    path: string,
    pages: number[],
    { scratch, characters }: { scratch: string; characters: number },
    signal?: AbortSignal,
  ): AsyncGenerator<Reading> {
    const { passages, blocks = passages === undefined } = this.#options;
    const cutter =
      passages &&
      new PassageCutter(tokenCounter(await readFile(passages.tokenizer, 'utf8')), passages.limits, characters);
    const blank: number[] = [];
    for (const page of pages) {
      const found = await readImage(path, page, scratch, signal);
      if (found.length === 0) blank.push(page);
      for (const block of found) {
        if (blocks) yield block;
        for (const passage of cutter?.add(block) ?? []) yield { type: 'passage', ...passage };
      }
      yield { type: 'page', page };
    }
    for (const passage of cutter?.end() ?? []) yield { type: 'passage', ...passage };
    if (blank.length > 0) yield { type: 'notice', text: `${pageNumbers(blank)} without text` };
  }

  #request({ path, name }: Part, scratch: string, { expanded, parts, characters }: Budget) {
    const { passages, blocks = passages === undefined } = this.#options;
    const limits = { pages: this.#limits.pages, parts, expanded, characters };
    return { path, name, scratch, limits, blocks, ...(passages ? { passages } : {}) };
  }
}

function partOf(
  file: Part,
  { name, path, bytes }: { name: string; path: string; bytes: number },
  budget: Budget,
  limits: Limits,
): Part {
  budget.expanded -= bytes;
  budget.parts--;
  if (budget.expanded < 0) throw new Unreadable('expanded', { limit: limits.expanded });
  if (budget.parts < 0) throw new Unreadable('parts', { limit: limits.parts });
  if (file.depth >= limits.depth) throw new Unreadable('depth', { limit: limits.depth });
  return { path, name, part: file.part === undefined ? name : `${file.part}/${name}`, depth: file.depth + 1 };
}

/** With the name of its part. Passages are numbered over all parts, those that say the same only once. */
function told(reading: Reading, part: string | undefined, { seen }: Budget): Reading {
  const named = part === undefined ? {} : { part };
  if (reading.type !== 'passage') return { ...reading, ...named };
  if (seen.has(reading.hash)) return { type: 'repeated', hash: reading.hash, ...named };
  seen.add(reading.hash);
  return { ...reading, ...named, number: seen.size - 1 };
}
