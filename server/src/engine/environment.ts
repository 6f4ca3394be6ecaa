// Installs the engine's Python environment with setup/python.sh while the server already answers. An unchanged environment is reused.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import { checkout } from '../config/settings.ts';
import { childEnvironment } from './child-environment.ts';

export interface PythonEnvironment {
  /** Resolves with the interpreter's path once it exists; rejects with the missing requirement. */
  ready: Promise<string>;
  stop(): Promise<void>;
}

/** The script was killed, for example by the kernel when memory ran out, so a retry makes sense. */
const maxKills = 5;
const pauseAfterKillMs = 1_000;
/** Exit code of python.sh when the package index did not deliver: a retry may succeed. */
const temporaryFailure = 75;
/** The exit code of a shell whose command is missing; here, the shell itself is. */
const missingProgram = 127;
const backoff = { first: 15_000, max: 600_000 };

/** `onProgress` receives progress as words that continue "it is". */
export function environment(
  log: FastifyBaseLogger,
  onProgress: (progress: string) => void = () => {},
  { root = checkout, firstPause = backoff.first } = {},
): PythonEnvironment {
  const started = performance.now();
  const stopping = new AbortController();
  const make = async (): Promise<string> => {
    let kills = 0;
    let pause = firstPause;
    for (;;) {
      const { code, errors } = await run(root, log, stopping.signal, onProgress).catch(notStarted);
      if (code === 0) break;
      const wasKilled = code === null && ++kills <= maxKills;
      if (stopping.signal.aborted || !(wasKilled || code === temporaryFailure))
        throw new Error(`The Python environment of the engine could not be made:\n${errors || 'it was killed'}`);
      const wait = wasKilled ? pauseAfterKillMs : pause;
      log.warn(`the Python environment could not be created; retrying in ${wait / 1000} s\n${errors}`);
      onProgress('being set up: its packages could not be installed (the log of the server says why); it tries again');
      await sleep(wait, undefined, { signal: stopping.signal });
      if (!wasKilled) pause = Math.min(pause * 2, backoff.max);
    }
    log.info({ seconds: Math.round((performance.now() - started) / 1000) }, 'Python environment: ready');
    return join(root, '.setup/engine/bin/python');
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

interface Attempt {
  code: number | null;
  errors: string;
}

/** Except for a missing program, reasons pass: processes, files or memory run out. */
const notStarted = ({ code, message }: NodeJS.ErrnoException): Attempt => ({
  code: code === 'ENOENT' ? missingProgram : temporaryFailure,
  errors: message,
});

async function run(
  root: string,
  log: FastifyBaseLogger,
  signal: AbortSignal,
  onProgress: (progress: string) => void,
): Promise<Attempt> {
  // A process group of its own: pip starts processes, and all of them have to end when the server stops.
  const child = spawn('sh', [join(root, 'setup/python.sh'), 'engine'], {
    cwd: root,
    env: childEnvironment('install'),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  // Rejects if the process could not be started, which then may lack pipes.
  const closed = once(child, 'close');
  if (child.pid === undefined) await closed;
  let errors = '';
  createInterface({ input: child.stdout }).on('line', (line) => {
    log.info(`Python environment: ${line}`);
    const [, progress] = /^setting up "engine": (.*)$/.exec(line) ?? [];
    if (progress) onProgress(`being set up: ${progress}`);
  });
  child.stderr.on('data', (text) => {
    errors = (errors + text).slice(-4_000);
  });
  const end = () => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGTERM');
    } catch {
      // The process has just exited, and its pipes are still open.
    }
  };
  signal.addEventListener('abort', end, { once: true });
  const [code] = await closed;
  signal.removeEventListener('abort', end);
  return { code, errors: errors.trim() };
}
