// Controls the parsing process, which parses files one by one within limits. It is started on demand, reused for the next file, and
// killed when a file exceeds a limit, when the reading is cancelled, or after an invalid message.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { type FailureCode, Unreadable } from '../failures.ts';
import type { Limits } from '../limits.ts';
import { exceeded, secondsSaid } from './limit-messages.ts';
import { type Message, messageSchema, type ReadRequest } from './messages.ts';

/** Maximum length of a message, since blocks are bounded. */
const maxMessageLength = 4 * 1024 * 1024;
/** Share of the memory limit for the JavaScript heap; buffers and the program take the rest. */
const heapShare = 0.6;
/** The process measures CPU time. Wall time may be this many times longer before it is killed. */
const wallTimeFactor = 30;

export interface Spent {
  /** Unpacked bytes. */
  expanded: number;
  /** CPU seconds. */
  seconds: number;
}

interface Running {
  child: ChildProcess;
  chunks: AsyncIterator<string>;
  output: () => string;
  tokenizer: string | undefined;
  ended: Promise<string>;
}

export class ParsingProcess {
  readonly #limits: Limits;
  /** Folder with the files to read. */
  readonly files: string;
  /** The only folder that the process may write to. */
  readonly unpacked: string;
  readonly #onCrash: ((output: string) => void) | undefined;
  #running: Running | undefined;
  #spent: Spent = { expanded: 0, seconds: 0 };

  /** `onCrash` is called with the last lines of a process that ended for no known reason. */
  constructor(scratch: string, limits: Limits, onCrash?: (output: string) => void) {
    this.#onCrash = onCrash;
    this.files = join(scratch, 'files');
    this.unpacked = join(scratch, 'unpacked');
    this.#limits = limits;
  }

  /** Streams all messages about one file. Throws Unreadable with the reason, or the signal's reason after a cancellation. */
  async *read(request: ReadRequest, signal?: AbortSignal): AsyncGenerator<Exclude<Message, { type: 'failed' }>> {
    this.#spent = { expanded: 0, seconds: 0 };
    signal?.throwIfAborted();
    const running = this.#start(request);
    let whole = false;
    try {
      running.child.stdin?.write(`${JSON.stringify(request)}\n`);
      for await (const message of this.#messages(running, signal)) {
        whole = message.type === 'end' || message.type === 'failed';
        if (whole) this.#spent = message as Spent;
        if (message.type === 'failed') throw new Failed(message.code as FailureCode, message.reason);
        yield message;
        if (whole) return;
      }
    } finally {
      if (!whole) await this.close();
    }
  }

  /** Cost of the last file, even if the process died of it. */
  get spent(): Spent {
    return this.#spent;
  }

  /** Kills the process. The next reading starts a new one. */
  async close(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    if (!running) return;
    running.child.kill('SIGKILL');
    // Discards its remaining output, which would keep the pipe open.
    running.child.stdout?.destroy();
    running.child.stderr?.destroy();
    await running.ended;
  }

  /** Starts a process, also if the tokenizer has changed. */
  #start({ scratch, passages }: ReadRequest): Running {
    for (const folder of [this.files, this.unpacked, scratch]) mkdirSync(folder, { recursive: true });
    if (this.#running && this.#running.tokenizer === passages?.tokenizer) return this.#running;
    void this.close();
    this.#running = start(this, passages?.tokenizer, this.#limits);
    return this.#running;
  }

