// The command for its users: help, messages about missing requirements, keys and accounts on the host.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { commands, hostWords } from '../cli/src/commands.ts';
import { exitCodeOf, exitCodes, UsageError } from '../cli/src/exit.ts';
import { onTerminalOf } from '../cli/src/testing/program.ts';
import { errorClasses } from '../client/src/generated/errors.ts';
import { type ErrorCode, errors, Refusal } from '../contract/src/index.ts';
import * as host from '../server/src/commands/exit.ts';

const root = resolve(import.meta.dirname, '..');
const command = join(root, 'lorekeep');

function run(program: string, args: string[], environment: Record<string, string> = {}) {
  const { status, stdout, stderr } = spawnSync(program, args, {
    encoding: 'utf8',
    env: { ...process.env, ...environment },
  });
  return { status, stdout, stderr };
}

describe('./lorekeep', () => {
  let home: string;
  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'lorekeep-test-'));
  });
  after(async () => await rm(home, { recursive: true }));
  const lorekeep = (...args: string[]) => run(command, args, { LOREKEEP_HOME: home });

  it('shows help for every command', () => {
    const { status, stdout } = run(command, ['--help']);
    assert.equal(status, 0);
    for (const word of ['demo', 'up', 'keys', 'accounts', 'config', 'test', 'check', 'bench'])
      assert.match(stdout, new RegExp(`lorekeep ${word}\\b`));
    for (const word of [
      'demo',
      'up',
      'status',
      'stop',
      'logs',
      'keys',
      'accounts',
      'config',
      'setup',
      'check',
      'test',
      'bench',
      'pack',
    ])
      assert.equal(run(command, [word, '--help']).status, 0, word);
    assert.match(run(command, ['check', '--help']).stdout, /^\.\/lorekeep check \[--write\]/);
    for (const word of ['up', 'stop', 'keys', 'test'])
      assert.equal(run(command, ['help', word]).stdout, run(command, [word, '--help']).stdout, word);
    const bench = run(command, ['bench', 'memories', '--help']);
    assert.deepEqual([bench.status, bench.stdout.slice(0, 26)], [0, './lorekeep bench memories:']);
  });

  it('lists the benches without an error when the pipe is closed early', () => {
    const { stdout, stderr } = run('sh', ['-c', `"${command}" bench | head -n 1`]);
    assert.deepEqual([stdout, stderr], ['./lorekeep bench answers\n', '']);
  });

  it('accepts every command of the command line and lists it in its help', () => {
    const { stdout: help } = run(command, ['--help']);
    for (const word of new Set(commands.map(({ name }) => name.split(' ')[0]!))) {
      assert.match(help, new RegExp(`\\./lorekeep (\\w+, )*${word}\\b`), word);
      if (word === 'keys') continue; // on the host it needs no key
      const own = run(command, [word, '--help']);
      assert.deepEqual([own.status, own.stdout.startsWith(`./lorekeep ${word}`)], [0, true], `${word}: ${own.stderr}`);
    }
    assert.match(run(command, ['help', 'exit-codes']).stdout, /^Exit codes:/);
  });

  it('shows its version and commit, and suggests the nearest command', async () => {
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    const { status, stdout } = lorekeep('--version');
    const known = spawnSync('git', ['-C', root, 'rev-parse', '--short', 'HEAD'], { encoding: 'utf8' });
    const commit = known.status === 0 ? ` (${known.stdout.trim()})` : '';
    assert.deepEqual([status, stdout], [0, `lorekeep ${version}${commit}\n`]);
    for (const [word, meant] of [
      ['stauts', 'status'],
      ['demmo', 'demo'],
      ['modles', 'models'],
    ] as const) {
      const { status, stderr } = lorekeep(word);
      assert.deepEqual([status, stderr.includes(`Did you mean "${meant}"?`)], [2, true], stderr);
    }
  });

  it('has the commands that its completion offers', () => {
    const { stdout: help } = run(command, ['--help']);
    for (const word of hostWords) assert.match(help, new RegExp(`^ {2}\\./lorekeep ${word}\\b`, 'm'));
  });

  it('runs through a symbolic link', async () => {
    await symlink(command, join(home, 'a-link'));
    await symlink('a-link', join(home, 'program'));
    const { status, stdout, stderr } = run(join(home, 'program'), ['config'], { LOREKEEP_HOME: home });
    assert.deepEqual([status, stderr], [0, '']);
    assert.match(stdout, /LOREKEEP_HOME/);
  });

  it('rejects unknown words and options with exit code 2', () => {
    for (const args of [
      ['fly'],
      ['keys', 'fly'],
      ['up', 'fly'],
      ['keys', 'list', 'fly'],
      ['keys', 'create', 'one', 'fly'],
      ['keys', 'create', '--colour', 'red'],
      ['accounts', 'create', 'Two', 'fly'],
      ['keys', 'create', '--scopes', 'fly'],
      ['up', '--port', 'x'],
      ['config', 'fly'],
      ['config', '--colour', 'red'],
    ]) {
      const { status, stdout, stderr } = lorekeep(...args);
      assert.deepEqual([status, stdout], [2, ''], args.join(' '));
      assert.match(stderr, /fly|colour|LOREKEEP_PORT/);
      assert.ok(!/ at .*\.ts:\d+/.test(stderr), 'no stack for a person');
    }
  });

  it('makes, lists, rotates and revokes keys without a server', () => {
    const created = lorekeep('keys', 'create', 'script', '--scopes', 'read,infer', '--expires', '30d', '--json');
    assert.equal(created.status, 0, created.stderr);
    const key = JSON.parse(created.stdout);
    assert.deepEqual(key.scopes, ['read', 'infer']);
    assert.match(lorekeep('keys', 'list').stdout, /script .*read,infer +active/);
    const rotated = JSON.parse(lorekeep('keys', 'rotate', String(key.id), '--grace', '0s', '--json').stdout);
    assert.notEqual(rotated.key, key.key);
    assert.match(lorekeep('keys', 'revoke', String(rotated.id)).stdout, /stopped working/);
    const listed = JSON.parse(lorekeep('keys', 'list', '--json').stdout).map(
      ({ id, status }: { id: number; status: string }) => [id, status],
    );
    const newestFirst = [
      [rotated.id, 'revoked'],
      [key.id, 'expired'],
    ];
    assert.deepEqual(listed, newestFirst);
    const missing = lorekeep('keys', 'revoke', '999');
    assert.deepEqual([missing.status, missing.stdout], [exitCodes.missing, '']);
    assert.match(missing.stderr, /no key 999/);
  });

  it('prints only the result to standard output and the rest to a terminal', async () => {
    const alone = /^lk_\S+\n$/;
    const created = lorekeep('keys', 'create', 'ci');
    assert.match(created.stdout, alone);
    assert.equal(created.stderr, '', 'nothing beside the result into a pipe');
    const { id } = JSON.parse(lorekeep('keys', 'list', '--json').stdout).find(
      ({ name }: { name: string }) => name === 'ci',
    );
    assert.match(lorekeep('keys', 'rotate', String(id)).stdout, alone);
    assert.match(lorekeep('accounts', 'link', 'operator').stdout, /^\/\S+\n$/);
    // Standard output goes to a file, standard error to the terminal.
    const caught = join(home, 'caught');
    const script = `"$0" keys create shown > "${caught}"`;
    const watched = onTerminalOf(['sh', '-c', script, command], {
      ...(process.env as Record<string, string>),
      LOREKEEP_HOME: home,
    });
    assert.equal(await watched.ended, 0, watched.output());
    assert.match(watched.output(), /^The key \d+ "shown" .* It is shown this once: keep it now\.\s*$/);
    assert.match(await readFile(caught, 'utf8'), alone);
  });

  it('has the exit codes of the command line on the host', () => {
    for (const code of Object.keys(errors) as ErrorCode[]) {
      const error = { code, detail: '', status: errors[code].status };
      const refusal = new Refusal(code as 'body_missing');
      assert.equal(host.exitCodeOf(refusal), exitCodeOf(new errorClasses[code](error)), code);
    }
    assert.equal(host.exitCodeOf(new host.UsageError()), exitCodeOf(new UsageError()));
    assert.equal(host.exitCodeOf(new Error()), exitCodeOf(new Error()));
    for (const words of [
      ['keys', 'list', '--account', 'Nobody'],
      ['accounts', 'link', 'Nobody'],
    ])
      assert.equal(lorekeep(...words).status, exitCodes.missing, words.join(' '));
  });

  it('reports errors as JSON with --json', () => {
    for (const [status, code, ...words] of [
      [exitCodes.usage, 'usage', 'f"l\\y'],
      [exitCodes.usage, 'usage', 'keys', 'fly'],
      [exitCodes.usage, 'usage', 'config', '--colour', 'red'],
      [exitCodes.usage, 'usage', 'keys', '--port', 'x'],
      [exitCodes.missing, 'key_not_found', 'keys', 'revoke', '999'],
      [exitCodes.missing, 'account_not_found', 'accounts', 'disable', 'Nobody'],
      [exitCodes.failed, 'operator_account', 'accounts', 'disable', 'operator'],
      [exitCodes.failed, 'failed', 'keys', '--database-url', `sqlite:${root}`],
      [exitCodes.unreachable, 'failed', 'keys', '--database-url', 'postgres://127.0.0.1:1/none'],
    ] as [number, string, ...string[]][]) {
      const ended = lorekeep(...words, '--json');
      assert.deepEqual([ended.status, ended.stdout], [status, ''], words.join(' '));
      const { error } = JSON.parse(ended.stderr);
      assert.deepEqual([error.code, typeof error.detail], [code, 'string'], words.join(' '));
    }
  });

  it('reports a failed write of its result, but ignores a closed pipe', () => {
    const within = (script: string, ...words: string[]) =>
      run('sh', ['-c', script, command, ...words], { LOREKEEP_HOME: home });
    const full = within('"$0" "$@" > /dev/full', 'config');
    assert.equal(full.status, exitCodes.failed);
    assert.match(full.stderr, /^The result cannot be written: .*ENOSPC.*\n$/);
    const json = within('"$0" "$@" > /dev/full', 'keys', '--json');
    assert.deepEqual([json.status, JSON.parse(json.stderr).error.code], [exitCodes.failed, 'failed']);
    assert.equal(within('{ "$0" "$@"; echo "ended with $?" >&2; } | true', 'accounts').stderr, 'ended with 0\n');
  });

  it('gives a key the default scopes of the command line unless scopes are named', () => {
    const createKey = (...words: string[]) => JSON.parse(lorekeep('keys', 'create', ...words, '--json').stdout);
    const { name, scopes } = createKey('dashboard');
    assert.deepEqual([name, scopes], ['dashboard', ['read', 'infer', 'tune']]);
    assert.deepEqual(createKey().scopes, ['read', 'infer', 'tune']);
    assert.deepEqual(createKey('mine', '--scopes', 'admin').scopes, ['admin']);
  });

  it('manages keys of another Lorekeep with --url', () => {
    for (const words of [
      ['keys', '--url', 'http://127.0.0.1:2'],
      ['keys', 'revoke', '1', '--url=http://127.0.0.1:2'],
    ]) {
      const { status, stderr } = lorekeep(...words);
      assert.deepEqual([status, /cannot be reached at http:\/\/127\.0\.0\.1:2/.test(stderr)], [3, true], stderr);
    }
  });

  it('makes, limits, disables and deletes accounts without a server', () => {
    assert.equal(lorekeep('accounts', 'create', 'Support').status, 0);
    assert.match(lorekeep('accounts', 'create', 'Support').stderr, /already taken/);
    assert.match(
      lorekeep('accounts', 'limit', 'Support', 'data_points=9', 'jobs=none').stdout,
      /data_points 9.*jobs none/,
    );
    assert.equal(lorekeep('accounts', 'disable', 'Support').status, 0);
    assert.match(lorekeep('accounts').stdout, /Support +disabled/);
    assert.match(lorekeep('accounts', 'delete', 'Support').stderr, /--yes/);
    assert.equal(lorekeep('accounts', 'delete', 'Support', '--yes').status, 0);
    assert.equal(lorekeep('accounts', 'disable', 'Support').status, exitCodes.missing);
  });

  it('prints the settings in force with their sources', () => {
    const { stdout } = run(command, ['config', '--port', '9001'], {
      LOREKEEP_HOME: home,
      LOREKEEP_ADMIN_KEY: 'hidden-from-print',
    });
    assert.match(stdout, /LOREKEEP_PORT +9001 +flag/);
    assert.match(stdout, /LOREKEEP_HOME .*environment/);
    assert.ok(!stdout.includes('hidden-from-print'));
    const settings: { name: string }[] = JSON.parse(lorekeep('config', '--json', '--port', '9001').stdout);
    const named = (setting: string) => settings.find(({ name }) => name === setting);
    assert.deepEqual(named('LOREKEEP_PORT'), { name: 'LOREKEEP_PORT', value: '9001', source: 'flag' });
    assert.deepEqual(named('LOREKEEP_HOME'), { name: 'LOREKEEP_HOME', value: home, source: 'environment' });
    assert.deepEqual(named('LOREKEEP_ADMIN_KEY'), { name: 'LOREKEEP_ADMIN_KEY', value: null, source: 'default' });
  });
});

