#!/usr/bin/env node
// Entry point of the command line: finds the command, runs it, and exits with a stable exit code.
import { Lorekeep, LorekeepError, version } from '@lorekeep/client';
import { type Context, understand } from './command.ts';
import { commands, find, groups, hostWords, isCommand, isGroup } from './commands.ts';
import { engineReady } from './engine-ready.ts';
import { EndedError, exitCodeOf, exitCodes, Interrupted, NoModelError, PartlyError, UsageError } from './exit.ts';
import { exitCodesHelp, groupHelp, helpOf, overview } from './help.ts';
import { readLogin } from './login.ts';
import { namesOf } from './names.ts';
import { didYouMean } from './nearest.ts';
import { stripControls, Terminal } from './terminal.ts';

const environment = process.env;
const program = environment.LOREKEEP_PROGRAM || 'lorekeep';
const onHost = program === './lorekeep';
const terminal = new Terminal(process.stdout, process.stderr, environment);
const stop = new AbortController();

async function main(args: string[]): Promise<void> {
  if (args.length === 0 || ['help', '--help', '-h'].includes(args[0]!)) return terminal.print(help(args.slice(1)));
  if (args[0] === '--version') return terminal.print(version);
  if (args[0] === '__names') return await names(args[1] ?? '');
  const { words, options } = leading(args);
  const asksHelp = args.includes('--help') || args.includes('-h');
  const [first = '', second = ''] = words;
  if (
    isGroup(first) &&
    (second === '' || second.startsWith('-')) &&
    (asksHelp || (args.length === 1 && !isCommand(first)))
  )
    return terminal.print(groupHelp(first, program));
  const found = find(words);
  if (!found) throw unknown(words);
  if (asksHelp) return terminal.print(helpOf(found.command, program));
  const given = understand(found.command, [...options, ...found.rest]);
  const context = contextOf(given.text('url'), given.is('json'));
  // Detached work is queued by the server.
  if (found.command.needsEngine && !given.is('detach')) await engineReady(context);
  try {
    await found.command.run(context, given);
  } catch (error) {
    if (!(error instanceof LorekeepError) || error.code !== 'model_not_found' || context.json) throw error;
    throw new NoModelError(await withNearest(error.message, context));
  }
}

/** Error for a missing model, with the nearest name and commands of this program instead of HTTP calls. */
async function withNearest(message: string, context: Context): Promise<string> {
  const [sentence = message, name = ''] = /^There is no model "(.*?)" here\./s.exec(message) ?? [];
  const known = await namesOf('models', () => context.client());
  return `${sentence}${didYouMean(name, known)} ${program} models list shows those that there are.`;
}

/** Moves leading options to the end: `lorekeep --json keys list` means `lorekeep keys list --json`. */
function leading(args: string[]): { words: string[]; options: string[] } {
  let at = 0;
  while (args[at]?.startsWith('-')) at += args[at] === '--url' ? 2 : 1;
  return { words: args.slice(at), options: args.slice(0, at) };
}

function help([first = '', ...rest]: string[]): string {
  if (first === 'exit-codes') return exitCodesHelp();
  if (first === '') return overview(program);
  const named = commands.find(({ name }) => name === [first, ...rest].join(' '));
  if (rest.length === 0 && isGroup(first)) return groupHelp(first, program);
  if (!named) throw unknown([first, ...rest]);
  return helpOf(named, program);
}

function unknown([first = '', second = '']: string[]): UsageError {
  const behind = groups().get(first) ?? [];
  if (behind.length > 0) {
    const meant = didYouMean(second, behind, `${first} `);
    return new UsageError(`There is no "${first} ${second}"; there is ${first} ${behind.join(', ')}.${meant}`);
  }
  // The launcher `./lorekeep` has further commands for its host.
  const known = [...commands.map(({ name }) => name.split(' ')[0]!), 'help', ...(onHost ? hostWords : [])];
  return new UsageError(`There is no command "${first}".${didYouMean(first, known)} ${program} help lists them.`);
}

