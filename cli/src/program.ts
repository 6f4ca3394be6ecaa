// The command line without its process: finds the command, runs it, and returns a stable exit code.
import { Lorekeep, LorekeepError, version } from '@lorekeep/client';
import { type Context, parseArguments } from './command.ts';
import { inCommands } from './commands/in-commands.ts';
import { commands, findCommand, groups, hostWords, isCommand, isGroup } from './commands.ts';
import { engineReady } from './engine-ready.ts';
import { EndedError, exitCodeOf, exitCodes, Interrupted, MissingError, PartlyError, UsageError } from './exit.ts';
import { exitCodesHelp, groupHelp, helpOf, overview } from './help.ts';
import { readLogin } from './login.ts';
import { namesOf } from './names.ts';
import { didYouMean } from './nearest.ts';
import { stripControls, Terminal } from './terminal.ts';

/** Environment, streams and stop signal of a run: those of the process, or a test's own. */
export interface Surroundings {
  environment: NodeJS.ProcessEnv;
  input(): NodeJS.ReadStream;
  output: NodeJS.WriteStream;
  error: NodeJS.WriteStream;
  /** Aborts when Ctrl-C is pressed. */
  signal: AbortSignal;
}

export class Program {
  readonly #args: string[];
  readonly #given: Surroundings;
  readonly #environment: NodeJS.ProcessEnv;
  readonly #terminal: Terminal;
  readonly #name: string;

  constructor(args: string[], surroundings: Surroundings) {
    this.#args = args;
    this.#given = surroundings;
    this.#environment = surroundings.environment;
    this.#terminal = new Terminal(surroundings.output, surroundings.error, surroundings.environment);
    this.#name = surroundings.environment.LOREKEEP_PROGRAM || 'lorekeep';
  }

  /** Runs the command; returns the exit code. */
  async run(): Promise<number> {
    try {
      await this.#main(this.#args);
      return exitCodes.done;
    } catch (error) {
      const { signal } = this.#given;
      const cause = signal.aborted && !(error instanceof Interrupted) ? new Interrupted('') : error;
      this.explain(cause);
      return exitCodeOf(cause);
    }
  }

  async #main(args: string[]): Promise<void> {
    if (args.length === 0 || ['help', '--help', '-h'].includes(args[0]!))
      return this.#terminal.print(this.#help(args.slice(1)));
    if (args[0] === '--version') return this.#terminal.print(version);
    if (args[0] === '__names') return await this.#names(args[1] ?? '');
    const { words, options } = splitLeading(args);
    const asksHelp = args.includes('--help') || args.includes('-h');
    const [first = '', second = ''] = words;
    if (
      isGroup(first) &&
      (second === '' || second.startsWith('-')) &&
      (asksHelp || (args.length === 1 && !isCommand(first)))
    )
      return this.#terminal.print(groupHelp(first, this.#name));
    const found = findCommand(words);
    if (!found) throw this.#unknown(words);
    if (asksHelp) return this.#terminal.print(helpOf(found.command, this.#name));
    const given = parseArguments(found.command, [...options, ...found.rest]);
    const context = this.#contextOf(given.text('url'), given.is('json'));
    // Detached work is queued by the server.
    if (found.command.needsEngine && !given.is('detach')) await engineReady(context);
    try {
      await found.command.run(context, given);
    } catch (error) {
      if (!(error instanceof LorekeepError) || error.code !== 'model_not_found' || context.json) throw error;
      throw new MissingError(await this.#withNearest(error.message, context), error.code);
    }
  }

