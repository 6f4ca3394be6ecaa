// Reads a file into passages or blocks: the file itself, then the files inside it, each of which may fail separately. Results are
// streamed, so nothing large is kept in memory.
import { constants, copyFile, link, mkdir, readFile, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Block } from './block.ts';
import { Unreadable } from './failures.ts';
import { type Budget, type Budgeted, budgetOf, defaultLimits, type Limits } from './limits.ts';
import { canReadImages, type Environment, readImage } from './ocr.ts';
import { pageNumbers } from './page-numbers.ts';
import { PassageCutter, type PassageLimits } from './passages/cut.ts';
import type { Passage } from './passages/passage.ts';
import { tokenCounter } from './passages/tokens.ts';
import { ParsingProcess } from './process/process.ts';

export interface ReaderOptions {
  /** Scratch folder for unpacked files, used by this reader only. */
  scratch: string;
  limits?: Partial<Limits>;
  /** Environment for the OCR programs; by default only PATH. */
  environment?: Environment;
  /** Whether blocks are returned. */
  blocks?: boolean;
  /** Path of the tokenizer.json for passages; without it no passages are returned. */
  passages?: { tokenizer: string; limits: PassageLimits };
  /** Called with the last lines on standard error of a reading process that ended for no known reason. */
  onCrash?(output: string): void;
}

/** `part` is the name of a file inside of the file. */
export type ReadEvent = { part?: string } & (
  | { type: 'kind'; kind: string }
  | { type: 'title'; title: string }
  | { type: 'page'; page: number; pages?: number }
  | { type: 'notice'; text: string }
  /** Position in the file in bytes, of formats that are read from beginning to end. */
  | { type: 'read'; bytes: number }
  | Block
  | ({ type: 'passage' } & Passage)
  /** A duplicate of an earlier passage with the same text and headings. */
  | { type: 'repeated'; hash: string }
);

/** The remaining budget of one upload, with all the files inside it. */
interface Account {
  whole: Budget;
  left: Budget;
  seen: Set<string>;
}

interface Part {
  path: string;
  name: string;
  /** Name of the part; undefined for the file itself. */
  part: string | undefined;
  depth: number;
}

/** Reads files one after the other in a child process, which is restarted after a failure. Each account has its own reader. */
export class DocumentReader {
  readonly #options: ReaderOptions;
  readonly #limits: Limits;
  readonly #process: ParsingProcess;
  #count = 0;

  constructor(options: ReaderOptions) {
    this.#options = { ...options, scratch: resolve(options.scratch) };
    this.#limits = { ...defaultLimits, ...options.limits };
    this.#process = new ParsingProcess(this.#options.scratch, this.#limits, options.onCrash);
  }

