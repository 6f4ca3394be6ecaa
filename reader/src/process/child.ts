// Entry point of the sandboxed parsing process. It receives one file at a time on standard input and writes JSON lines to standard
// output, with backpressure. It may only read the given files and write to its scratch folder. After an unexpected failure the server
// replaces it.
import { Console } from 'node:console';
import { once } from 'node:events';
import { readFile, stat } from 'node:fs/promises';
import { setPriority } from 'node:os';
import { Worker } from 'node:worker_threads';
import { damaged, Unreadable } from '../failures.ts';
import { kindOf } from '../kind.ts';
import { misnamed, misnamedReason } from '../misnamed.ts';
import { parserOf } from '../parsers.ts';
import { PassageCutter } from '../passages/cut.ts';
import { type TokenCounter, tokenCounter } from '../passages/tokens.ts';
import { jsonLines } from './json-lines.ts';
import type { Message, ReadRequest } from './messages.ts';
import type { Watched } from './watch.ts';

const batch = 64 * 1024;

// Keeps warnings of libraries out of the message stream.
globalThis.console = new Console(process.stderr);

const [memory, silence] = process.argv.slice(2).map(Number) as [number, number];
const counts = new SharedArrayBuffer(12);
const counterView = new Int32Array(counts);
const watched: Watched = { memory, silence, counts };
new Worker(new URL('./watch.ts', import.meta.url), { workerData: watched }).unref();
try {
  // Lower priority than the server and the engine.
  setPriority(10);
} catch {
  // Ignored if the priority cannot be changed.
}

let waiting = '';

function say(message: Message): void {
  Atomics.add(counterView, 0, 1);
  waiting += `${JSON.stringify(message)}\n`;
  if (waiting.length > batch || message.type === 'page' || message.type === 'part') flush();
}

function flush(): void {
  if (waiting !== '') process.stdout.write(waiting);
  waiting = '';
}

/** Returns the length of the text. */
async function read(request: ReadRequest): Promise<number> {
  const { path, name, scratch, limits, passages } = request;
  const kind = await kindOf(path, name).catch((error) => {
    throw misnamedReason(name, damaged(error));
  });
  say({ type: 'kind', kind });
  const problem = misnamed(name, kind);
  if (problem) say({ type: 'notice', text: problem });
  const parse = await parserOf(kind);
  const cutter = passages && new PassageCutter(await counterOf(passages.tokenizer), passages.limits);
  let characters = 0;
  let [bytes, saidBytes] = [0, 0];
  const onBytes = (more: number) => {
    bytes += more;
  };
  for await (const found of parse({ path, name, bytes: (await stat(path)).size, scratch, limits, onBytes })) {
    if (bytes > saidBytes) say({ type: 'read', bytes });
    saidBytes = bytes;
    if (found.type === 'block') characters += found.text.length + 1;
    // Backpressure: nothing more is read until the server has caught up.
    if (process.stdout.writableNeedDrain) await once(process.stdout, 'drain');
    if (characters > limits.characters) throw new Unreadable('characters', { limit: limits.characters });
    if (found.type === 'title') cutter?.title(found.title);
    if (found.type !== 'block' || request.blocks) say(found);
    if (found.type === 'block' && cutter) for (const passage of cutter.add(found)) say({ type: 'passage', ...passage });
  }
  if (cutter) for (const passage of cutter.end()) say({ type: 'passage', ...passage });
  return characters;
}

function secondsWorked(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

const counters = new Map<string, TokenCounter>();

async function counterOf(path: string): Promise<TokenCounter> {
  let counter = counters.get(path);
  if (!counter) {
    counter = tokenCounter(await readFile(path, 'utf8'));
    counters.set(path, counter);
  }
  return counter;
}

for await (const line of jsonLines(process.stdin)) {
  const request = JSON.parse(line) as ReadRequest;
  const { expanded, time } = request.limits;
  const started = secondsWorked();
  // The watchdog may check at any moment, so the file counter is set before its limit.
  Atomics.add(counterView, 1, 1);
  Atomics.store(counterView, 2, Math.ceil(time * 1000));
  // Parsers subtract unpacked bytes from the limits of the request.
  const spent = () => ({ expanded: expanded - request.limits.expanded, seconds: secondsWorked() - started });
  try {
    const characters = await read(request);
    say({ type: 'end', characters, ...spent() });
  } catch (error) {
    const { code, message } = damaged(error);
    say({ type: 'failed', code, reason: message, ...spent() });
  }
  Atomics.store(counterView, 2, 0);
  flush();
}
