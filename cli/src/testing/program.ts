// Runs the command line with pipes like scripts, or on a terminal like people.
import { spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { findCommand } from '../commands.ts';
import { Program } from '../program.ts';

const root = resolve(import.meta.dirname, '../../..');
const main = join(root, 'cli/src/main.ts');
const node = [process.execPath, '--disable-warning=ExperimentalWarning', main];
/** Python's pseudo-terminal: written input counts as typed. */
const ptyScript = 'import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))';

export interface Ended {
  code: number | null;
  out: string;
  error: string;
}

export interface OnTerminal {
  /** All output to the terminal so far. */
  raw(): string;
  /** The same without control sequences. */
  output(): string;
  type(text: string): void;
  /** Waits until the output matches. */
  until(pattern: RegExp): Promise<void>;
  ended: Promise<number | null>;
}

/** A minimal environment for the program, independent of the test's environment. */
const minimalEnvironment = (environment: Record<string, string>) => ({
  PATH: process.env.PATH ?? '',
  NODE_COMPILE_CACHE: join(root, '.setup/compiled'),
  HOME: environment.HOME ?? '/nonexistent',
  ...environment,
});

/** Runs the command line with these arguments. */
export const programOf = (words: string[]) => [...node, ...words];

/** Commands that ran as a process in this test file. */
const started = new Set<string>();

/**
 * Runs the command line to its end: each command of a test file as a process once, with pipes and an exit code. Starting a process takes
 * longer than most commands, so that further calls run the program in this process.
 */
export async function run(
  words: string[],
  environment: Record<string, string>,
  input: string | Buffer = '',
): Promise<Ended> {
  const name = findCommand(words)?.command.name;
  if (name && started.has(name)) return await runHere(words, environment, input);
  if (name) started.add(name);
  return await runProgram(programOf(words), environment, input);
}

async function runHere(
  words: string[],
  environment: Record<string, string>,
  input: string | Buffer = '',
): Promise<Ended> {
  const [output, error] = [collected(), collected()];
  const program = new Program(words, {
    environment: minimalEnvironment(environment),
    input: () => Readable.from(input.length > 0 ? [Buffer.from(input)] : []) as NodeJS.ReadStream,
    output: output.stream,
    error: error.stream,
    signal: new AbortController().signal,
  });
  const code = await program.run();
  return { code, out: output.text(), error: error.text() };
}

function collected(): { stream: NodeJS.WriteStream; text: () => string } {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write: (chunk, _, written) => {
      chunks.push(chunk);
      written();
    },
  });
  return { stream: stream as NodeJS.WriteStream, text: () => Buffer.concat(chunks).toString() };
}

/** Runs any program to its end. */
export async function runProgram(
  [program, ...words]: string[],
  environment: Record<string, string>,
  input: string | Buffer = '',
): Promise<Ended> {
  const child = spawn(program!, words, { env: minimalEnvironment(environment) });
  let out = '';
  let error = '';
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    out += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk) => {
    error += chunk;
  });
  child.stdin.end(input);
  const code = await new Promise<number | null>((done) => child.once('close', done));
  return { code, out, error };
}

export const onTerminal = (words: string[], environment: Record<string, string>) =>
  onTerminalOf(programOf(words), minimalEnvironment(environment));

/** Runs any program on a terminal of 100 columns. */
export function onTerminalOf(program: string[], environment: Record<string, string>): OnTerminal {
  const sized = ['sh', '-c', 'stty cols 100 rows 40; exec "$@"', 'sh'];
  const python = join(root, '.setup/engine/bin/python');
  const child = spawn(python, ['-c', ptyScript, ...sized, ...program], {
    env: { ...environment, TERM: 'xterm-256color' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let raw = '';
  let over = false;
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    raw += chunk;
  });
  const ended = new Promise<number | null>((done) =>
    child.once('close', (code) => {
      over = true;
      done(code);
    }),
  );
  const output = () => stripVTControlCharacters(raw);
  return {
    raw: () => raw,
    output,
    type: (text) => child.stdin.write(text),
    until: async (pattern) => {
      for (let attempt = 0; !pattern.test(output()); attempt++) {
        if (over || attempt > 12_000) throw new Error(`The terminal did not say ${pattern}:\n${output()}`);
        await new Promise((done) => setTimeout(done, 50));
      }
    },
    ended,
  };
}
