// The real llama.cpp server with the shipped base, written as GGUF by the engine's own export.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { checkout } from '../config/settings.ts';
import { withEngine } from './server.ts';

const missing = 75;

export interface LlamaCpp {
  url: string;
  end(): Promise<void>;
}

/** Returns the reason instead of a server if the package cannot be installed here. */
export async function startLlamaCpp(alias: string): Promise<LlamaCpp | string> {
  const folder = await mkdtemp(join(tmpdir(), 'lorekeep-test-'));
  const base = join(folder, 'base.gguf');
  const python = await withEngine;
  const write = 'import sys; from pathlib import Path; from lorekeep.memory.gguf_base import write_base\n';
  const words = ['-c', `${write}write_base(sys.argv[1], Path(sys.argv[2]), "base")`, `${checkout}/models/quill`, base];
  await promisify(execFile)(python, words, { env: { ...process.env, PYTHONPATH: join(checkout, 'engine') } });
  const child = spawn(python, [join(checkout, 'bench/llama-cpp/serve.py'), base, '--alias', alias]);
  const closed = once(child, 'close');
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said = (said + text).slice(-2000);
  });
  const first = await Promise.race([once(createInterface({ input: child.stdout }), 'line'), closed]);
  const end = async () => {
    child.stdin.end();
    await closed;
    await rm(folder, { recursive: true, force: true });
  };
  if (typeof first[0] === 'string') return { url: first[0], end };
  await rm(folder, { recursive: true, force: true });
  if (first[0] === missing) return said.trim().split('\n').at(-1) ?? 'llama.cpp is not here';
  throw new Error(`llama.cpp did not start: ${said}`);
}