  /** Error for a missing model, with the nearest name and commands of this program instead of HTTP calls. */
  async #withNearest(message: string, context: Context): Promise<string> {
    const [sentence = message, name = ''] = /^There is no model "(.*?)" here\./s.exec(message) ?? [];
    const known = await namesOf('models', () => context.client());
    return `${sentence}${didYouMean(name, known)} ${this.#name} models list shows the existing ones.`;
  }

  #help([first = '', ...rest]: string[]): string {
    if (first === 'exit-codes') return exitCodesHelp();
    if (first === '') return overview(this.#name);
    const named = commands.find(({ name }) => name === [first, ...rest].join(' '));
    if (rest.length === 0 && isGroup(first)) return groupHelp(first, this.#name);
    if (!named) throw this.#unknown([first, ...rest]);
    return helpOf(named, this.#name);
  }

  #unknown([first = '', second = '']: string[]): UsageError {
    const behind = groups().get(first) ?? [];
    if (behind.length > 0) {
      const meant = didYouMean(second, behind, `${first} `);
      return new UsageError(`There is no "${first} ${second}"; there is ${first} ${behind.join(', ')}.${meant}`);
    }
    // The launcher `./lorekeep` has further commands for its host.
    const known = [
      ...commands.map(({ name }) => name.split(' ')[0]!),
      'help',
      ...(this.#name === './lorekeep' ? hostWords : []),
    ];
    return new UsageError(`There is no command "${first}".${didYouMean(first, known)} ${this.#name} help lists them.`);
  }

  async #names(kind: string): Promise<void> {
    const found = await namesOf(kind, () => this.#contextOf(undefined, false).client());
    if (found.length > 0) this.#terminal.print(found.join('\n'));
  }

  #contextOf(url: string | undefined, json: boolean): Context {
    const login = readLogin(this.#environment);
    const address = () => {
      if (url) return { url: checkedUrl(url, '--url'), from: '--url' };
      if (this.#environment.LOREKEEP_BASE_URL)
        return { url: checkedUrl(this.#environment.LOREKEEP_BASE_URL, 'LOREKEEP_BASE_URL'), from: 'LOREKEEP_BASE_URL' };
      return login ? { url: login.url, from: 'the login' } : { url: 'http://127.0.0.1:8080', from: 'the default' };
    };
    return {
      terminal: this.#terminal,
      input: this.#given.input,
      signal: this.#given.signal,
      program: this.#name,
      json,
      environment: this.#environment,
      address,
      client: (at) => {
        const url = at ?? address().url;
        // A stored key is sent only to the server that it was stored for.
        const savedKey = login && sameServer(login.url, url) ? login.key : null;
        return new Lorekeep({
          baseUrl: url,
          apiKey: this.#environment.LOREKEEP_API_KEY || savedKey,
          onWarning: (text) => this.#terminal.tell(`${this.#terminal.tint('yellow', 'Note:')} ${stripControls(text)}`),
        });
      },
      show: (value, text) => {
        const output = json ? printable(value) : stripControls(text());
        if (output !== '') this.#terminal.print(output);
      },
    };
  }

  /** Prints an error to standard error: a sentence, or JSON for a program that asked for JSON. */
  explain(error: unknown): void {
    if (this.#args.includes('--json')) {
      const { code, status, mistakes } = error as Partial<LorekeepError>;
      this.#terminal.tell(
        printable({
          error: {
            code: code ?? ownCode(error),
            detail: error instanceof Error ? error.message : String(error),
            ...(status && { status }),
            ...(mistakes?.length && { mistakes }),
          },
        }),
      );
      return;
    }
    const message = inCommands(error, this.#name);
    if (error instanceof Interrupted) {
      if (message) this.#terminal.tell(message);
      return;
    }
    const plain = error instanceof EndedError || error instanceof PartlyError;
    this.#terminal.tell(
      plain ? stripControls(message) : `${this.#terminal.tint('red', 'Error:')} ${stripControls(message)}`,
    );
    const code = error instanceof LorekeepError ? error.code : '';
    if (code === 'key_missing') this.#terminal.tell(`${this.#name} login stores a key for later commands.`);
    if (!isTold(error) && error instanceof Error && this.#environment.LOREKEEP_DEBUG)
      this.#terminal.tell(error.stack ?? '');
  }
}

/** Moves leading options to the end: `lorekeep --json keys list` means `lorekeep keys list --json`. */
function splitLeading(args: string[]): { words: string[]; options: string[] } {
  let at = 0;
  while (args[at]?.startsWith('-')) at += args[at] === '--url' ? 2 : 1;
  return { words: args.slice(at), options: args.slice(0, at) };
}

const sameServer = (one: string, other: string) => new URL(one).origin === new URL(other).origin;

function checkedUrl(url: string, from: string): string {
  if (!/^https?:\/\//.test(url) || !URL.canParse(url))
    throw new UsageError(`${from} "${url}" is not an address such as http://127.0.0.1:8080.`);
  return url.replace(/\/+$/, '');
}

/** Escapes control characters that JSON permits and that affect a terminal. */
const printable = (value: unknown) =>
  JSON.stringify(value).replace(/[\u007f-\u009f]/g, (one) => `\\u00${one.charCodeAt(0).toString(16)}`);

function ownCode(error: unknown): string {
  if (error instanceof UsageError) return 'usage';
  if (error instanceof Interrupted) return 'interrupted';
  if (error instanceof EndedError) return 'ended';
  if (error instanceof MissingError) return error.code;
  return error instanceof PartlyError ? 'partly' : 'failed';
}

const isTold = (error: unknown) =>
  error instanceof LorekeepError || error instanceof UsageError || error instanceof MissingError;
