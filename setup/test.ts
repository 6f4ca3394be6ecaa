// ./lorekeep test: every check and every test of every language, counted together. The last line is `N passed, N failed`.
import { spawn } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { makeTemplates } from '../server/src/testing/databases.ts';
import { makeBundles, makeTestBundles } from './bundles.ts';
import { checks, runChecks } from './check.ts';
import { startForks } from './forks.ts';
import { showReport } from './show-report.ts';

const root = resolve(import.meta.dirname, '..');
const help = `./lorekeep test [--long] [--ray] [WORD ...]

Sets up and runs every test. With words, only the test files whose path holds one of them. --long starts every engine as the server starts it,
instead of forking it from one process that has imported everything, migrates every database anew, runs suites that compute for long on
every database, and kills, fuzzes and fills more often. --ray sets up Ray (500 MB, once), with which the tests of a real cluster run from then
on, on Linux as root.
PostgreSQL's tests use LOREKEEP_TEST_DATABASE_URL, by default postgres://postgres@127.0.0.1:5432/postgres.`;

interface Count {
  passed: number;
  failed: number;
  skipped: string[];
}

/** Seconds that each file took, by its path in the checkout. Files run side by side, so these add up to more than the run took. */
const secondsOf = new Map<string, number>();
const slowestShown = 15;
/** Files of Node wait for processes much of the time. With more at once than the cores need, all wait for longer, and waiting costs: polls, timers, caches. */
const concurrentFiles = 3;

/** Seconds of each file in the last run here; before the first one, those of the slowest elsewhere. */
const timesFile = join(root, '.setup/test-seconds.json');
const expected = [timesFile, join(root, 'setup/test-seconds.json')].map(secondsIn).find((found) => found !== undefined);

if (process.argv.includes('--help')) {
  process.stdout.write(`${help}\n`);
} else {
  const started = performance.now();
  const long = process.argv.includes('--long');
  const words = process.argv.slice(2).filter((word) => word !== '--long' && word !== '--ray');
  const isSelected = (path: string) => words.length === 0 || words.some((word) => path.includes(word));
  const everything = words.length === 0;
  if (long) process.env.LOREKEEP_TEST_LONG = '1';
  // Python caches the compiled packages.
  process.env.PYTHONDONTWRITEBYTECODE = '';
  // Checks and builds without Python run while its packages are installed.
  const checking = everything ? checked(false) : nothing();
  const making = long ? undefined : Promise.all([makeBundles(), makeTemplates()]);
  // Without object storage, its tests are skipped.
  await Promise.all([required('engine'), required('tools'), setUp('storage')]);
  if (process.argv.includes('--ray')) await required('ray');
  const [bundles, databases] = (await making) ?? [];
  const forks = bundles && (await startForks(bundles.folder));
  Object.assign(process.env, forks?.environment, databases?.environment);
  const parts = await Promise.all([
    checking,
    everything ? checked(true) : nothing(),
    nodeTests(isSelected, everything && !long),
    pythonTests('engine', 'engine', isSelected),
    pythonTests('tools', 'server', isSelected),
  ]);
  forks?.end();
  await Promise.all([bundles?.end(), databases?.end()]);
  const total = parts.reduce((sum, part) => ({
    passed: sum.passed + part.passed,
    failed: sum.failed + part.failed,
    skipped: [...sum.skipped, ...part.skipped],
  }));
  await writeFile(timesFile, JSON.stringify({ ...expected, ...Object.fromEntries(secondsOf) }));
  printSlowest();
  if (total.skipped.length > 0) process.stdout.write(`\nSKIPPED:\n  ${total.skipped.join('\n  ')}\n\n`);
  const minutes = (performance.now() - started) / 60_000;
  process.stdout.write(`The run took ${minutes.toFixed(1)} min.\n`);
  const skipped = total.skipped.length > 0 ? `, ${total.skipped.length} skipped` : '';
  process.stdout.write(`${total.passed} passed, ${total.failed} failed${skipped}\n`);
  process.exitCode = total.failed > 0 || total.passed === 0 ? 1 : 0;
}

/** Makes a Python environment where it is missing. False where that failed. */
async function setUp(environment: 'engine' | 'tools' | 'storage' | 'ray'): Promise<boolean> {
  const child = spawn('sh', [join(root, 'setup/python.sh'), environment], { cwd: root, stdio: ['ignore', 2, 2] });
  return await new Promise((done) => child.once('close', (code) => done(code === 0)));
}

