// What a command on the host is, and how it speaks.
import type { Loaded } from '../config/load.ts';
import { explain, UnwrittenError, UsageError } from './ending.ts';

export interface Command {
  help(): string;
  run(loaded: Loaded, words: string[]): Promise<void>;
}

/** Words that a command takes none of are not left unheard. */
export function noWords(command: string, words: string[]): void {
  if (words.length > 0)
    throw new UsageError(
      `./lorekeep ${command} does not know ${words.map((word) => `"${word}"`).join(', ')}. ./lorekeep ${command} --help lists the settings.`,
    );
}

/** The result. A reader that has seen enough (`| head`) is no failure. */
export function print(text: string): void {
  process.stdout.once('error', ({ code, message }: NodeJS.ErrnoException) =>
    process.exit(code === 'EPIPE' ? 0 : explain(new UnwrittenError(`The result cannot be written: ${message}.`))),
  );
  process.stdout.write(`${text}\n`);
}

/** Beside the result, for whoever watches; nothing into a pipe. */
export function say(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`${text}\n`);
}

/** A table for a terminal: columns as wide as they need to be. */
export function table(rows: string[][]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => [...(row[column] ?? '')].length)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(column === row.length - 1 ? 0 : widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
