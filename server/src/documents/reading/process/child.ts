// The process that parses. It is told a file at a time over its input and answers in JSON lines over its output, waiting while the server is
// busy. It may read what is handed over to it and write to its scratch folder, and nothing else; when anything goes wrong beyond a reason, it is replaced.
import { Console } from 'node:console';
import { once } from 'node:events';
import { readFile, stat } from 'node:fs/promises';
import { setPriority } from 'node:os';
import { createInterface } from 'node:readline';
import { Worker } from 'node:worker_threads';
import { PassageCutter } from '../../passages/cut.ts';
import { type TokenCounter, tokenCounter } from '../../passages/tokens.ts';
import { damaged, Unreadable } from '../failures.ts';
import { kindOf } from '../kind.ts';
import { parserOf } from '../parsers.ts';
import type { Message, ReadRequest } from './messages.ts';
import type { Watched } from './watch.ts';

const batch = 64 * 1024;

// Libraries that print warnings must not print them between the messages.
globalThis.console = new Console(process.stderr);

const [memory, silence, time] = process.argv.slice(2).map(Number) as [number, number, number];
const counts = new SharedArrayBuffer(8);
const told = new Int32Array(counts);
const watched: Watched = { memory, silence, time, counts };
new Worker(new URL('./watch.ts', import.meta.url), { workerData: watched }).unref();
try {
  // The server and the engine go first.
  setPriority(5);
} catch {
  // Where it may not be changed it stays.
}

let waiting = '';

function say(message: Message): void {
  Atomics.add(told, 0, 1);
  waiting += `${JSON.stringify(message)}\n`;
  if (waiting.length > batch || message.type === 'page' || message.type === 'part') flush();
}

function flush(): void {
  if (waiting !== '') process.stdout.write(waiting);
  waiting = '';
}

async function read(request: ReadRequest): Promise<void> {
  const { path, name, scratch, limits, passages } = request;
  Atomics.add(told, 1, 1);
  const kind = await kindOf(path, name);
  say({ type: 'kind', kind });
  const parse = await parserOf(kind);
  const cutter = passages && new PassageCutter(await counterOf(passages.tokenizer), passages.limits);
  let characters = 0;
  for await (const found of parse({ path, name, bytes: (await stat(path)).size, scratch, limits })) {
    if (found.type === 'block') characters += found.text.length + 1;
    // The server is behind: nothing more is read until it has taken what there is.
    if (process.stdout.writableNeedDrain) await once(process.stdout, 'drain');
    if (characters > limits.characters) throw new Unreadable('characters', { limit: limits.characters });
    if (found.type === 'title') cutter?.title(found.title);
    if (found.type !== 'block' || request.blocks) say(found);
    if (found.type === 'block' && cutter) for (const passage of cutter.add(found)) say({ type: 'passage', ...passage });
  }
  if (cutter) for (const passage of cutter.end()) say({ type: 'passage', ...passage });
  say({ type: 'end', characters });
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

for await (const line of createInterface({ input: process.stdin })) {
  try {
    await read(JSON.parse(line) as ReadRequest);
  } catch (error) {
    const { code, message } = damaged(error);
    say({ type: 'failed', code, reason: message });
  }
  flush();
}
