// Extracts rows from streamed JSON, so that a body of any size takes only the memory of its longest row. A general parser would give
// objects; here the text of each row is needed, to keep numbers as they were written and to detect a field that is named twice.
import { isUtf8 } from 'node:buffer';
import { Refusal } from '@lorekeep/contract';
import { parseJson } from '../http/json.ts';
import { type FoundRow, maxRowLength, rowFromJson, tooLong } from './row.ts';

const maxFieldLength = 64 * 1024;

type Expect =
  | 'start'
  | 'key'
  | 'first key'
  | 'colon'
  | 'value'
  | 'element'
  | 'first element'
  | 'after data'
  | 'end'
  | 'nothing';

const byteOrderMark = [0xef, 0xbb, 0xbf];

/** Reads `{"data": [rows], ...fields}` or a bare list of rows. `feed` takes bytes and returns the completed rows. */
export class JsonRows {
  readonly fields: Record<string, unknown> = {};
  #expect: Expect = 'start';
  #bare = false;
  #key = '';
  #seen = new Set<string>();
  #rows = 0;
  /** The bytes of the value (or key) that is being collected, from earlier chunks. */
  #carry: Buffer[] = [];
  #carryBytes = 0;
  #depth = 0;
  #inString = false;
  #escaped = false;
  #markBytes = 0;

