// Copies of the shipped base as models of a home: in another precision, or with another configuration.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { checkout } from '../config/settings.ts';
import { withEngine } from './server.ts';
import { templates } from './templates.ts';

const shipped = join(checkout, 'models/quill');

type Precision = 'int8' | 'int4';

/** The quantized base as the model of this name. A run of ./lorekeep test makes both at once, for all tests. */
export async function quantizedQuill(home: string, name: string, precision: Precision): Promise<void> {
  const target = join(home, 'models', name);
  await mkdir(dirname(target), { recursive: true });
  const { shared } = templates();
  if (shared === undefined) return await quantize([[precision, target]]);
  const kept = join(shared, 'quill');
  if (!existsSync(kept)) {
    const own = `${kept}-${process.pid}`;
    await quantize([
      ['int8', join(own, 'int8')],
      ['int4', join(own, 'int4')],
    ]);
    // Another test file may have created it meanwhile.
    await rename(own, kept).catch(async (error) => {
      if (!existsSync(kept)) throw error;
      await rm(own, { recursive: true });
    });
  }
  await cp(join(kept, precision), target, { recursive: true });
}

async function quantize(wanted: [Precision, string][]): Promise<void> {
  const program = `
import sys
from pathlib import Path
from lorekeep.quantization.write import quantize
for precision, target in zip(sys.argv[2::2], sys.argv[3::2]):
    quantize(Path(sys.argv[1]), Path(target), precision)`;
  await promisify(execFile)(await withEngine, ['-c', program, shipped, ...wanted.flat()], {
    // Several threads on shared cores are slower than one.
    env: { ...process.env, PYTHONPATH: join(checkout, 'engine'), OMP_NUM_THREADS: '1' },
  });
}

/** A model with the same tokenizer and a changed configuration. */
export async function otherQuill(home: string, name: string, config: object): Promise<void> {
  const target = join(home, 'models', name);
  await cp(shipped, target, { recursive: true });
  await rm(join(target, 'lorekeep.json'));
  const said = JSON.parse(await readFile(join(target, 'config.json'), 'utf8'));
  await writeFile(join(target, 'config.json'), JSON.stringify({ ...said, ...config }));
}