/** Ends the run where a Python environment cannot be made. */
async function required(environment: 'engine' | 'tools' | 'ray'): Promise<void> {
  if (!(await setUp(environment))) process.exit(1);
}

function secondsIn(file: string): Record<string, number> | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined; // There is none, or its run was interrupted.
  }
}

/** Starts the slowest first, so that none runs alone at the end. */
function slowestFirst(files: string[]): string[] {
  const seconds = (file: string) => expected?.[file] ?? 0;
  return files.sort((one, other) => seconds(other) - seconds(one) || (one < other ? -1 : 1));
}

function printSlowest(): void {
  const slowest = [...secondsOf].sort(([, a], [, b]) => b - a).slice(0, slowestShown);
  const rows = slowest.map(([file, seconds]) => `${seconds.toFixed(0).padStart(6)} s  ${file}`);
  process.stdout.write(`\nThe slowest files:\n${rows.join('\n')}\n\n`);
}

function addSeconds(file: string, seconds: number): void {
  secondsOf.set(file, (secondsOf.get(file) ?? 0) + seconds);
}

function nothing(): Count {
  return { passed: 0, failed: 0, skipped: [] };
}

async function checked(python: boolean): Promise<Count> {
  const results = await runChecks(checks(false).filter((check) => python === (check.python ?? false)));
  return { passed: results.filter(Boolean).length, failed: results.filter((result) => !result).length, skipped: [] };
}

/** A whole run bundles the files; a few files are faster to load than to bundle. */
async function nodeTests(isSelected: (path: string) => boolean, bundled: boolean): Promise<Count> {
  const count = nothing();
  const found = globSync(['{contract,reader,client,cli,console,demo,server,bench,setup}/**/*.test.ts'], {
    cwd: root,
    exclude: (name) => String(name).includes('node_modules'),
  });
  const files = slowestFirst(found.filter(isSelected));
  if (files.length === 0) return count;
  const bundles = bundled ? await makeTestBundles(files) : undefined;
  const ran = new Map(files.map((file) => [bundles?.of.get(file) ?? join(root, file), file]));
  const stream = run({
    files: [...ran.keys()],
    concurrency: concurrentFiles,
    timeout: 20 * 60_000,
    execArgv: bundles ? ['--enable-source-maps'] : [],
  });
  stream.on('test:summary', ({ file, duration_ms }) => {
    if (file) addSeconds(ran.get(file) ?? relative(root, file), duration_ms / 1000);
  });
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
    // A suite fails with its tests; it counts only when it failed without them.
    const own = details.type !== 'suite' || !/subtests? failed/.test(String(details.error?.message));
    if (own) count.failed++;
  });
  await showReport(stream.compose(spec), process.stdout);
  await bundles?.end();
  return count;
}

/** Files of one folder by pytest of one environment. */
async function pythonTests(environment: string, folder: string, isSelected: (path: string) => boolean): Promise<Count> {
  const files = globSync([`${folder}/**/*_test.py`], {
    cwd: root,
    exclude: (name) => String(name).includes('node_modules'),
  });
  return await pytest(environment, files.filter(isSelected).sort());
}

/** The count is that of pytest's own closing line. What it says comes at its end, in one piece. */
async function pytest(environment: string, files: string[]): Promise<Count> {
  if (files.length === 0) return nothing();
  const report = join(await mkdtemp(join(tmpdir(), 'lorekeep-pytest-')), 'report.xml');
  const child = spawn(
    join(root, `.setup/${environment}/bin/python`),
    ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', '-rs', `--junitxml=${report}`, '-ojunit_family=xunit1', ...files],
    {
      cwd: root,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, PYTHONPATH: join(root, 'engine') },
    },
  );
  let text = '';
  child.stdout.on('data', (chunk) => {
    text += chunk;
  });
  const code = await new Promise<number | null>((done) => child.once('close', done));
  process.stdout.write(text);
  const cases = await readFile(report, 'utf8').catch(() => '');
  for (const [, file, seconds] of cases.matchAll(/<testcase [^>]*?file="([^"]*)"[^>]*? time="([^"]*)"/g))
    addSeconds(file!, Number(seconds));
  await rm(dirname(report), { recursive: true });
  const number = (word: string) =>
    Number(new RegExp(`(\\d+) ${word}`).exec(text.trimEnd().split('\n').at(-1) ?? '')?.[1] ?? 0);
  const failed = number('failed') + number('error');
  const skipped = [...text.matchAll(/^SKIPPED .*$/gm)].map(([line]) => line);
  return { passed: number('passed'), failed: code === 0 || failed > 0 ? failed : 1, skipped };
}
