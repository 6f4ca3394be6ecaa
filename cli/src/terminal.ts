// Output of the program: results on standard output, everything else on standard error. Colours and animated lines only
// on a terminal.
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { stripVTControlCharacters, styleText } from 'node:util';

type Style = 'bold' | 'dim' | 'green' | 'red' | 'yellow' | 'cyan';

export class Terminal {
  readonly #out: NodeJS.WriteStream;
  readonly #error: NodeJS.WriteStream;
  readonly #environment: NodeJS.ProcessEnv;
  #drawn = 0;

  constructor(out: NodeJS.WriteStream, error: NodeJS.WriteStream, environment: NodeJS.ProcessEnv) {
    this.#out = out;
    this.#error = error;
    this.#environment = environment;
  }

  /** Whether standard error is a terminal. */
  get watched(): boolean {
    return this.#error.isTTY === true && this.#environment.TERM !== 'dumb';
  }

  /** Whether results go to a terminal. */
  get shows(): boolean {
    return this.#out.isTTY === true;
  }

  get width(): number {
    return Math.max(20, this.#error.columns || this.#out.columns || 80);
  }

  /** Prints a result. */
  print(text: string): void {
    this.clear();
    this.#out.write(`${text}\n`);
  }

  /** Prints a piece of a streamed result. */
  write(text: string): void {
    this.#out.write(text);
  }

  /** Prints a result that is a file. */
  async pass(source: Readable): Promise<void> {
    await pipeline(source, this.#out, { end: false });
  }

  /** Prints a warning or error on standard error, even if it is not a terminal. */
  tell(text: string): void {
    this.clear();
    this.#error.write(`${text}\n`);
  }

  /** Prints a note on standard error, only on a terminal. */
  say(text: string): void {
    if (this.watched) this.tell(text);
  }

  /** Draws lines that replace the ones drawn before. */
  draw(lines: string[]): void {
    if (!this.watched) return;
    const cut = lines.map((line) => cutTo(line, this.width - 1));
    this.#error.write(`${this.#back()}${cut.join('\n')}\n`);
    this.#drawn = cut.length;
  }

  /** Erases the drawn lines. */
  clear(): void {
    if (this.#drawn > 0) this.#error.write(this.#back());
    this.#drawn = 0;
  }

  /** Keeps the drawn lines. */
  keep(): void {
    this.#drawn = 0;
  }

  #back(): string {
    return this.#drawn > 0 ? `\x1b[${this.#drawn}A\x1b[0J` : '';
  }

  /** Styles text of a result, if results go to a terminal with colours. */
  style(style: Style, text: string): string {
    return this.#colours(this.#out) ? styleText(style, text, { validateStream: false }) : text;
  }

  /** The same for text on standard error. */
  tint(style: Style, text: string): string {
    return this.#colours(this.#error) ? styleText(style, text, { validateStream: false }) : text;
  }

  #colours(stream: NodeJS.WriteStream): boolean {
    const { NO_COLOR, FORCE_COLOR, TERM } = this.#environment;
    if (NO_COLOR) return false;
    if (FORCE_COLOR && FORCE_COLOR !== '0') return true;
    return stream.isTTY === true && TERM !== 'dumb';
  }
}

/** Truncates a line to a width, ignoring colour codes. */
export function cutTo(line: string, width: number): string {
  if (stripVTControlCharacters(line).length <= width) return line;
  return `${stripVTControlCharacters(line).slice(0, width - 1)}…`;
}

/** Formats a table with columns as wide as needed and one line per row. */
export function table(cells: string[][]): string {
  const rows = cells.map((row) => row.map((cell) => cell.replace(/[\r\n\t]+/g, ' ')));
  const length = (text: string) => [...stripVTControlCharacters(text)].length;
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => length(row[column] ?? ''))));
  return rows
    .map((row) =>
      row
        .map((cell, column) => (column === row.length - 1 ? cell : cell + ' '.repeat(widths[column]! - length(cell))))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Sanitizes output, stripping control sequences: text from a server cannot move the cursor or change the colours of the terminal. */
export const stripControls = (text: string) =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are removed
  text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '');
