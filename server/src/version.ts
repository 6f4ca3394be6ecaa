// The version of the product: the version of the checkout, with its commit if git knows it.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkout } from './config/settings.ts';

export const version: string = (JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')) as { version: string })
  .version;

/** Null if the checkout is a copy without history, or part of another repository. */
export function commit(): string | null {
  if (!existsSync(join(checkout, '.git'))) return null;
  const { status, stdout } = spawnSync('git', ['-C', checkout, 'rev-parse', '--short', 'HEAD'], { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : null;
}
