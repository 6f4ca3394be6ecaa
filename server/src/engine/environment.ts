// The engine's Python environment: made by setup/python.sh while the server already answers, kept and reused when nothing changed.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import { checkout } from '../config/settings.ts';

export interface PythonEnvironment {
  /** Resolves with the interpreter when it is there; rejects with what is missing. */
  ready: Promise<string>;
  stop(): Promise<void>;
}

/** Something else on the machine ended it, for want of memory say: that is not its own fault. */
const mostKilled = 5;
const pause = 1_000;

export function environment(log: FastifyBaseLogger): PythonEnvironment {
  const started = performance.now();
  const stopping = new AbortController();
  const make = async (): Promise<string> => {
    for (let killed = 0; ; killed++) {
      const { code, said } = await run(log, stopping.signal);
      if (code === 0) break;
      if (code !== null || killed === mostKilled || stopping.signal.aborted)
        throw new Error(`The Python environment of the engine could not be made:\n${said || 'it was killed'}`);
      log.warn('the making of the Python environment was killed; it goes on in a moment');
      await sleep(pause, undefined, { signal: stopping.signal });
    }
    log.info({ seconds: Math.round((performance.now() - started) / 1000) }, 'Python environment: ready');
    return join(checkout, '.setup/engine/bin/python');
  };
  const ready = make();
  const over = ready.then(
    () => {},
    (error: Error) => {
      if (!stopping.signal.aborted) log.error(error.message);
    },
  );
  return {
    ready,
    stop: async () => {
      stopping.abort();
      await over;
    },
  };
}

async function run(log: FastifyBaseLogger, signal: AbortSignal): Promise<{ code: number | null; said: string }> {
  // A group of its own: pip starts processes, and all of them have to go when the server stops.
  const child = spawn('sh', [join(checkout, 'setup/python.sh'), 'engine'], {
    cwd: checkout,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const said: string[] = [];
  child.stdout.on('data', (text) => log.info(`Python environment: ${String(text).trim()}`));
  child.stderr.on('data', (text) => said.push(String(text)));
  const end = () => child.pid !== undefined && process.kill(-child.pid, 'SIGTERM');
  signal.addEventListener('abort', end, { once: true });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  signal.removeEventListener('abort', end);
  return { code, said: said.join('').trim() };
}
