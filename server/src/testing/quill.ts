// Copies of the shipped base as models of a home: in another precision, or with another configuration.
import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { checkout } from '../config/settings.ts';
import { withEngine } from './server.ts';

const shipped = join(checkout, 'models/quill');

/** The base in fewer bits, as the model of this name. */
export async function quantizedQuill(home: string, name: string, precision: 'int8' | 'int4'): Promise<void> {
  const target = join(home, 'models', name);
  await mkdir(dirname(target), { recursive: true });
  const program =
    'import sys; from pathlib import Path; from lorekeep.quantization.write import quantize; quantize(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])';
  await promisify(execFile)(await withEngine, ['-c', program, shipped, target, precision], {
    env: { ...process.env, PYTHONPATH: join(checkout, 'engine') },
  });
}

/** A model of the same tokenizer whose configuration says otherwise. */
export async function otherQuill(home: string, name: string, config: object): Promise<void> {
  const target = join(home, 'models', name);
  await cp(shipped, target, { recursive: true });
  await rm(join(target, 'lorekeep.json'));
  const said = JSON.parse(await readFile(join(target, 'config.json'), 'utf8'));
  await writeFile(join(target, 'config.json'), JSON.stringify({ ...said, ...config }));
}
