// ./lorekeep test: every check and every test of every language, counted together. The last line is `N passed, N failed`.
import { spawn, spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { checks, runCheck } from './check.ts';

const root = resolve(import.meta.dirname, '..');
const help = `./lorekeep test [WORD ...]

Sets up and runs every test. With words, only the test files whose path holds one of them.
PostgreSQL's tests use LOREKEEP_TEST_DATABASE_URL, by default postgres://postgres@127.0.0.1:5432/postgres.`;

interface Count {
  passed: number;
  failed: number;
  skipped: string[];
}

if (process.argv.includes('--help')) {
  process.stdout.write(`${help}\n`);
} else {
  const words = process.argv.slice(2);
  const wanted = (path: string) => words.length === 0 || words.some((word) => path.includes(word));
  for (const name of ['engine', 'tools']) {
    const { status } = spawnSync('sh', [join(root, 'setup/python.sh'), name], { cwd: root, stdio: ['ignore', 2, 2] });
    if (status !== 0) process.exit(1);
  }
  const parts = [
    words.length === 0 ? checked() : nothing(),
    await nodeTests(wanted),
    // Each computes with one process most of the time.
    ...(await Promise.all([pythonTests('engine', 'engine', wanted), pythonTests('tools', 'server', wanted)])),
  ];
  const total = parts.reduce((sum, part) => ({
    passed: sum.passed + part.passed,
    failed: sum.failed + part.failed,
    skipped: [...sum.skipped, ...part.skipped],
  }));
  if (total.skipped.length > 0) process.stdout.write(`\nSKIPPED:\n  ${total.skipped.join('\n  ')}\n\n`);
  const skipped = total.skipped.length > 0 ? `, ${total.skipped.length} skipped` : '';
  process.stdout.write(`${total.passed} passed, ${total.failed} failed${skipped}\n`);
  process.exitCode = total.failed > 0 || total.passed === 0 ? 1 : 0;
}

function nothing(): Count {
  return { passed: 0, failed: 0, skipped: [] };
}

function checked(): Count {
  const results = checks(false).map(runCheck);
  return { passed: results.filter(Boolean).length, failed: results.filter((result) => !result).length, skipped: [] };
}

async function nodeTests(wanted: (path: string) => boolean): Promise<Count> {
  const count = nothing();
  const files = globSync(['{contract,client,cli,console,demo,server,bench,setup}/**/*.test.ts'], {
    cwd: root,
    exclude: (name) => String(name).includes('node_modules'),
  })
    .filter(wanted)
    .sort();
  if (files.length === 0) return count;
  const stream = run({ files: files.map((file) => join(root, file)), concurrency: 2, timeout: 20 * 60_000 });
  stream.on('test:pass', ({ name, details, skip }) => {
    if (details.type === 'suite') {
      // A skipped suite reports itself, not its tests.
      if (skip) count.skipped.push(`${name}${typeof skip === 'string' ? `: ${skip}` : ''}`);
      return;
    }
    if (skip) count.skipped.push(`${name}${typeof skip === 'string' ? `: ${skip}` : ''}`);
    else count.passed++;
  });
  stream.on('test:fail', ({ details }) => {
    // A suite fails with its tests; it counts only when it failed by itself.
    const own = details.type !== 'suite' || !/subtests? failed/.test(String(details.error?.message));
    if (own) count.failed++;
  });
  const shown = stream.compose(spec);
  shown.pipe(process.stdout, { end: false });
  await new Promise((done) => shown.once('end', done));
  return count;
}

/** pytest of one environment over one folder; its own closing line is where the count comes from. What it says comes at its end, in one piece. */
async function pythonTests(environment: string, folder: string, wanted: (path: string) => boolean): Promise<Count> {
  const files = globSync([`${folder}/**/*_test.py`], {
    cwd: root,
    exclude: (name) => String(name).includes('node_modules'),
  })
    .filter(wanted)
    .sort();
  if (files.length === 0) return nothing();
  const child = spawn(
    join(root, `.setup/${environment}/bin/python`),
    ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', '-rs', ...files],
    {
      cwd: root,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1', PYTHONPATH: join(root, 'engine') },
    },
  );
  let text = '';
  child.stdout.on('data', (chunk) => {
    text += chunk;
  });
  const code = await new Promise<number | null>((done) => child.once('close', done));
  process.stdout.write(text);
  const number = (word: string) =>
    Number(new RegExp(`(\\d+) ${word}`).exec(text.trimEnd().split('\n').at(-1) ?? '')?.[1] ?? 0);
  const failed = number('failed') + number('error');
  const skipped = [...text.matchAll(/^SKIPPED .*$/gm)].map(([line]) => line);
  return { passed: number('passed'), failed: code === 0 || failed > 0 ? failed : 1, skipped };
}
