// Adapter for the engine as a child process that speaks JSON lines over its pipes. When the server process ends for any reason, the pipe
// closes and the engine exits by itself.
import { createInterface } from 'node:readline';
import type { FastifyBaseLogger } from 'fastify';
import { checkout } from '../config/settings.ts';
import { pythonEnvironment } from './child-environment.ts';
import { ConnectedEngine, type Heartbeat } from './connected.ts';
import { spawnPiped, spawnProblem } from './spawn-piped.ts';
import type { Transport } from './transport.ts';

export class ChildEngine extends ConnectedEngine {
  /** Starts as soon as the Python environment is ready. */
  constructor(python: Promise<string>, log: FastifyBaseLogger, options: string[] = [], heartbeat?: Heartbeat) {
    super(
      python.then((program) => servingChild(program, options, log)),
      log,
      heartbeat,
    );
  }
}

/** `more` holds additional environment variables of the process. */
export function servingChild(
  program: string,
  options: readonly string[],
  log: FastifyBaseLogger,
  more: Record<string, string> = {},
): Transport {
  const environment = { ...pythonEnvironment('compute'), ...more };
  return childTransport([program, '-m', 'lorekeep', 'serve', ...options], environment, log);
}

/** Number of lines of a failed engine's output that are logged. */
const lastLines = 8;

export function childTransport(
  [program, ...words]: readonly [string, ...string[]],
  environment: Record<string, string>,
  log: FastifyBaseLogger,
): Transport {
  return ({ heard, line, ended }) => {
    const child = spawnPiped(program, words, { cwd: checkout, env: environment });
    let problem: string | undefined;
    child.stdin.on('error', () => {});
    child.on('error', (error) => {
      // Also an error of kill.
      if (child.pid === undefined) problem = `it could not be started: ${spawnProblem(error)}`;
      log.error({ err: error }, problem ? 'the engine could not be started' : 'the engine could not be stopped');
    });
    // Reported before the line is parsed, so that the first message of a slow start is not logged as a recovery.
    child.stdout.on('data', heard);
    createInterface({ input: child.stdout }).on('line', line);
    let last: string[] = [];
    createInterface({ input: child.stderr }).on('line', (text) => {
      // Errors are for the operator: a damaged model, a bug of the engine.
      log[text.startsWith('ERROR ') ? 'error' : 'debug'](`engine: ${text}`);
      last = [...last.slice(1 - lastLines), text];
    });
    child.once('close', (code, signal) => {
      // A traceback has no "ERROR" before its lines.
      if (code && last.length > 0)
        log.error(`the engine ended with exit code ${code}; its last lines: ${last.join(' | ')}`);
      ended(problem ?? signal ?? `exit code ${code}`);
    });
    return {
      about: () => ({ pid: child.pid }),
      send: (text) => child.stdin.write(text),
      close: () => child.stdin.end(),
      kill: () => child.kill('SIGKILL'),
    };
  };
}