describe('./lorekeep on a machine with missing requirements', () => {
  let bin: string;
  before(async () => {
    bin = await mkdtemp(join(tmpdir(), 'lorekeep-bin-'));
    for (const tool of [
      'sh',
      'dirname',
      'cat',
      'cksum',
      'mkdir',
      'rm',
      'ln',
      'readlink',
      'sleep',
      'ls',
      'head',
      'pwd',
      'tail',
    ]) {
      const { stdout } = spawnSync('sh', ['-c', `command -v ${tool}`], { encoding: 'utf8' });
      if (stdout.startsWith('/')) await symlink(stdout.trim(), join(bin, tool));
    }
  });
  after(async () => await rm(bin, { recursive: true }));

  const fake = async (name: string, script: string) => {
    const folder = await mkdtemp(join(dirname(bin), 'lorekeep-fake-'));
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, name), `#!/bin/sh\n${script}\n`);
    await chmod(join(folder, name), 0o755);
    return folder;
  };

  it('reports that Node is missing and where to get it', () => {
    const { status, stderr } = run(command, ['config'], { PATH: bin });
    assert.equal(status, 1);
    assert.match(stderr, /Node is missing.*Node 20 or later.*nodejs\.org/s);
  });

  it('reports that Node is too old', async () => {
    const folder = await fake('node', 'case $1 in --version) echo v18.1.0 ;; *) echo 18 ;; esac');
    const { status, stderr } = run(command, ['config'], { PATH: `${folder}:${bin}` });
    assert.equal(status, 1);
    assert.match(stderr, /version v18\.1\.0.*needs 20 or later/);
    await rm(folder, { recursive: true });
  });

  it('reports that Python is missing or too old', async () => {
    const script = join(root, 'setup/python.sh');
    // With a requested interpreter, an existing environment is not enough.
    const wished = { LOREKEEP_PYTHON: 'python3' };
    assert.match(
      run('sh', [script, 'engine'], { PATH: bin, ...wished }).stderr,
      /Python 3\.11 or later is missing.*apt install/s,
    );
    const folder = await fake('python3', 'exit 1');
    assert.match(
      run('sh', [script, 'engine'], { PATH: `${folder}:${bin}`, ...wished }).stderr,
      /Python 3\.11 or later is missing/,
    );
    await rm(folder, { recursive: true });
  });

  it('reports that venv is missing', async () => {
    const folder = await fake('python3', 'case "$2" in *version_info*) exit 0 ;; *) exit 1 ;; esac');
    const machine = { PATH: `${folder}:${bin}`, LOREKEEP_PYTHON: 'python3' };
    const { status, stderr } = run('sh', [join(root, 'setup/python.sh'), 'engine'], machine);
    assert.equal(status, 1);
    assert.match(stderr, /venv is missing.*python3-venv/s);
    await rm(folder, { recursive: true });
  });
});
