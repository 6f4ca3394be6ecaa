// The engine's Python environment: made by setup/python.sh while the server already answers, kept and reused when nothing changed.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import { checkout } from '../config/settings.ts';

export interface PythonEnvironment {
  /** Resolves with the interpreter when it is there; rejects with what is missing. */
  ready: Promise<string>;
  stop(): Promise<void>;
}

export function environment(log: FastifyBaseLogger): PythonEnvironment {
  const started = performance.now();
  // A group of its own: pip starts processes, and all of them have to go when the server stops.
  const child = spawn('sh', [join(checkout, 'setup/python.sh'), 'engine'], {
    cwd: checkout,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const said: string[] = [];
  child.stdout.on('data', (text) => log.info(`Python environment: ${String(text).trim()}`));
  child.stderr.on('data', (text) => said.push(String(text)));
  let running = true;
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve)).finally(() => {
    running = false;
  });
  let stopping = false;
  const ready = ended.then((code) => {
    if (code !== 0) throw new Error(`The Python environment of the engine could not be made:\n${said.join('').trim()}`);
    log.info({ seconds: Math.round((performance.now() - started) / 1000) }, 'Python environment: ready');
    return join(checkout, '.setup/engine/bin/python');
  });
  ready.catch((error: Error) => {
    if (!stopping) log.error(error.message);
  });
  return {
    ready,
    stop: async () => {
      stopping = true;
      if (running && child.pid !== undefined) process.kill(-child.pid, 'SIGTERM');
      await ended;
    },
  };
}
