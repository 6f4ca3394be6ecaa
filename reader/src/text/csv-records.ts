// Streaming CSV parser, compatible with Python's csv module (dialect "excel"): a line feed, a carriage return or both end a record; a
// quote is special only at the start of a field; text after a closing quote belongs to the field. One difference: an unclosed quote is
// an error, since it would swallow the rest of the file.

export interface CsvRecord {
  cells: string[];
  /** First line, counted from 1. */
  line: number;
}

export class CsvProblem extends Error {
  readonly code: 'quote' | 'length';
  /** First line of the record. */
  readonly line: number;

  constructor(code: CsvProblem['code'], line: number) {
    super(
      code === 'quote' ? `a quote opened near line ${line} is not closed` : `the row near line ${line} is too long`,
    );
    this.code = code;
    this.line = line;
  }
}

interface Options {
  delimiter: string;
  /** Maximum characters of a record, separators included. */
  maxLength: number;
}

/** Streams the records in batches, without empty lines. */
export async function* csvRecords(chunks: AsyncIterable<string>, options: Options): AsyncGenerator<CsvRecord[]> {
  const reader = new Records(options);
  for await (const chunk of chunks) yield reader.read(chunk);
  yield reader.end();
}

type State = 'start' | 'plain' | 'quoted' | 'quote in quoted';

class Records {
  readonly #delimiter: string;
  readonly #maxLength: number;
  readonly #special: RegExp;
  #state: State = 'start';
  #cells: string[] = [];
  #cell = '';
  /** Length of the current record so far. */
  #length = 0;
  #line = 1;
  #recordLine = 1;
  #afterReturn = false;
  #found: CsvRecord[] = [];

  constructor({ delimiter, maxLength }: Options) {
    this.#delimiter = delimiter;
    this.#maxLength = maxLength;
    this.#special = new RegExp(`[${delimiter}\\r\\n]`, 'g');
  }

  read(chunk: string): CsvRecord[] {
    for (let at = 0; at < chunk.length; ) at = this.#step(chunk, at);
    return this.#taken();
  }

  end(): CsvRecord[] {
    if (this.#state === 'quoted') throw new CsvProblem('quote', this.#recordLine);
    this.#endRecord();
    return this.#taken();
  }

  #taken(): CsvRecord[] {
    const found = this.#found;
    this.#found = [];
    return found;
  }

  /** Reads up to the next special character; returns the next offset. */
  #step(chunk: string, at: number): number {
    if (this.#state === 'quoted') return this.#quoted(chunk, at);
    const character = chunk[at]!;
    if (this.#state === 'quote in quoted') {
      if (character === '"') {
        this.#add('"');
        this.#state = 'quoted';
        return at + 1;
      }
      this.#state = 'plain';
    }
    // Skips the line feed of a CR LF pair, which may be in the next chunk.
    if (character === '\n' && this.#afterReturn) {
      this.#afterReturn = false;
      return at + 1;
    }
    this.#afterReturn = false;
    if (character === '"' && this.#state === 'start') {
      this.#state = 'quoted';
      return at + 1;
    }
    this.#special.lastIndex = at;
    const end = this.#special.exec(chunk)?.index ?? chunk.length;
    if (end > at) {
      this.#add(chunk.slice(at, end));
      this.#state = 'plain';
      return end;
    }
    if (character === this.#delimiter) this.#endCell();
    else {
      this.#endRecord();
      this.#afterReturn = character === '\r';
      this.#recordLine = ++this.#line;
    }
    return at + 1;
  }

  #quoted(chunk: string, at: number): number {
    const quote = chunk.indexOf('"', at);
    const text = chunk.slice(at, quote < 0 ? chunk.length : quote);
    this.#countLines(text);
    this.#add(text);
    if (quote < 0) return chunk.length;
    this.#state = 'quote in quoted';
    this.#afterReturn = false;
    return quote + 1;
  }

  /** Counts lines inside of quotes. */
  #countLines(text: string): void {
    if (text === '') return;
    // A CR LF pair across two chunks is one line end.
    for (const { 0: end, index } of text.matchAll(/\r\n|\r|\n/g))
      if (end !== '\n' || index > 0 || !this.#afterReturn) this.#line++;
    this.#afterReturn = text.endsWith('\r');
  }

  #add(text: string): void {
    this.#length += text.length;
    if (this.#length > this.#maxLength) throw new CsvProblem('length', this.#recordLine);
    this.#cell += text;
  }

  #endCell(): void {
    this.#add('');
    this.#length++;
    this.#cells.push(this.#cell);
    this.#cell = '';
    this.#state = 'start';
  }

  #endRecord(): void {
    const isEmpty = this.#cells.length === 0 && this.#state === 'start';
    if (!isEmpty) {
      this.#cells.push(this.#cell);
      this.#found.push({ cells: this.#cells, line: this.#recordLine });
    }
    this.#cells = [];
    this.#cell = '';
    this.#length = 0;
    this.#state = 'start';
  }
}
