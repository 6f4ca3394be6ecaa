// Starts each measured server in a process of its own, so that measuring does not slow it.
import { type ChildProcess, spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

const root = resolve(import.meta.dirname, '..');

export interface Running {
  url: string;
  pid: number;
  stop(): Promise<void>;
}

export async function startProduct(
  home: string,
  environment: Record<string, string> = {},
): Promise<Running & { key: string }> {
  const key = 'bench-key-0123456789abcdef';
  const running = await start([join(root, 'server/src/main.ts'), 'up'], {
    LOREKEEP_HOME: home,
    LOREKEEP_PORT: '0',
    LOREKEEP_ADMIN_KEY: key,
    LOREKEEP_LOG_LEVEL: 'warn',
    ...environment,
  });
  return { ...running, key };
}

export async function startBare(): Promise<Running> {
  return await start([join(import.meta.dirname, 'api/bare.ts')], {});
}

async function start(script: string[], environment: Record<string, string>): Promise<Running> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...script], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await address(child);
  return {
    url,
    pid: child.pid!,
    stop: async () => {
      const ended = new Promise((done) => child.once('exit', done));
      child.kill('SIGTERM');
      await ended;
    },
  };
}

async function address(child: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: child.stdout! })) {
    const found = /ready at (http:\S+)/.exec(line)?.[1];
    if (found) {
      child.stdout!.resume();
      return found;
    }
  }
  throw new Error('The process ended before it was ready.');
}
