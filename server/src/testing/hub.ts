// A model hub beside a test: engine/lorekeep/hub/testing_hub.py over a folder of repositories, and the repositories for it.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkout } from '../config/settings.ts';

export interface Hub {
  url: string;
  /** A complete model folder with random weights, of about this many bytes. */
  add(name: string, bytes?: number): Promise<void>;
  /** The shipped model under another name. */
  addQuill(name: string): Promise<void>;
  /** Sets the behaviour of a repository from now on; engine/lorekeep/hub/testing_hub.py lists the choices. */
  behave(name: string, behaviour: Record<string, unknown>): Promise<void>;
  requests(): Promise<{ path: string; range: string | null; cdn: boolean; token: string | null }[]>;
  end(): Promise<void>;
}

export async function startHub(): Promise<Hub> {
  process.env.NO_PROXY ??= '127.0.0.1';
  const root = await mkdtemp(join(tmpdir(), 'lorekeep-hub-'));
  const child = spawn(
    join(checkout, '.setup/engine/bin/python'),
    [join(checkout, 'engine/lorekeep/hub/testing_hub.py'), root],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  const url = await new Promise<string>((resolve) => child.stdout.once('data', (line) => resolve(String(line).trim())));
  return {
    url,
    add: async (name, bytes = 4000) => {
      const folder = join(root, name);
      await mkdir(folder, { recursive: true });
      await writeFile(join(folder, 'config.json'), '{"model_type": "llama"}');
      await writeFile(join(folder, 'tokenizer.json'), '{}');
      const size = bytes - (bytes % 4);
      const head = JSON.stringify({ weight: { dtype: 'F32', shape: [size / 4], data_offsets: [0, size] } });
      const length = Buffer.alloc(8);
      length.writeBigUInt64LE(BigInt(head.length));
      await writeFile(join(folder, 'model.safetensors'), Buffer.concat([length, Buffer.from(head), randomBytes(size)]));
    },
    addQuill: async (name) => await cp(join(checkout, 'models/quill'), join(root, name), { recursive: true }),
    behave: async (name, behaviour) => await writeFile(join(root, `${name}.json`), JSON.stringify(behaviour)),
    requests: async () => {
      const text = await readFile(join(root, 'requests.jsonl'), 'utf8').catch(() => '');
      return text
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line));
    },
    end: async () => {
      child.stdin.end();
      await new Promise((resolve) => child.once('close', resolve));
      await rm(root, { recursive: true, force: true });
    },
  };
}
