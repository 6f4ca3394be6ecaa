// A command of the engine, run to its end in a process of its own beside the one that answers.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { Refusal } from '@lorekeep/contract';
import { checkout } from '../config/settings.ts';

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

  /** Answers what it printed. The signal ends it when the caller is gone. */
  async run(words: string[], signal: AbortSignal): Promise<string> {
    this.refuseUnready();
    signal.throwIfAborted();
    const child = spawn(this.#python!, ['-m', 'lorekeep', ...words], {
      cwd: checkout,
      env: { ...process.env, PYTHONPATH: join(checkout, 'engine'), PYTHONDONTWRITEBYTECODE: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const giveUp = () => child.kill('SIGKILL');
    signal.addEventListener('abort', giveUp, { once: true });
    let out = '';
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      out += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text) => {
      said = (said + text).slice(-2_000);
    });
    const code = await new Promise<number | null>((done, failed) => {
      child.once('error', failed);
      child.once('close', done);
    });
    signal.removeEventListener('abort', giveUp);
    signal.throwIfAborted();
    if (code === 0) return out;
    const failure = new Error(`"lorekeep ${words[0]}" ended with ${code}: ${said.trim()}`);
    throw said.includes('No space left') ? Object.assign(failure, { code: 'ENOSPC' }) : failure;
  }
}
