// ./lorekeep check: format, lint and types of every language, and committed files that are generated from code. --write fixes.
import { spawn, spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const write = process.argv.includes('--write');

interface Check {
  name: string;
  command: string[];
  /** Needs the Python environment of the engine. */
  python?: true;
  environment?: Record<string, string>;
}

/** Parallel checkers of tsc would each check the same libraries, and its garbage collector runs too often for a short program. */
const tscLimits = { arguments: ['--singleThreaded'], environment: { GOGC: '400' } };

export function checks(fix: boolean): Check[] {
  const bin = (name: string) => join(root, 'node_modules/.bin', name);
  const ruff = join(root, '.setup/engine/bin/ruff');
  const script = (name: string) => [
    process.execPath,
    '--disable-warning=ExperimentalWarning',
    join(root, 'setup', name),
    ...(fix ? ['--write'] : []),
  ];
  const types = (name: string, project: string): Check => ({
    name,
    command: [bin('tsc'), ...tscLimits.arguments, '--project', project],
    environment: tscLimits.environment,
  });
  return [
    {
      name: 'format and lint (TypeScript)',
      command: [bin('biome'), 'check', '--error-on-warnings', ...(fix ? ['--write'] : [])],
    },
    types('types (TypeScript)', root),
    types('types (console)', join(root, 'console')),
    types('types (what is published runs on Node 20)', join(root, 'tsconfig.published.json')),
    { name: 'import rules', command: script('import-rules.ts') },
    { name: 'generated files', command: script('generated.ts') },
    { name: 'names and openings in prose', command: script('prose.ts') },
    { name: 'sizes of files and functions', command: script('sizes.ts'), python: true },
    { name: 'titles of commits', command: script('commit-titles.ts') },
    {
      name: 'format (Python)',
      command: [ruff, 'format', ...(fix ? [] : ['--check', '--diff']), 'engine', 'setup', 'server', 'bench'],
      python: true,
    },
    {
      name: 'lint (Python)',
      command: [ruff, 'check', ...(fix ? ['--fix'] : []), 'engine', 'setup', 'server', 'bench'],
      python: true,
    },
    { name: 'types (Python)', command: [bin('pyright'), '--project', root], python: true },
  ];
}

/** Runs checks in sequence. */
export async function runChecks(chosen: Check[]): Promise<boolean[]> {
  const results: boolean[] = [];
  for (const check of chosen) results.push(await runCheck(check));
  return results;
}

async function runCheck({ name, command: [program, ...args], environment }: Check): Promise<boolean> {
  const child = spawn(program!, args, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...environment },
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      said += text;
    });
  const passed = await new Promise<boolean>((done) => {
    child.once('error', (error) => {
      said += error.message;
      done(false);
    });
    child.once('close', (code) => done(code === 0));
  });
  process.stdout.write(`${passed ? '✔' : '✖'} ${name}\n${passed ? '' : said}`);
  return passed;
}

const help = `./lorekeep check [--write]

Formats, lints and type-checks every language, and compares what is generated from the code; --write fixes what can be fixed.`;

if (process.argv.includes('--help')) process.stdout.write(`${help}\n`);
else if (process.argv[1] === import.meta.filename) {
  const { status } = spawnSync('sh', [join(root, 'setup/python.sh'), 'engine'], { stdio: ['ignore', 2, 2] });
  if (status !== 0) process.exit(1);
  const results = await runChecks(checks(write));
  process.exitCode = results.every(Boolean) ? 0 : 1;
}
