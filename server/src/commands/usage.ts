// What a command of the command line is, and how it says that it was called wrongly.
import type { Loaded } from '../config/load.ts';

export interface Command {
  help(): string;
  /** Answers the exit code: 0 done, 1 failed, 2 called wrongly. */
  run(loaded: Loaded, words: string[]): Promise<number>;
}

export class UsageError extends Error {}

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
