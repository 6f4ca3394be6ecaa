// Chunking: cuts a stream of blocks into passages. A section begins a new passage; paragraphs, lists and tables are split only if they
// do not fit, and then the next passage repeats the end (overlap). No passage exceeds the token limit, its context included.
// Deterministic.
import type { Block } from '../block.ts';
import { embeddedText, type Passage, passageHash } from './passage.ts';
import { piecesOf } from './pieces.ts';
import type { TokenCounter } from './tokens.ts';

export interface PassageLimits {
  /** Maximum tokens of the embedded text, without the special tokens of the model. */
  tokens: number;
  /** Tokens that are repeated when a text is split. */
  overlap: number;
}

/** Chunk size: all-MiniLM-L6-v2 reads 256 tokens, including two special ones. */
export const defaultPassageLimits: PassageLimits = { tokens: 254, overlap: 32 };

/** Minimum cost by characters: text without words may have a hundred characters that the model reads as one unknown token. */
const charactersPerToken = 8;
const maxBoxes = 40;

interface Piece {
  text: string;
  start: number;
  cost: number;
  /** Number of the unit (paragraph, list, table); pieces of one unit are kept together if they fit. */
  unit: number;
  block: Block;
}

export class PassageCutter {
  readonly #counter: TokenCounter;
  readonly #limits: PassageLimits;
  #title: string | undefined;
  #headings: { level: number; text: string; start: number; block: Block; used: boolean }[] = [];
  #header: { text: string; start: number } | undefined;
  #pieces: Piece[] = [];
  #repeated = 0;
  #unit = 0;
  #last: Block | undefined;
  #offset = 0;
  #number = 0;

  /** `start` is the offset of the first block in the document's text. */
  constructor(counter: TokenCounter, limits: PassageLimits = defaultPassageLimits, start = 0) {
    this.#counter = counter;
    this.#limits = limits;
    this.#offset = start;
  }

  title(title: string): void {
    this.#title = title;
  }

  *add(block: Block): Generator<Passage> {
    const start = this.#offset;
    this.#offset += block.text.length + 1;
    if (block.kind === 'heading') yield* this.#heading(block, start);
    else {
      for (const heading of this.#headings) heading.used = true;
      if (block.kind === 'row') yield* this.#row(block, start);
      else {
        this.#header = undefined;
        const same = block.kind === 'item' && this.#last?.kind === 'item';
        yield* this.#take(block, start, same ? this.#unit : ++this.#unit);
      }
    }
    this.#last = block;
  }

  *end(): Generator<Passage> {
    yield* this.#close();
    yield* this.#unusedHeadings(0);
    this.#headings = [];
  }

  *#heading(block: Block, start: number): Generator<Passage> {
    yield* this.#close();
    const level = block.level ?? 1;
    yield* this.#unusedHeadings(level);
    this.#headings = this.#headings.filter((above) => above.level < level);
    this.#headings.push({ level, text: block.text.replace(/\s+/g, ' ').slice(0, 500), start, block, used: false });
    this.#header = undefined;
  }

  /** A heading without content becomes a passage, so that its words can be found. */
  *#unusedHeadings(level: number): Generator<Passage> {
    const unused = this.#headings.findLast((heading) => !heading.used);
    if (!unused || unused.level < level) return;
    const below = this.#headings.splice(this.#headings.indexOf(unused));
    for (const heading of below) yield* this.#take(heading.block, heading.start, ++this.#unit);
    yield* this.#close();
    this.#headings.push(...below.map((heading) => ({ ...heading, used: true })));
    for (const heading of this.#headings) heading.used = true;
  }

  *#row(block: Block, start: number): Generator<Passage> {
    const goesOn = this.#last?.kind === 'row' && !block.header && this.#last.page === block.page;
    if (!goesOn) this.#header = undefined;
    yield* this.#take(block, start, goesOn ? this.#unit : ++this.#unit);
    if (block.header && this.#cost(block.text) <= this.#limits.tokens / 3) this.#header = { text: block.text, start };
  }

  *#take(block: Block, start: number, unit: number): Generator<Passage> {
    const room = this.#room(this.#header?.text);
    const cost = this.#cost(block.text);
    if (cost <= room) {
      yield* this.#piece({ text: block.text, start, cost, unit, block });
      return;
    }
    let at = start;
    for (const text of piecesOf(block.text, room, Math.max(1, Math.min(this.#limits.overlap, room / 2)), (part) =>
      this.#cost(part),
    )) {
      yield* this.#piece({ text, start: at, cost: this.#cost(text), unit, block });
      at += text.length;
    }
  }

  *#piece(piece: Piece): Generator<Passage> {
    if (!this.#fits([...this.#pieces, piece])) {
      const first = this.#pieces.findIndex(({ unit }) => unit === piece.unit);
      const unit = first < 0 ? [] : this.#pieces.slice(first);
      if (first !== 0 && this.#pieces.length > 0 && this.#fits([...unit, piece])) {
        // The unit moves to the next passage as a whole.
        yield* this.#emit(first < 0 ? this.#pieces : this.#pieces.slice(0, first));
        this.#pieces = unit;
        this.#repeated = 0;
      } else {
        const tail = this.#tail(unit, piece);
        yield* this.#emit(this.#pieces);
        this.#pieces = tail;
        this.#repeated = tail.length;
      }
    }
    this.#pieces.push(piece);
  }