  /** Throws Unreadable with a reason for people if nothing in the file can be read. */
  async *read(file: { path: string; name: string }, signal?: AbortSignal): AsyncGenerator<ReadEvent> {
    const path = await this.#handedOver(resolve(file.path));
    const whole = budgetOf((await stat(path)).size, this.#limits);
    const budget: Account = { whole, left: { ...whole }, seen: new Set() };
    try {
      yield* this.#one({ name: file.name, path, part: undefined, depth: 1 }, budget, signal);
    } finally {
      await rm(path, { force: true });
    }
  }

  /** Links the file into the reader's folder: the child process may read only that, since neighbours may belong to other accounts. */
  async #handedOver(path: string): Promise<string> {
    const place = join(this.#process.files, String(++this.#count));
    await mkdir(this.#process.files, { recursive: true });
    // Copies on another disk, which cannot be linked. Never overwrites: an existing file may be a link to another stored file.
    const { COPYFILE_EXCL, COPYFILE_FICLONE } = constants;
    await link(path, place).catch(async () => await copyFile(path, place, COPYFILE_EXCL | COPYFILE_FICLONE));
    return place;
  }

  async close(): Promise<void> {
    await this.#process.close();
    await rm(this.#options.scratch, { recursive: true, force: true });
  }

  /** Reads one file and those inside it. A file without text yields only the reason. */
  async *#one(file: Part, budget: Account, signal?: AbortSignal): AsyncGenerator<ReadEvent> {
    const scratch = join(this.#process.unpacked, String(++this.#count));
    try {
      const parts: Part[] = [];
      const wordless: number[] = [];
      let texts = 0;
      let characters = 0;
      for await (const message of this.#parsed(file, scratch, budget, signal)) {
        if (message.type === 'part') parts.push(partOf(file, message, budget, this.#limits));
        else if (message.type === 'wordless') wordless.push(message.page);
        else if (message.type === 'end') characters = message.characters;
        else {
          if (message.type === 'block' || message.type === 'passage') texts++;
          if (message.type === 'block' || (message.type === 'passage' && !this.#options.blocks))
            budget.left.characters -= message.text.length;
          yield toResult(message as ReadEvent, file.part, budget);
        }
      }
      if (wordless.length > 0 && canReadImages())
        for await (const reading of this.#images(file.path, wordless, { scratch, characters }, signal)) {
          if (reading.type === 'block' || reading.type === 'passage') texts++;
          yield toResult(reading, file.part, budget);
        }
      else if (wordless.length > 0 && texts > 0)
        yield toResult({ type: 'notice', text: `${pageNumbers(wordless)} without text` }, file.part, budget);
      const failures: Unreadable[] = [];
      for (const part of parts) {
        try {
          yield* this.#one(part, budget, signal);
          texts++;
        } catch (error) {
          if (!(error instanceof Unreadable)) throw error;
          failures.push(error);
          yield toResult({ type: 'notice', text: `it was skipped: ${error.message}` }, part.part, budget);
        }
      }
      if (texts > 0) return;
      if (wordless.length > 0) throw new Unreadable('scanned', { pages: pageNumbers(wordless) });
      throw failures[0] ?? new Unreadable('no_text');
    } finally {
      await rm(scratch, { recursive: true, force: true });
    }
  }

  /** Streams the messages about one file. The budget is charged whatever the outcome. */
  async *#parsed(file: Part, scratch: string, budget: Account, signal?: AbortSignal) {
    const { left, whole } = budget;
    const over = (what: Budgeted) => new Unreadable(what, { limit: whole[what] });
    for (const what of ['time', 'characters'] as const) if (left[what] <= 0) throw over(what);
    let laidOut = 0;
    try {
      for await (const message of this.#process.read(this.#request(file, scratch, left), signal)) {
        if (message.type === 'part') laidOut += message.bytes;
        yield message;
      }
    } catch (error) {
      // The process reports the remaining budget; people are told the limit of the whole upload.
      const what = error instanceof Unreadable && budgetCodes.find((one) => one === error.code);
      throw what ? over(what) : error;
    } finally {
      left.time -= this.#process.spent.seconds;
      left.expanded -= Math.max(laidOut, this.#process.spent.expanded);
    }
  }

  /** Reads image pages by OCR after the text pages, without headings, since their headings are unknown. */
  async *#images(
    path: string,
    pages: number[],
    { scratch, characters }: { scratch: string; characters: number },
    signal?: AbortSignal,
  ): AsyncGenerator<ReadEvent> {
    const { passages, blocks = passages === undefined, environment = { PATH: process.env.PATH ?? '' } } = this.#options;
    const cutter =
      passages &&
      new PassageCutter(tokenCounter(await readFile(passages.tokenizer, 'utf8')), passages.limits, characters);
    const blank: number[] = [];
    const started = performance.now();
    for (const [at, page] of pages.entries()) {
      if (performance.now() - started > this.#limits.time * 1000) {
        yield { type: 'notice', text: `${pageNumbers(pages.slice(at))} not read: images take too long` };
        break;
      }
      const found = await readImage(path, page, scratch, environment, signal);
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

  #request({ path, name }: Part, scratch: string, left: Budget) {
    const { passages, blocks = passages === undefined } = this.#options;
    return { path, name, scratch, limits: left, blocks, ...(passages ? { passages } : {}) };
  }
}

/** Failures about a part of the budget. */
const budgetCodes: Budgeted[] = ['expanded', 'characters', 'parts', 'time'];

function partOf(
  file: Part,
  { name, path }: { name: string; path: string },
  { left, whole }: Account,
  limits: Limits,
): Part {
  left.parts--;
  if (left.parts < 0) throw new Unreadable('parts', { limit: whole.parts });
  if (file.depth >= limits.depth) throw new Unreadable('depth', { limit: limits.depth });
  return { path, name, part: file.part === undefined ? name : `${file.part}/${name}`, depth: file.depth + 1 };
}

/** Adds the name of the part. Passages are numbered over all parts; duplicates are marked. */
function toResult(reading: ReadEvent, part: string | undefined, { seen }: Account): ReadEvent {
  const named = part === undefined ? {} : { part };
  if (reading.type !== 'passage') return { ...reading, ...named };
  if (seen.has(reading.hash)) return { type: 'repeated', hash: reading.hash, ...named };
  seen.add(reading.hash);
  return { ...reading, ...named, number: seen.size - 1 };
}
