// An interrupted set-up breaks nothing: the next one begins anew. A small checkout stands in for the large packages, with real pip, npm and kills.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

const root = resolve(import.meta.dirname, '..');
const rounds = Number(process.env.LOREKEEP_TEST_ROUNDS ?? (process.env.LOREKEEP_TEST_LONG === '1' ? 8 : 1));
const kinds = ['SIGKILL', 'SIGKILL of the parent alone', 'SIGINT', 'SIGTERM'];

/** Two packages of many small files, so that an installation lasts long enough to be interrupted. */
const makeWheels = `
import sys, zipfile
for name in ("tiny", "other"):
    with zipfile.ZipFile(f"{sys.argv[1]}/{name}-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr(f"{name}/__init__.py", "whole = True\\ndef main(): return 0")
        for i in range(100):
            wheel.writestr(f"{name}/part_{i}.py", f"value = {i}")
        info = f"{name}-1.0.dist-info"
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\\nName: {name}\\nVersion: 1.0\\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
        wheel.writestr(f"{info}/entry_points.txt", f"[console_scripts]\\n{name}-script = {name}:main\\n")
        wheel.writestr(f"{info}/RECORD", "")
`;

describe('an interrupted set-up', () => {
  let checkout: string;
  let environment: NodeJS.ProcessEnv;
  /** A zombie: in a container the first process inherits killed processes and rarely reaps them. */
  let unreaped: { pid: string; parent: ChildProcess };

  before(async () => {
    // The path has a space, as folders of users may.
    checkout = join(await mkdtemp(join(tmpdir(), 'lorekeep-setup-')), 'my checkout');
    for (const folder of ['setup/node', 'engine', 'wheels', 'server/src', 'part'])
      await mkdir(join(checkout, folder), { recursive: true });
    for (const file of ['lorekeep', 'setup/python.sh', 'setup/progress.sh', 'setup/node/package-lock.json'])
      await cp(join(root, file), join(checkout, file));
    assert.equal(spawnSync('python3', ['-c', makeWheels, join(checkout, 'wheels')]).status, 0);
    await writeFile(join(checkout, 'engine/requirements.lock'), 'other==1.0\n');
    await writeFile(join(checkout, 'setup/tools.lock'), 'tiny==1.0\n');
    const digest = spawnSync('sha256sum', [join(checkout, 'wheels/tiny-1.0-py3-none-any.whl')], { encoding: 'utf8' });
    const hash = digest.stdout.split(' ')[0];
    await writeFile(join(checkout, 'engine/embedder.lock'), `tiny==1.0 --hash=sha256:${hash}\n`);

    await writeFile(
      join(checkout, 'package.json'),
      JSON.stringify({ name: 'small', private: true, workspaces: ['part'] }),
    );
    await writeFile(
      join(checkout, 'part/package.json'),
      JSON.stringify({ name: 'part', version: '1.0.0', main: 'index.js' }),
    );
    await writeFile(join(checkout, 'part/index.js'), 'module.exports = "whole";\n');
    await writeFile(join(checkout, 'server/src/main.ts'), "process.stdout.write(require('part'));\n");
    const locked = spawnSync('npm', ['install', '--package-lock-only', '--no-audit'], { cwd: checkout });
    assert.equal(locked.status, 0, String(locked.stderr));
    environment = {
      ...process.env,
      PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}`,
      PIP_NO_INDEX: '1',
      PIP_NO_COMPILE: '1',
      PIP_FIND_LINKS: join(checkout, 'wheels').replaceAll(' ', '%20'),
      npm_config_offline: 'true',
      NODE_COMPILE_CACHE: join(checkout, '.setup/compiled'),
    };
    environment.PIP_FIND_LINKS = `file://${environment.PIP_FIND_LINKS}`;
    const program =
      'import subprocess, time; p = subprocess.Popen(["true"]); print(p.pid, flush=True); time.sleep(10000)';
    const parent = spawn('python3', ['-c', program], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [pid] = await once(parent.stdout.setEncoding('utf8'), 'data');
    unreaped = { pid: String(pid).trim(), parent };
  });
  after(async () => {
    unreaped.parent.kill('SIGKILL');
    await rm(dirname(checkout), { recursive: true, force: true, maxRetries: 5, retryDelay: 500 });
  });

  /** Removes paths, with retries: a process of a killed group may still end its last write. */
  const remove = async (...paths: string[]) => {
    for (const path of paths)
      await rm(join(checkout, path), { recursive: true, force: true, maxRetries: 5, retryDelay: 300 });
  };

  const start = (program: string, args: string[]) => {
    const child = spawn(program, args, {
      cwd: checkout,
      env: environment,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    const ended = once(child, 'close').then(([code, signal]) => ({ code: code ?? signal, output }));
    return { pid: child.pid!, ended };
  };

  /**
   * Interrupts the command at `rounds` random moments of the time it takes alone, each time from scratch, and runs it again to its end.
   * Signals come in turn, from the one at `place` on.
   */
  async function survives(
    place: number,
    program: string,
    args: string[],
    paths: string[],
    check: () => Promise<void>,
  ): Promise<void> {
    await remove(...paths);
    // Neither the lock of a dead or an unreaped process nor an environment of the older layout is in the way.
    await mkdir(join(checkout, '.setup/engine/bin'), { recursive: true });
    await writeFile(join(checkout, '.setup/engine/pyvenv.cfg'), 'home = nowhere\n');
    await symlink('99999999', join(checkout, '.setup/lock'));
    await symlink(unreaped.pid, join(checkout, '.setup/engine.lock'));
    const began = performance.now();
    const alone = await start(program, args).ended;
    assert.equal(alone.code, 0, alone.output);
    await check();
    const lasts = performance.now() - began;
    for (let round = 0; round < rounds; round++) {
      await remove(...paths);
      const delay = (lasts * (round + Math.random())) / rounds;
      const kind = kinds[(place + round) % kinds.length]!;
      const first = start(program, args);
      await sleep(delay);
      const [signal] = kind.split(' ') as [NodeJS.Signals];
      try {
        process.kill(kind.includes('alone') ? first.pid : -first.pid, signal);
      } catch {} // it had already ended
      const second = await start(program, args).ended;
      assert.equal(second.code, 0, `after ${kind} at ${Math.round(delay)} ms: ${second.output}`);
      await check();
      await first.ended;
    }
  }

  it('is followed by a successful one (Python environment)', async () => {
    await survives(0, 'sh', ['setup/python.sh', 'engine'], ['.setup'], async () => {
      const python = join(checkout, '.setup/engine/bin/python');
      const whole = 'import tiny, other, tiny.part_99, other.part_99; print(tiny.whole and other.whole)';
      const { stdout, stderr } = spawnSync(python, ['-c', whole], { encoding: 'utf8' });
      assert.equal(stdout, 'True\n', stderr);
      // Scripts name the interpreter by its path, which has to last.
      assert.equal(spawnSync(join(checkout, '.setup/engine/bin/tiny-script')).status, 0);
    });
    const setup = join(checkout, '.setup');
    const own = async () => (await readdir(setup)).filter((name) => name.startsWith('engine')).sort();
    const [link, environment, ...more] = await own();
    assert.deepEqual([link, environment?.startsWith('engine-'), more], ['engine', true, []]);
    // A kill in the last step: the new environment is in its place, the earlier one and the log are not yet removed.
    await mkdir(join(setup, 'engine-1-1/lib'), { recursive: true });
    await writeFile(join(setup, 'engine.log'), 'Collecting tiny\n');
    const { code, output } = await start('sh', ['setup/python.sh', 'engine']).ended;
    assert.deepEqual([code, output], [0, '']);
    assert.deepEqual(await own(), [link, environment]);
  });

  it('is followed by a successful one (Node packages)', async () => {
    await survives(1, join(checkout, 'lorekeep'), ['config'], ['.setup', 'node_modules'], async () => {
      assert.equal(await readFile(join(checkout, 'node_modules/part/index.js'), 'utf8'), 'module.exports = "whole";\n');
    });
    // A kill in the last step: the packages are in their place, the folder of the attempt is not yet removed.
    await mkdir(join(checkout, '.setup/packages-attempt-1/node_modules-old'), { recursive: true });
    const { code, output } = await start(join(checkout, 'lorekeep'), ['config']).ended;
    assert.equal(code, 0, output);
    assert.deepEqual(
      (await readdir(join(checkout, '.setup'))).filter((name) => name.includes('attempt')),
      [],
    );
  });

  it('is followed by a fresh attempt while npm of a killed one still writes', async () => {
    await remove('.setup', 'node_modules');
    const left = join(checkout, '.setup/packages-attempt-1');
    const writes = 'i=0; while i=$((i+1)); do mkdir -p "$0/$i/$i" 2>/dev/null; true >"$0/$i/$i/file"; done 2>/dev/null';
    const npm = spawn('sh', ['-c', writes, left], { stdio: 'ignore', detached: true });
    const closed = once(npm, 'close');
    try {
      const { code, output } = await start(join(checkout, 'lorekeep'), ['config']).ended;
      assert.equal(code, 0, output);
      assert.equal(await readFile(join(checkout, 'node_modules/part/index.js'), 'utf8'), 'module.exports = "whole";\n');
    } finally {
      process.kill(-npm.pid!, 'SIGKILL');
      await closed;
    }
  });

  it('reports at once that it stops', async () => {
    await remove('.setup', 'node_modules');
    const folder = join(checkout, 'slow');
    await mkdir(folder, { recursive: true });
    // npm ends seconds after its signal.
    await writeFile(
      join(folder, 'npm'),
      '#!/bin/sh\ntrap "sleep 1; exit 1" TERM\ntouch "$0.runs"\nwhile :; do sleep 0.1; done\n',
    );
    await chmod(join(folder, 'npm'), 0o755);
    environment.PATH = `${folder}${delimiter}${environment.PATH}`;
    const { pid, ended } = start(join(checkout, 'lorekeep'), ['config']);
    while (!(await readdir(folder)).includes('npm.runs')) await sleep(50);
    process.kill(pid, 'SIGINT');
    const { code, output } = await ended;
    assert.deepEqual([code, /Stopping \.\.\.\n$/.test(output)], [130, true], output);
  });
});
