// A temporary Lorekeep: on a free port, with its data in a temporary folder that is removed at the end.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Lorekeep } from '@lorekeep/client';

const root = resolve(import.meta.dirname, '..');

export interface Product {
  url: string;
  key: string;
  client: Lorekeep;
  end(): Promise<void>;
}

/** The interpreter of the engine belongs to the machine, unlike the settings of its Lorekeep. */
const isOfMachine = (name: string) => !name.startsWith('LOREKEEP_') || name === 'LOREKEEP_PYTHON';

/** Resolves when models can be asked; `onWait` receives the awaited part. */
export async function startProduct(signal: AbortSignal, onWait: (what: string) => void): Promise<Product> {
  signal.throwIfAborted();
  const folder = await mkdtemp(join(tmpdir(), 'lorekeep-demo-'));
  const home = join(folder, 'data');
  // Temporary files of libraries are removed with the rest.
  const temporary = join(folder, 'tmp');
  await mkdir(temporary);
  const key = randomBytes(24).toString('base64url');
  // Settings of this machine's own Lorekeep are not for this one.
  const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => isOfMachine(name)));
  const main = join(root, 'server/src/main.ts');
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', main, 'up', '--home', home, '--host', '127.0.0.1', '--port', '0'],
    // Its own process group: Ctrl-C reaches only this process, which then stops the product.
    {
      env: { ...environment, LOREKEEP_ADMIN_KEY: key, LOREKEEP_LOG_FORMAT: 'text', TMPDIR: temporary },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    },
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk) => {
      output = (output + chunk).slice(-20_000);
    });
  let over = false;
  const ended = new Promise<void>((done) =>
    child.once('exit', () => {
      over = true;
      done();
    }),
  );
  const end = async () => {
    if (!over) child.kill('SIGTERM');
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  try {
    let url: string | undefined;
    while (!url) {
      await sleep(50, undefined, { signal });
      url = /is ready at (http:\/\/\S+)/.exec(output)?.[1];
      if (!url && over) throw new Error(`Lorekeep did not start:\n${output}`);
    }
    const client = new Lorekeep({ baseUrl: url, apiKey: key, onWarning: () => {} });
    for (;;) {
      const { parts } = await client.readiness({ signal });
      if (parts.engine === 'ok') break;
      if (over) throw new Error(`Lorekeep ended:\n${output}`);
      const problem = problemOf(parts.engine ?? '', output);
      if (problem) throw new Error(problem);
      onWait(`the engine: ${parts.engine}`);
      await sleep(200, undefined, { signal });
    }
    return { url, key, client, end };
  } catch (error) {
    await end();
    throw error;
  }
}

/** Maximum number of exits of the engine at its start before the wait is given up. */
const maxFailedStarts = 3;

/** Reason why the engine will not start, with the server's last lines about it. */
function problemOf(engine: string, output: string): string | undefined {
  // After the greeting of the server.
  const tail = () => output.split('Ctrl-C stops it.').at(-1)!.trim().split('\n').slice(-20).join('\n');
  if (engine.startsWith('not set up')) return `The engine cannot be set up:\n${tail()}`;
  if (output.split('the engine ended').length > maxFailedStarts)
    return `The engine ends as soon as it starts (./lorekeep up --log-level debug shows what it says):\n${tail()}`;
  return undefined;
}
