// A tuned model to take elsewhere, as a tar file: the folder as it is but for the place of its base on this machine (the engine's own
// `export` does the same), or as PEFT adapters, which the engine lays out in a scratch folder that is gone afterwards.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { Refusal } from '@lorekeep/contract';
import { checkout } from '../config/settings.ts';
import { tarOf } from './tar.ts';

export class ModelExports {
  readonly #scratch: string;
  #python: string | undefined;

  constructor(python: Promise<string>, home: string) {
    this.#scratch = join(home, 'scratch');
    python.then(
      (program) => {
        this.#python = program;
      },
      () => {},
    );
  }

  async whole(folder: string, name: string): Promise<Readable> {
    const about = JSON.parse(await readFile(join(folder, 'memory.json'), 'utf8'));
    const sums = JSON.parse(await readFile(join(folder, 'checksums.json'), 'utf8'));
    about.base.path = basename(about.base.path);
    const written = JSON.stringify(about, null, 1);
    sums['memory.json'] = createHash('sha256').update(written).digest('hex');
    const instead = { 'memory.json': written, 'checksums.json': JSON.stringify(sums, null, 1) };
    return Readable.from(tarOf(folder, name, instead), { objectMode: false });
  }

  /** The signal ends it when the caller is gone. */
  async adapters(folder: string, name: string, signal: AbortSignal): Promise<Readable> {
    if (this.#python === undefined)
      throw new Refusal(
        'engine_unavailable',
        { reason: 'its packages are being installed, or could not be' },
        { headers: { 'Retry-After': '5' } },
      );
    await mkdir(this.#scratch, { recursive: true });
    const scratch = await mkdtemp(join(this.#scratch, 'export-'));
    const target = join(scratch, name);
    const remove = async () => await rm(scratch, { recursive: true, force: true });
    try {
      await layOut(this.#python, folder, target, signal);
    } catch (error) {
      await remove();
      throw error;
    }
    const sent = Readable.from(tarOf(target, name), { objectMode: false });
    // However it ends, and where nobody began to read it.
    sent.once('close', () => void remove());
    return sent;
  }
}

async function layOut(python: string, folder: string, target: string, signal: AbortSignal): Promise<void> {
  const child = spawn(python, ['-m', 'lorekeep', 'export', folder, target, '--peft'], {
    cwd: checkout,
    env: { ...process.env, PYTHONPATH: join(checkout, 'engine'), PYTHONDONTWRITEBYTECODE: '1' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const giveUp = () => child.kill('SIGKILL');
  signal.addEventListener('abort', giveUp, { once: true });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said = (said + text).slice(-2_000);
  });
  const code = await new Promise<number | null>((done, failed) => {
    child.once('error', failed);
    child.once('close', done);
  });
  signal.removeEventListener('abort', giveUp);
  signal.throwIfAborted();
  if (code !== 0) throw new Error(`The model could not be laid out as adapters (exit code ${code}): ${said.trim()}`);
}
