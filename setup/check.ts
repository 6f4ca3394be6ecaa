// ./lorekeep check: format, lint and types of every language, and whatever is generated from code and committed. --write mends.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const write = process.argv.includes('--write');

interface Check {
  name: string;
  command: string[];
}

export function checks(mend: boolean): Check[] {
  const bin = (name: string) => join(root, 'node_modules/.bin', name);
  const ruff = join(root, '.setup/engine/bin/ruff');
  const script = (name: string) => [
    process.execPath,
    '--disable-warning=ExperimentalWarning',
    join(root, 'setup', name),
    ...(mend ? ['--write'] : []),
  ];
  return [
    {
      name: 'format and lint (TypeScript)',
      command: [bin('biome'), 'check', '--error-on-warnings', ...(mend ? ['--write'] : [])],
    },
    { name: 'types (TypeScript)', command: [bin('tsc'), '--project', root] },
    { name: 'types (console)', command: [bin('tsc'), '--project', join(root, 'console')] },
    { name: 'generated files', command: script('generated.ts') },
    ...(existsSync(ruff)
      ? [
          {
            name: 'format (Python)',
            command: [ruff, 'format', ...(mend ? [] : ['--check', '--diff']), 'engine', 'setup', 'server', 'bench'],
          },
          {
            name: 'lint (Python)',
            command: [ruff, 'check', ...(mend ? ['--fix'] : []), 'engine', 'setup', 'server', 'bench'],
          },
        ]
      : []),
  ];
}

export function runCheck({ name, command: [program, ...args] }: Check): boolean {
  const { status, stdout, stderr } = spawnSync(program!, args, { cwd: root, encoding: 'utf8' });
  process.stdout.write(`${status === 0 ? '✔' : '✖'} ${name}\n`);
  if (status !== 0) process.stdout.write(`${stdout}${stderr}`);
  return status === 0;
}

const help = `./lorekeep check [--write]

Formats, lints and type-checks every language, and compares what is generated from the code; --write mends what can be mended.`;

if (process.argv.includes('--help')) process.stdout.write(`${help}\n`);
else if (process.argv[1] === import.meta.filename) {
  const results = checks(write).map(runCheck);
  process.exitCode = results.every(Boolean) ? 0 : 1;
}
