// Interface of a command on the host, with parsing of its arguments and its output.
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { didYouMean } from '../../../cli/src/nearest.ts';
import type { Loaded } from '../config/load.ts';
import { flagName, settingNames } from '../config/settings.ts';
import { explain, OutputError, UsageError } from './exit.ts';

export interface Command {
  help(): string;
  run(loaded: Loaded, words: string[]): Promise<void>;
}

/** Refuses arguments of a command that takes none. */
export function refuseArguments(command: string, words: string[]): void {
  if (words.length > 0)
    throw new UsageError(
      `./lorekeep ${command} does not know ${words.map((word) => `"${word}"`).join(', ')}.${didYouMean(words[0]!, flags)} ./lorekeep ${command} --help lists the settings.`,
    );
}

const flags = settingNames.map(flagName);

/** Parses the options of a command that takes no other arguments. Settings were removed before. */
export function optionsOf<const Options extends NonNullable<ParseArgsConfig['options']>>(
  command: string,
  words: string[],
  options: Options,
) {
  try {
    return parseArgs({ args: words, options }).values;
  } catch (error) {
    const [first = ''] = words.filter((word) => !Object.hasOwn(options, word.replace(/^--/, '').split('=')[0]!));
    const known = [...Object.keys(options).map((name) => `--${name}`), '--home', '--help'];
    throw new UsageError(
      `${(error as Error).message.split('. ')[0]}.${didYouMean(first, known)} ./lorekeep ${command} --help lists its arguments.`,
    );
  }
}

/** Prints the result. A reader that closes the pipe early (`| head`) is not a failure. */
export function print(text: string): void {
  if (process.stdout.listenerCount('error') === 0)
    process.stdout.once('error', ({ code, message }: NodeJS.ErrnoException) =>
      process.exit(code === 'EPIPE' ? 0 : explain(new OutputError(`The result cannot be written: ${message}.`))),
    );
  process.stdout.write(`${text}\n`);
}

/** Prints a remark to standard error if it is a terminal, so that it does not mix with a piped result. */
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