  /** The overlap of a split text. Rows repeat their header instead. */
  #tail(unit: Piece[], next: Piece): Piece[] {
    const tail: Piece[] = [];
    let cost = 0;
    for (const piece of unit.toReversed()) {
      cost += piece.cost;
      if (cost > this.#limits.overlap || piece.block.kind === 'row' || !this.#fits([piece, ...tail, next])) break;
      tail.unshift(piece);
    }
    return tail;
  }

  *#close(): Generator<Passage> {
    // Pieces that only repeat were emitted before.
    if (this.#pieces.length > this.#repeated) yield* this.#emit(this.#pieces);
    this.#pieces = [];
    this.#repeated = 0;
  }

  *#emit(pieces: Piece[]): Generator<Passage> {
    const [first] = pieces;
    const last = pieces.at(-1);
    if (!first || !last) return;
    const whole = textOf(pieces);
    const text = whole.trim();
    if (text === '') return;
    const start = first.start + whole.indexOf(text);
    const headings = this.#headings.filter(({ start }) => start < first.start).map((heading) => heading.text);
    const header = this.#headerFor(pieces);
    const passage: Passage = {
      number: this.#number++,
      text,
      context: this.#context(headings),
      headings,
      start,
      end: start + text.length,
      tokens: this.#counter.count(embeddedText({ context: this.#context(headings), header, text })),
      hash: passageHash(headings, text),
    };
    if (this.#title) passage.title = this.#title;
    if (header) passage.header = header;
    const pages = pieces.flatMap(({ block }) => (block.page === undefined ? [] : [block.page]));
    if (pages.length > 0) {
      passage.page = pages[0]!;
      passage.lastPage = pages.at(-1)!;
    }
    const boxes = boxesOf(pieces);
    if (boxes.length > 0) passage.boxes = boxes;
    if (first.block.line !== undefined) passage.line = first.block.line;
    yield passage;
  }

  #headerFor(pieces: Piece[]): string | undefined {
    const row = pieces.findIndex(({ block }) => block.kind === 'row');
    if (row < 0 || !this.#header || this.#header.start >= pieces[0]!.start) return undefined;
    return this.#header.text;
  }

  /** Whether these pieces fit into one passage. The sum of their costs is an estimate, so the text is counted exactly near the limit. */
  #fits(pieces: Piece[]): boolean {
    const room = this.#room(this.#headerFor(pieces));
    const sum = pieces.reduce((total, { cost }) => total + cost, 0);
    if (sum > room) return false;
    return sum < room * 0.8 || this.#cost(textOf(pieces).trim()) <= room;
  }

  /** Tokens left for the text besides its context. */
  #room(header: string | undefined): number {
    const headings = this.#headings.map(({ text }) => text);
    const above = embeddedText({ context: this.#context(headings), header, text: '' });
    return Math.max(8, this.#limits.tokens - this.#counter.count(above));
  }

  #contexts = new Map<string, string>();

  /** Title and headings in one line, within a quarter of the limit. The outermost and innermost are kept. */
  #context(headings: string[]): string {
    const parts = [...new Set([this.#title ?? '', ...headings].filter(Boolean))];
    const key = parts.join('\n');
    const known = this.#contexts.get(key);
    if (known !== undefined) return known;
    const limit = Math.floor(this.#limits.tokens / 4);
    while (parts.length > 1 && this.#cost(parts.join(' > ')) > limit) parts.splice(parts.length > 2 ? 1 : 0, 1);
    let context = parts.join(' > ');
    while (context !== '' && this.#cost(context) > limit)
      context = context.slice(0, Math.floor(context.length * 0.7)).toWellFormed();
    if (this.#contexts.size > 1000) this.#contexts.clear();
    this.#contexts.set(key, context);
    return context;
  }

  #cost(text: string): number {
    return Math.max(this.#counter.count(text), Math.ceil(text.length / charactersPerToken));
  }
}

/** Joins pieces: those of one block directly, blocks by line breaks. */
function textOf(pieces: Piece[]): string {
  let text = '';
  for (const [index, piece] of pieces.entries())
    text += (index > 0 && pieces[index - 1]!.block !== piece.block ? '\n' : '') + piece.text;
  return text;
}

function boxesOf(pieces: Piece[]): NonNullable<Passage['boxes']>[number][] {
  const boxes = new Map<Block, NonNullable<Passage['boxes']>[number]>();
  for (const { block } of pieces)
    if (block.box && block.page !== undefined) boxes.set(block, { page: block.page, ...block.box });
  return [...boxes.values()].slice(0, maxBoxes);
}
