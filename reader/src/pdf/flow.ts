// Joins text that continues over the end of a column or a page to one block, placed at its beginning.
import { type Block, blocks } from '../block.ts';
import type { Words } from './words.ts';

const maxLength = 8192;

export class Flow {
  readonly #words: Words;
  #open: Block | undefined;

  constructor(words: Words) {
    this.#words = words;
  }

  *add(found: Iterable<Block>): Generator<Block> {
    for (const block of found) {
      const open = this.#open;
      if (open && goesOn(open, block)) {
        open.text = this.#words.join([open.text, block.text]);
        continue;
      }
      yield* this.end();
      this.#open = block;
    }
  }

  *end(): Generator<Block> {
    if (!this.#open) return;
    const block = this.#open;
    this.#open = undefined;
    yield* blocks(block);
  }
}

/** Whether a sentence has no end and the next text cannot begin one. */
function goesOn(open: Block, next: Block): boolean {
  if (next.kind !== 'paragraph' || (open.kind !== 'paragraph' && open.kind !== 'item')) return false;
  if (open.text.length > maxLength || /[.!?:;。！？]["')\]”]?$/.test(open.text)) return false;
  return /^[\p{Ll}(]/u.test(next.text) || /\p{Ll}[-\u2010]$/u.test(open.text);
}
