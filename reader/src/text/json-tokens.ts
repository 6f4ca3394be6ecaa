// Streaming JSON tokenizer for consecutive values, so that it reads JSON lines too. Nesting costs one array entry per level, long
// strings come in pieces, and errors have their line number.
import { maxBlockLength } from '../block.ts';
import { Unreadable } from '../failures.ts';

export type JsonEvent =
  | { type: 'open'; list: boolean; line: number }
  | { type: 'close' }
  | { type: 'name'; text: string }
  | { type: 'value'; text: string; line: number };

const deepest = 10_000;
const escapes: Record<string, string> = { b: '', f: ' ', n: '\n', r: '\n', t: '\t', '"': '"', '\\': '\\', '/': '/' };

export class JsonTokens {
  readonly #tell: (event: JsonEvent) => void;
  /** Stack of open containers: true for a list, false for an object. */
  #levels: boolean[] = [];
  #line = 1;
  #text = '';
  #textLine = 1;
  #state: 'between' | 'string' | 'escape' | 'unicode' | 'word' = 'between';
  #expectsName = false;
  #needsComma = false;
  #needsValue = false;
  #started = false;

  constructor(tell: (event: JsonEvent) => void, line = 1) {
    this.#tell = tell;
    this.#line = line;
  }

  feed(chunk: string): void {
    let at = 0;
    while (at < chunk.length) {
      const character = chunk[at]!;
      if (this.#state === 'string') {
        at = this.#string(chunk, at);
      } else if (this.#state === 'escape') {
        at++;
        if (character === 'u') {
          this.#state = 'unicode';
          this.#code = '';
        } else {
          const meant = escapes[character];
          if (meant === undefined) throw this.#wrong(`\\${character} means nothing in a string`);
          this.#text += meant;
          this.#state = 'string';
        }
      } else if (this.#state === 'unicode') {
        at++;
        this.#code += character;
        if (this.#code.length < 4) continue;
        if (!/^[\da-f]{4}$/i.test(this.#code)) throw this.#wrong(`\\u${this.#code} is no character`);
        this.#text += String.fromCharCode(Number.parseInt(this.#code, 16));
        this.#state = 'string';
      } else if (this.#state === 'word') {
        if (/[-+.\w]/.test(character)) {
          this.#text += character;
          if (this.#text.length > 1000) throw this.#wrong(`"${this.#text.slice(0, 50)}..." is no value`);
          at++;
        } else this.#word();
      } else {
        at++;
        this.#between(character);
      }
    }
  }

  end(): void {
    if (this.#state === 'word') this.#word();
    if (this.#state !== 'between' || this.#levels.length > 0) throw this.#wrong('it ends too early');
    if (!this.#started) throw this.#wrong('it holds no value');
  }

  #code = '';

  /** Reads a part of a string up to its end, an escape, or the end of the chunk. */
  #string(chunk: string, start: number): number {
    let at = start;
    for (; at < chunk.length; at++) {
      const code = chunk.charCodeAt(at);
      if (code === 0x22 || code === 0x5c) break;
      if (code === 0x0a) this.#line++;
    }
    this.#text += chunk.slice(start, at);
    // Emits a very long string in pieces; it cannot be a key.
    if (this.#text.length > 4 * maxBlockLength && !this.#expectsName) {
      this.#tell({ type: 'value', text: this.#text, line: this.#textLine });
      this.#text = '';
    } else if (this.#text.length > 64 * maxBlockLength) throw this.#wrong('a name has no end');
    if (at >= chunk.length) return at;
    if (chunk.charCodeAt(at) === 0x5c) this.#state = 'escape';
    else {
      this.#state = 'between';
      if (this.#expectsName) this.#tell({ type: 'name', text: this.#text });
      else {
        this.#tell({ type: 'value', text: this.#text, line: this.#textLine });
        this.#needsComma = true;
      }
    }
    return at + 1;
  }

  #word(): void {
    this.#state = 'between';
    if (!/^(true|false|null|NaN|-?Infinity|-?\d+(\.\d+)?([eE][-+]?\d+)?)$/.test(this.#text))
      throw this.#wrong(`"${this.#text.slice(0, 50)}" is no value`);
    this.#tell({ type: 'value', text: this.#text, line: this.#textLine });
    this.#needsComma = true;
  }

  #between(character: string): void {
    switch (character) {
      case '\n':
        this.#line++;
        return;
      case ' ':
      case '\t':
      case '\r':
      case '\ufeff':
      case '\x1e':
        return;
      case '{':
      case '[':
        this.#value();
        if (this.#levels.length >= deepest) throw new Unreadable('nested', { limit: deepest });
        this.#levels.push(character === '[');
        this.#expectsName = character === '{';
        this.#tell({ type: 'open', list: character === '[', line: this.#line });
        return;
      case '}':
      case ']': {
        if (this.#needsValue) throw this.#wrong('a value is missing');
        if (this.#levels.pop() !== (character === ']')) throw this.#wrong(`a "${character}" closes nothing`);
        this.#tell({ type: 'close' });
        this.#expectsName = false;
        this.#needsComma = true;
        return;
      }
      case ',':
        if (this.#levels.length === 0 || !this.#needsComma || this.#needsValue)
          throw this.#wrong('a comma stands where a value should');
        this.#needsComma = false;
        this.#expectsName = this.#levels.at(-1) === false;
        return;
      case ':':
        if (!this.#expectsName) throw this.#wrong('a colon stands where none may');
        this.#expectsName = false;
        this.#needsValue = true;
        return;
      default:
        if (!this.#expectsName || character !== '"') this.#value();
        this.#text = character === '"' ? '' : character;
        this.#textLine = this.#line;
        this.#state = character === '"' ? 'string' : 'word';
    }
  }

  /** Checks that a value may begin here. At top level several values may follow each other, as in JSON lines. */
  #value(): void {
    this.#started = true;
    if (this.#expectsName) throw this.#wrong('a name in double quotes is missing');
    if (this.#needsComma && this.#levels.length > 0) throw this.#wrong('a comma is missing');
    this.#needsComma = false;
    this.#needsValue = false;
  }

  #wrong(reason: string): Unreadable {
    return new Unreadable('damaged', { detail: `it is not valid JSON near line ${this.#line}: ${reason}` });
  }
}