  async *#messages(running: Running, signal: AbortSignal | undefined): AsyncGenerator<Message> {
    const timeoutMs = this.#limits.silence * wallTimeFactor;
    let rest = '';
    for (;;) {
      const next = await within(running.chunks.next(), timeoutMs * 1000, signal);
      if (next === 'late') throw new Unreadable('silence', { limit: timeoutMs });
      if (next.done) throw await this.#died(running);
      const lines = (rest + next.value).split('\n');
      rest = lines.pop()!;
      if (rest.length > maxMessageLength)
        throw new Unreadable('crashed', { detail: 'it sent a message that is too long' });
      for (const line of lines) yield parsed(line);
    }
  }

  async #died(running: Running): Promise<Unreadable> {
    const how = await running.ended;
    if (this.#running === running) this.#running = undefined;
    // No fault of the file.
    if (running.child.pid === undefined) throw new Error(`The process that reads files could not be started: ${how}.`);
    const output = running.output();
    this.#spent = { expanded: 0, seconds: secondsSaid(output) ?? 0 };
    for (const limit of ['memory', 'silence', 'time'] as const)
      if (output.includes(exceeded(limit))) return new Unreadable(limit, { limit: this.#limits[limit] });
    if (/heap out of memory|Array buffer allocation failed|out of memory/i.test(output))
      return new Unreadable('memory', { limit: this.#limits.memory });
    this.#onCrash?.(lastLines(output));
    return new Unreadable('crashed', { detail: how });
  }
}

const maxLinesLogged = 40;

const lastLines = (output: string): string => output.trimEnd().split('\n').slice(-maxLinesLogged).join('\n');

/** The reason that the process reported. */
class Failed extends Unreadable {
  constructor(code: FailureCode, reason: string) {
    super(code);
    this.message = reason;
  }
}

function parsed(line: string): Message {
  try {
    return messageSchema.parse(JSON.parse(line));
  } catch (error) {
    throw new Unreadable('crashed', { detail: 'it sent an invalid message' }, error);
  }
}

/** Program files that the process has to read. */
const program = ['reader', 'node_modules', 'package.json'].map((name) =>
  resolve(import.meta.dirname, '../../..', name),
);

function start(
  { files, unpacked }: Pick<ParsingProcess, 'files' | 'unpacked'>,
  tokenizer: string | undefined,
  { memory, silence }: Limits,
): Running {
  const readable = [...program, files, unpacked, ...(tokenizer === undefined ? [] : [tokenizer])];
  const script = join(import.meta.dirname, 'child.ts');
  const child: ChildProcess = spawn(
    process.execPath,
    [
      '--disable-warning=ExperimentalWarning',
      '--disable-warning=SecurityWarning',
      `--max-old-space-size=${Math.ceil(memory * heapShare)}`,
      '--max-semi-space-size=8',
      '--disallow-code-generation-from-strings',
      '--permission',
      '--allow-worker',
      ...readable.map((path) => `--allow-fs-read=${path}`),
      `--allow-fs-write=${unpacked}`,
      script,
      ...[memory, silence].map(String),
    ],
    // An empty environment, since the server's contains secrets.
    { cwd: unpacked, stdio: ['pipe', 'pipe', 'pipe'], env: { TZ: 'UTC' } },
  );
  let output = '';
  // Without a file that is left to open, the process is not started, and has no pipes.
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    output = (output + text).slice(-20_000);
  });
  child.stdin?.on('error', () => {});
  const chunks: Readable = child.stdout?.setEncoding('utf8') ?? Readable.from([]);
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code, signal) => resolve(signal ?? `exit code ${code}`));
  });
  return { child, chunks: chunks[Symbol.asyncIterator](), output: () => output, tokenizer, ended };
}

/** Waits without leaving handlers behind: handlers on a long-lived promise would leak memory. */
async function within<T>(
  promise: Promise<T>,
  milliseconds: number,
  signal: AbortSignal | undefined,
): Promise<T | 'late'> {
  const { promise: earlier, resolve, reject } = Promise.withResolvers<T | 'late'>();
  const cancel = () => reject(signal!.reason);
  const timer = setTimeout(() => resolve('late'), milliseconds);
  signal?.addEventListener('abort', cancel, { once: true });
  if (signal?.aborted) cancel();
  promise.then(resolve, reject);
  try {
    return await earlier;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', cancel);
  }
}
