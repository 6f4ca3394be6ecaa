// Start options of local replicas: a program in the place of Python records its arguments.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { loadConfig } from '../../config/load.ts';
import { createLog } from '../../http/log.ts';
import { until } from '../../testing/until.ts';
import { composeEngine } from './compose.ts';

const log = createLog({ log_level: 'silent', log_format: 'json' });
let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lorekeep-test-'));
});
after(async () => await rm(folder, { recursive: true }));

/** GPU and options of each replica on a machine with this number of GPUs. */
async function given(gpus: number, memory: 'auto' | number): Promise<string[]> {
  const program = join(folder, `python-${gpus}-${memory}`);
  const hello = JSON.stringify({ type: 'hello', protocol: 1, pid: 1, device: 'cuda', gpus, embedder: null });
  const script = `#!/bin/sh\necho "\${CUDA_VISIBLE_DEVICES-all}: $*" >>"$0.told"\necho '${hello}'\nexec cat >/dev/null\n`;
  await writeFile(program, script, { mode: 0o700 });
  const { config } = loadConfig({ environment: {} });
  const asked = { ...config, replicas: { min: 4, max: 4 }, engine_memory: memory };
  const { engine } = composeEngine(asked, Promise.resolve(program), log);
  const told = async () => (await readFile(`${program}.told`, 'utf8').catch(() => '')).trim().split('\n');
  try {
    await until('all are started', async () => (await told()).length === 4);
    return (await told()).map((line) => line.replace(/ -m lorekeep serve| --threads.*/g, '')).sort();
  } finally {
    await engine.stop();
  }
}

it('local replicas share the memory of the machine, or of their GPU', async () => {
  delete process.env.CUDA_VISIBLE_DEVICES;
  // The first replica sees all GPUs, and divides by their number itself.
  assert.deepEqual(await given(2, 'auto'), ['0: --share 2', '1: --share 2', '1: --share 2', 'all: --share 4']);
  assert.deepEqual(await given(4, 'auto'), ['1:', '2:', '3:', 'all: --share 4']);
  assert.deepEqual(await given(0, 'auto'), Array(4).fill('all: --share 4'));
});

it('local replicas divide a configured memory limit', async () => {
  assert.deepEqual(await given(0, 4096), Array(4).fill('all: --memory 1024'));
});
