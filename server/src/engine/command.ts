// Runs one command of the engine (`python -m lorekeep ...`) to completion, in a process of its own beside the serving one.
import { Refusal } from '@lorekeep/contract';
import { checkout } from '../config/settings.ts';
import { reportsDiskFull } from '../files/disk-full.ts';
import { pythonEnvironment } from './child-environment.ts';
import { spawnPiped, spawnProblem } from './spawn-piped.ts';

/** A command refused its input and printed the reason. Other failures are bugs. */
export class CommandRefusal extends Error {}
const refusedStatus = 3;

const notStarted = (error: NodeJS.ErrnoException): Refusal =>
  new Refusal(
    'engine_unavailable',
    { reason: `its process could not be started: ${spawnProblem(error)}` },
    { headers: { 'Retry-After': '5' }, cause: error },
  ) as Refusal;

export class EngineCommands {
  #python: string | undefined;

  constructor(python: Promise<string>) {
    python.then(
      (program) => {
        this.#python = program;
      },
      () => {},
    );
  }

  refuseUnready(): void {
    if (this.#python === undefined)
      throw new Refusal(
        'engine_unavailable',
        { reason: 'its packages are being installed, or could not be' },
        { headers: { 'Retry-After': '5' } },
      );
  }

  /** Returns the command's output. The signal ends the process when the caller is gone. */
  async run(words: string[], signal: AbortSignal): Promise<string> {
    this.refuseUnready();
    signal.throwIfAborted();
    const child = spawnPiped(this.#python!, ['-m', 'lorekeep', ...words], {
      cwd: checkout,
      env: pythonEnvironment('compute'),
    });
    child.stdin.on('error', () => {}).end();
    const giveUp = () => child.kill('SIGKILL');
    signal.addEventListener('abort', giveUp, { once: true });
    let out = '';
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      out += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text) => {
      output = (output + text).slice(-2_000);
    });
    const code = await new Promise<number | null>((done, failed) => {
      child.once('error', (error) => failed(child.pid === undefined ? notStarted(error) : error));
      child.once('close', done);
    });
    signal.removeEventListener('abort', giveUp);
    signal.throwIfAborted();
    if (code === 0) return out;
    if (code === refusedStatus) throw new CommandRefusal(output.trim().split('\n').at(-1));
    const failure = new Error(`"lorekeep ${words[0]}" ended with ${code}: ${output.trim()}`);
    throw reportsDiskFull(output) ? Object.assign(failure, { code: 'ENOSPC' }) : failure;
  }
}
