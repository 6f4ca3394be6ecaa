// Definition of commands, and the parsing of their arguments and options. Help and completion are generated from the same table.
import { parseArgs } from 'node:util';
import type { Lorekeep } from '@lorekeep/client';
import { UsageError } from './exit.ts';
import type { Named } from './names.ts';
import { didYouMean } from './nearest.ts';
import type { Terminal } from './terminal.ts';

export interface Option {
  about: string;
  /** Placeholder of the value in the help. An option without it is a switch. */
  value?: string;
  /** The allowed values. */
  choices?: readonly string[];
  short?: string;
  multiple?: boolean;
  /** Kind of names for the completion of its value. */
  names?: Named;
}

export interface Command {
  /** One word, or two: `jobs watch`. */
  name: string;
  summary: string;
  /** Positional arguments: `FILE`, `[QUESTION ...]`. */
  words?: string;
  /** Kind of names for the completion of the first argument. */
  names?: Named;
  /** Command that lists the possible values, suggested if an argument is missing. */
  whereToLook?: string;
  options?: Record<string, Option>;
  /** True for commands that ask a model, which wait while the engine is being set up. */
  needsEngine?: true;
  /** Additional help below the first line. */
  more?: string;
  run(context: Context, given: ParsedArguments): Promise<void>;
}

export interface ParsedArguments {
  words: string[];
  text(option: string): string | undefined;
  number(option: string): number | undefined;
  is(option: string): boolean;
  all(option: string): string[];
}

export interface Context {
  terminal: Terminal;
  /** Standard input, opened by the commands that read it. */
  input(): NodeJS.ReadStream;
  /** Aborts when Ctrl-C is pressed. */
  signal: AbortSignal;
  /** The name under which the program was called. */
  program: string;
  json: boolean;
  environment: NodeJS.ProcessEnv;
  /** Returns the client with the address and the key in force. */
  client(at?: string): Lorekeep;
  /** The address in force and where it came from. */
  address(): { url: string; from: string };
  /** Prints the result: as JSON on request, else as text without terminal control sequences. */
  show(value: unknown, text: () => string): void;
}

export const globalOptions: Record<string, Option> = {
  json: { about: 'print JSON; while watching, one object per line' },
  url: { value: 'URL', about: 'address of the server' },
  help: { about: 'print this help', short: 'h' },
};

export function parseArguments(command: Command, args: string[]): ParsedArguments {
  const options = { ...globalOptions, ...command.options };
  const known = Object.fromEntries(
    Object.entries(options).map(([name, { value, short, multiple }]) => [
      name,
      {
        type: value ? ('string' as const) : ('boolean' as const),
        ...(short && { short }),
        multiple: multiple === true,
      },
    ]),
  );
  let parsed: ReturnType<typeof parseArgs>;
  try {
    parsed = parseArgs({ args, options: known, allowPositionals: true });
  } catch (error) {
    // Keeps the first sentence, which names the mistake. The others are hints about Node's parser.
    const [first = ''] = (error as Error).message.split('. ');
    const [, option] = /^Unknown option '(--[^']+)'/.exec(first) ?? [];
    const meant = option ? didYouMean(option.slice(2), Object.keys(options), '--') : '';
    throw new UsageError(`${first.replace(/\.$/, '')}.${meant}`);
  }
  const { values, positionals } = parsed;
  checkWords(command, positionals);
  for (const [name, { choices }] of Object.entries(options))
    for (const value of [values[name]].flat())
      if (choices && typeof value === 'string' && !choices.includes(value))
        throw new UsageError(`--${name} "${value}": it takes ${choices.join(', ')}.${didYouMean(value, choices)}`);
  const text = (name: string) => values[name] as string | undefined;
  return {
    words: positionals,
    text,
    is: (name) => values[name] === true,
    all: (name) => (values[name] as string[] | undefined) ?? [],
    number: (name) => {
      const value = text(name);
      if (value === undefined) return undefined;
      if (value.trim() === '' || !Number.isFinite(Number(value)))
        throw new UsageError(`--${name} "${value}" is not a number.`);
      return Number(value);
    },
  };
}

/** Checks the positional arguments against the usage of the command. */
function checkWords({ name, words = '', whereToLook }: Command, given: string[]): void {
  const patterns = words.split(/\s(?![^[]*\])/).filter(Boolean);
  const needed = patterns.filter((word) => !word.startsWith('[')).map((word) => word.replace('...', ''));
  const open = words.includes('...');
  if (given.length < needed.length) {
    const hint = whereToLook ? ` ${whereToLook}` : '';
    throw new UsageError(`"${name}" needs ${needed[given.length]}.${hint}`);
  }
  if (!open && given.length > patterns.length)
    throw new UsageError(`"${name}" takes no argument "${given[patterns.length]}".`);
}