  feed(chunk: Buffer): FoundRow[] {
    const found: FoundRow[] = [];
    if (this.#expect === 'nothing') return found;
    let from = 0; // where the value that is being collected starts in this chunk
    let at = 0;
    while (at < chunk.length) {
      if (this.#expect === 'value' || this.#expect === 'element' || this.#expect === 'first element') {
        const end = this.#scan(chunk, at);
        const bytes = this.#carryBytes + (end < 0 ? chunk.length : end) - from;
        if (this.#expect !== 'value' && bytes > maxRowLength) {
          this.#expect = 'nothing';
          return [...found, tooLong(this.#rows + 1)];
        }
        if (end < 0) break;
        const text = this.#take(chunk.subarray(from, end));
        this.#close(text, chunk[end]!, found);
        at = from = end + 1;
        continue;
      }
      const byte = chunk[at++]!;
      if (this.#inString) this.#readKey(byte);
      else if (!isSpace(byte)) this.#punctuation(byte);
      from = at;
    }
    if (from < chunk.length && this.#collecting) this.#keep(chunk.subarray(from));
    return found;
  }

  finish(): void {
    if (this.#expect === 'start') throw new Refusal('body_missing');
    if (this.#expect !== 'end' && this.#expect !== 'nothing') throw invalid('it ends too early');
  }

  /** True once a list of rows has begun, even an empty one. */
  get sawData(): boolean {
    return this.#bare || (this.#seen.has('data') && !('data' in this.fields));
  }

  get #collecting(): boolean {
    return this.#expect === 'value' || this.#expect === 'element' || this.#expect === 'first element';
  }

  /** Offset of the byte that ends the value at depth 0: a comma or a closing bracket. -1 if it is not in this chunk. */
  #scan(chunk: Buffer, start: number): number {
    let depth = this.#depth;
    let inString = this.#inString;
    let escaped = this.#escaped;
    let at = start;
    scan: for (; at < chunk.length; at++) {
      const byte = chunk[at]!;
      if (inString) {
        if (escaped) escaped = false;
        else if (byte === 0x5c) escaped = true;
        else if (byte === 0x22) inString = false;
        continue;
      }
      switch (byte) {
        case 0x22:
          inString = true;
          break;
        case 0x7b:
        case 0x5b:
          // The list of rows is entered, not collected.
          if (byte === 0x5b && depth === 0 && this.#expect === 'value' && this.#key === 'data') break scan;
          depth++;
          break;
        case 0x7d:
        case 0x5d:
          if (depth === 0) break scan;
          depth--;
          break;
        case 0x2c:
          if (depth === 0) break scan;
      }
    }
    this.#depth = depth;
    this.#inString = inString;
    this.#escaped = escaped;
    return at < chunk.length ? at : -1;
  }

  #close(text: Buffer, ender: number, found: FoundRow[]): void {
    if (this.#expect === 'value') {
      if (ender === 0x5b) {
        if (text.length > 0) throw invalid('"data" is not a list');
        this.#expect = 'first element';
        return;
      }
      if (ender === 0x5d) throw invalid('a "]" has no "["');
      this.#setField(text);
      this.#expect = ender === 0x2c ? 'key' : 'end';
      return;
    }
    if (ender === 0x7d) throw invalid('a "}" has no "{"');
    const empty = text.length === 0;
    if (empty && !(this.#expect === 'first element' && ender === 0x5d))
      throw invalid(`row ${this.#rows + 1} is missing before a comma or at the end of the list`);
    if (!empty) {
      this.#rows++;
      found.push(
        isUtf8(text)
          ? rowFromJson(this.#rows, text)
          : { number: this.#rows, value: undefined, problem: 'is not UTF-8 text' },
      );
    }
    this.#expect = ender === 0x2c ? 'element' : this.#bare ? 'end' : 'after data';
  }

  #setField(text: Buffer): void {
    if (text.length === 0) throw invalid(`the field "${this.#key.slice(0, 100)}" has no value`);
    if (this.#key === 'data' && text.toString() !== 'null') throw invalid('"data" is not a list');
    this.fields[this.#key] = parseJson(text);
  }

  #readKey(byte: number): void {
    if (!this.#escaped && byte === 0x22) {
      this.#inString = false;
      this.#key = String(parseJson(Buffer.concat([Buffer.from('"'), this.#take(Buffer.alloc(0)), Buffer.from('"')])));
      if (this.#seen.has(this.#key)) throw invalid(`it names "${this.#key.slice(0, 100)}" twice`);
      if (this.#seen.size >= 100) throw invalid('it has more than 100 fields');
      this.#seen.add(this.#key);
      this.#expect = 'colon';
      return;
    }
    this.#escaped = !this.#escaped && byte === 0x5c;
    this.#keep(Buffer.from([byte]));
  }

  #punctuation(byte: number): void {
    const is = (character: string) => byte === character.charCodeAt(0);
    switch (this.#expect) {
      case 'start':
        if (byte === byteOrderMark[this.#markBytes]) this.#markBytes++;
        else if (this.#markBytes % byteOrderMark.length !== 0) throw invalid('it is not UTF-8 text');
        else if (is('{')) this.#expect = 'first key';
        else if (is('[')) {
          this.#bare = true;
          this.#key = 'data';
          this.#expect = 'first element';
        } else throw invalid('it does not start with "{"');
        return;
      case 'first key':
      case 'key':
        if (is('"')) this.#inString = true;
        else if (is('}') && this.#expect === 'first key') this.#expect = 'end';
        else throw invalid('a field name in double quotes is missing');
        return;
      case 'colon':
        if (!is(':')) throw invalid(`a ":" is missing after "${this.#key.slice(0, 100)}"`);
        this.#expect = 'value';
        return;
      case 'after data':
        if (is(',')) this.#expect = 'key';
        else if (is('}')) this.#expect = 'end';
        else throw invalid('a comma is missing after the list of rows');
        return;
      default:
        throw invalid('there is more after its end');
    }
  }

  #keep(bytes: Buffer): void {
    this.#carryBytes += bytes.length;
    const inRow = this.#expect === 'element' || this.#expect === 'first element';
    if (!inRow && this.#carryBytes > maxFieldLength)
      throw invalid(`the field "${this.#key.slice(0, 100)}" is longer than ${maxFieldLength} bytes`);
    this.#carry.push(bytes);
  }

  /** The whole collected value without the white space around it. */
  #take(last: Buffer): Buffer {
    this.#keep(last);
    const bytes = this.#carry.length === 1 ? last : Buffer.concat(this.#carry);
    this.#carry = [];
    this.#carryBytes = 0;
    let start = 0;
    let end = bytes.length;
    while (start < end && isSpace(bytes[start]!)) start++;
    while (end > start && isSpace(bytes[end - 1]!)) end--;
    return bytes.subarray(start, end);
  }
}

const isSpace = (byte: number) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
const invalid = (reason: string) => new Refusal('json_invalid', { reason });