async function names(kind: string): Promise<void> {
  const found = await namesOf(kind, () => contextOf(undefined, false).client());
  if (found.length > 0) terminal.print(found.join('\n'));
  // A connection attempt must not delay the exit of a completion.
  process.stdout.write('', () => process.exit(exitCodes.done));
}

function contextOf(url: string | undefined, json: boolean): Context {
  const login = readLogin(environment);
  const address = () => {
    if (url) return { url: checked(url, '--url'), from: '--url' };
    if (environment.LOREKEEP_BASE_URL)
      return { url: checked(environment.LOREKEEP_BASE_URL, 'LOREKEEP_BASE_URL'), from: 'LOREKEEP_BASE_URL' };
    return login ? { url: login.url, from: 'the login' } : { url: 'http://127.0.0.1:8080', from: 'the default' };
  };
  return {
    terminal,
    signal: stop.signal,
    program,
    json,
    environment,
    address,
    client: (at) => {
      const url = at ?? address().url;
      // A stored key is sent only to the server that it was stored for.
      const savedKey = login && sameServer(login.url, url) ? login.key : null;
      return new Lorekeep({
        baseUrl: url,
        apiKey: environment.LOREKEEP_API_KEY || savedKey,
        onWarning: (text) => terminal.tell(`${terminal.tint('yellow', 'Note:')} ${stripControls(text)}`),
      });
    },
    show: (value, text) => {
      const output = json ? printable(value) : stripControls(text());
      if (output !== '') terminal.print(output);
    },
  };
}

const sameServer = (one: string, other: string) => new URL(one).origin === new URL(other).origin;

function checked(url: string, from: string): string {
  if (!/^https?:\/\//.test(url) || !URL.canParse(url))
    throw new UsageError(`${from} "${url}" is not an address such as http://127.0.0.1:8080.`);
  return url.replace(/\/+$/, '');
}

/** Escapes control characters that JSON permits and that affect a terminal. */
const printable = (value: unknown) =>
  JSON.stringify(value).replace(/[\u007f-\u009f]/g, (one) => `\\u00${one.charCodeAt(0).toString(16)}`);

/** Prints an error to standard error: a sentence, or JSON for a program that asked for JSON. */
function explain(error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  if (process.argv.includes('--json')) {
    const { code, status, mistakes } = error as Partial<LorekeepError>;
    terminal.tell(
      printable({
        error: {
          code: code ?? ownCode(error),
          detail: message,
          ...(status && { status }),
          ...(mistakes?.length && { mistakes }),
        },
      }),
    );
    return;
  }
  if (error instanceof Interrupted) {
    if (message) terminal.tell(message);
    return;
  }
  const plain = error instanceof EndedError || error instanceof PartlyError;
  terminal.tell(plain ? stripControls(message) : `${terminal.tint('red', 'Error:')} ${stripControls(message)}`);
  const code = error instanceof LorekeepError ? error.code : '';
  if (code === 'key_missing') terminal.tell(`${program} login keeps a key for the commands that follow.`);
  if (!isTold(error) && error instanceof Error && environment.LOREKEEP_DEBUG) terminal.tell(error.stack ?? '');
}

function ownCode(error: unknown): string {
  if (error instanceof UsageError) return 'usage';
  if (error instanceof Interrupted) return 'interrupted';
  if (error instanceof EndedError) return 'ended';
  return error instanceof PartlyError ? 'partly' : 'failed';
}

const isTold = (error: unknown) =>
  error instanceof LorekeepError || error instanceof UsageError || error instanceof NoModelError;

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    // A second Ctrl-C exits at once.
    if (stop.signal.aborted) process.exit(exitCodes.interrupted);
    stop.abort(new Interrupted(''));
  });
// A closed pipe (`| head`) is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(exitCodes.done);
  explain(new Error(`The result cannot be written: ${error.message}.`));
  process.exit(exitCodes.failed);
});

try {
  await main(process.argv.slice(2));
} catch (error) {
  const cause = stop.signal.aborted && !(error instanceof Interrupted) ? new Interrupted('') : error;
  explain(cause);
  process.exitCode = exitCodeOf(cause);
}
