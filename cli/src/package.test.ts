// The npm package of the command line: packed, installed from the tarballs without a network, and run like its users do.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { checkout } from '../../server/src/config/settings.ts';
import { adminKey, startServer, type TestServer } from '../../server/src/testing/server.ts';
import { pack } from '../../setup/pack.ts';

describe('the published command line', () => {
  let folder: string;
  let server: TestServer;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lorekeep-cli-package-'));
    const npm = (...words: string[]) => execFileSync('npm', words, { cwd: folder, encoding: 'utf8', stdio: 'pipe' });
    const tarballs = ['client', 'cli'].map((workspace) => {
      const built = pack(workspace, join(folder, workspace));
      return join(folder, npm('pack', '--silent', '--offline', built).trim());
    });
    await writeFile(join(folder, 'package.json'), '{}');
    npm('install', '--no-audit', '--no-fund', '--offline', ...tarballs);
    server = await startServer();
  });
  after(async () => {
    await server?.end();
    await rm(folder, { recursive: true });
  });

  const lorekeep = async (...words: string[]) => {
    const child = spawn(join(folder, 'node_modules/.bin/lorekeep'), words, {
      env: { PATH: process.env.PATH, HOME: folder, LOREKEEP_BASE_URL: server.url, LOREKEEP_API_KEY: adminKey },
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (chunk) => {
        output += chunk;
      });
    return { code: await new Promise<number | null>((done) => child.once('close', done)), output };
  };

  it('prints its version and calls a server', async () => {
    const { version } = JSON.parse(await readFile(join(checkout, 'package.json'), 'utf8'));
    assert.deepEqual(await lorekeep('--version'), { code: 0, output: `${version}\n` });
    assert.deepEqual(await lorekeep('jobs', 'list', '--json'), { code: 0, output: '[]\n' });
    assert.match((await lorekeep('jobs', 'list')).output, /^JOB +STATUS/);
    assert.equal((await lorekeep('jobs', 'show', '9')).code, 5);
  });
});
