// The real product as a separate process, for tests that kill, flood and stop it. It shares no state with the test.
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkout, flagName, type SettingName } from '../config/settings.ts';
import { adminKey, type Reply } from './server.ts';

type Flags = Partial<Record<SettingName, string>>;

export interface ServerProcess {
  url: string;
  port: number;
  pid: number;
  /** Its output so far, standard error included. */
  output(): string;
  /** Peak memory in bytes. */
  peakMemory(): number;
  signal(name: NodeJS.Signals): void;
  /** Stops reading its output. */
  ignore(): void;
  /** Resolves with the exit code, or with the signal that ended it. */
  ended: Promise<number | NodeJS.Signals>;
  /** Sends the signal and waits for the end. */
  stop(name?: NodeJS.Signals): Promise<number | NodeJS.Signals>;
}

const main = join(checkout, 'server/src/main.ts');
const startTimeoutMs = 300_000;

function start(
  command: string,
  words: string[],
  flags: Flags,
  environment: Record<string, string>,
  within: string[] = [],
): ChildProcess {
  const settings = Object.entries(flags).flatMap(([name, value]) => [flagName(name as SettingName), value]);
  const own = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^LOREKEEP_(?!TEST_)/.test(name)));
  const line = [process.execPath, '--disable-warning=ExperimentalWarning', main, command, ...words, ...settings];
  const [program, ...rest] = [...within, ...line];
  return spawn(program!, rest, {
    cwd: checkout,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...own, ...environment },
  });
}

function listen(child: ChildProcess): { output: () => string; ended: Promise<number | NodeJS.Signals> } {
  let text = '';
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.setEncoding('utf8');
    stream.on('data', (chunk) => {
      text = (text + chunk).slice(-200_000);
    });
  }
  const { promise: ended, resolve } = Promise.withResolvers<number | NodeJS.Signals>();
  // "exit", not "close": its child processes may hold its pipes open for longer.
  child.once('exit', (code, signal) => resolve(code ?? signal ?? -1));
  return { output: () => text, ended };
}

/** Runs one command of the command line to its end, or kills it after some milliseconds. */
export async function runCommand(
  command: string,
  words: string[],
  flags: Flags = {},
  environment: Record<string, string> = {},
  killAfter?: number,
): Promise<{ code: number | NodeJS.Signals; output: string }> {
  const child = start(command, words, flags, environment);
  const { output } = listen(child);
  if (killAfter !== undefined) setTimeout(() => child.kill('SIGKILL'), killAfter);
  const code = await new Promise<number | NodeJS.Signals>((resolve) =>
    child.once('close', (exit, signal) => resolve(exit ?? signal ?? -1)),
  );
  return { code, output: output() };
}

/** Starts the product and waits until it says that it is ready. `within` stands before its command and becomes it (`exec`). */
export async function startProcess(flags: Flags, within: string[] = []): Promise<ServerProcess> {
  await leftoversEnd(2);
  const child = start(
    'up',
    [],
    { host: '127.0.0.1', port: '0', log_level: 'warn', ...flags },
    { LOREKEEP_ADMIN_KEY: adminKey },
    within,
  );
  const { output, ended } = listen(child);
  const pid = child.pid!;
  let over = false;
  void ended.then(() => {
    over = true;
  });
  running.add(child);
  void ended.then(() => running.delete(child));
  const started = Date.now();
  let url: string | undefined;
  while (!url) {
    await sleep(10);
    url = /is ready at (http:\/\/\S+)/.exec(output())?.[1];
    if (url) break;
    if (over) throw new Error(`The server ended before it was ready (${await ended}):\n${output()}`);
    if (Date.now() - started > startTimeoutMs) {
      child.kill('SIGKILL');
      throw new Error(`The server was not ready in time:\n${output()}`);
    }
  }
  return {
    url,
    port: Number(new URL(url).port),
    pid,
    output,
    ended,
    peakMemory: () => Number(/^VmHWM:\s*(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024,
    signal: (name) => child.kill(name),
    ignore: () => {
      child.stdout?.pause();
      child.stderr?.pause();
    },
    stop: async (name = 'SIGTERM') => {
      if (!over) leftovers.push(...childrenOf(pid));
      child.kill(name);
      return await ended;
    },
  };
}

/** Calls with the operator's key. */
export function callerOf({ url }: Pick<ServerProcess, 'url'>) {
  const call = async (method: string, path: string, { body }: { body?: unknown } = {}): Promise<Reply> => {
    const response = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, headers: response.headers, body: await response.json() };
  };
  return { call };
}

/** Kills the server and all its child processes with SIGKILL. */
export async function killAll(server: ServerProcess): Promise<void> {
  const children = childrenOf(server.pid);
  const ended = server.stop('SIGKILL');
  for (const child of children) {
    try {
      process.kill(child, 'SIGKILL');
    } catch {
      // It has already ended with its server.
    }
  }
  await ended;
}

const running = new Set<ChildProcess>();
/**
 * Child processes of killed servers. They outlive a kill -9 for a moment, end by themselves, and must not
 * accumulate.
 */
const leftovers: number[] = [];

/** After a test: ends the servers that a failed test did not stop, and waits for all child processes of servers. */
export async function endProcesses(): Promise<void> {
  for (const child of running) {
    leftovers.push(...childrenOf(child.pid!));
    child.kill('SIGKILL');
  }
  await leftoversEnd(0);
}

async function leftoversEnd(limit: number): Promise<void> {
  while (leftovers.length > limit) await gone(leftovers.shift()!);
}

export function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

async function gone(pid: number): Promise<void> {
  for (let attempt = 0; attempt < 3000; attempt++) {
    try {
      process.kill(pid, 0);
    } catch {
      return;
    }
    await sleep(10);
  }
  throw new Error(`The process ${pid}, started by the server, did not end.`);
}
