// lorekeep eval --gate as CI runs it, with the shipped base, which answers rows correctly if the question contains the answer.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { startWithEngine } from '../../server/src/testing/engine.ts';
import { adminKey, type TestServer } from '../../server/src/testing/server.ts';
import { exitCodes } from './exit.ts';
import { run } from './testing/program.ts';
import '../../server/src/testing/whole-base.ts';

describe('lorekeep eval --gate', () => {
  let server: TestServer;
  let home: string;
  let environment: Record<string, string>;
  const base = ['-m', 'lorekeep/quill', '--gate'];
  before(async () => {
    server = await startWithEngine();
    home = await mkdtemp(join(tmpdir(), 'lorekeep-gate-'));
    environment = { LOREKEEP_BASE_URL: server.url, LOREKEEP_API_KEY: adminKey, HOME: home };
    const row = (at: number, output: string) =>
      JSON.stringify({
        input: `Context: The harbour of Brim${at} opens at ${at} am.\nQuestion: When does the harbour open?`,
        output,
      });
    await writeFile(join(home, 'set.jsonl'), [row(3, '3 am'), row(5, '5 am'), row(7, 'never <b>')].join('\n'));
  });
  after(async () => {
    await server.end();
    await rm(home, { recursive: true });
  });
  const gate = async (words: string[]) => await run(['eval', join(home, 'set.jsonl'), ...base, ...words], environment);

  it('exits with 0 if the bars hold, and skips wrong rows within them', async () => {
    const file = join(home, 'held.xml');
    const ended = await gate([
      ...['--reworded', '.6', '--against', 'lorekeep/quill', '--max-regressions', '0', '--junit', file],
    ]);
    assert.equal(ended.code, exitCodes.done, ended.error + ended.out);
    assert.match(ended.out, /✔ reworded 0\.6666 of 3 rows, and 0\.6 is needed/);
    const xml = await readFile(file, 'utf8');
    assert.match(xml, /<testsuites tests="5" failures="0" errors="0" skipped="1">/);
    assert.match(xml, /never &lt;b&gt;/);
  });

  it('exits with 1 if a bar fails, and names it and the rows', async () => {
    const file = join(home, 'failed.xml');
    const ended = await gate(['--reworded', '.9', '--junit', file]);
    assert.equal(ended.code, exitCodes.failed, ended.error);
    assert.match(ended.error, /The bars are not held: reworded 0\.6666 of 3 rows, and 0\.9 is needed/);
    assert.match(await readFile(file, 'utf8'), /<testsuites tests="4" failures="2"/);
    const json = await gate(['--exact', '1', '--json']);
    assert.equal(json.code, exitCodes.failed);
    const { gate: found } = JSON.parse(json.out.trim().split('\n').at(-1)!);
    assert.deepEqual([found.holds, found.bars[0].rows], [false, 0], 'a bar that nothing measures is not held');
  });

  it('refuses bars that cannot be measured before anything is asked', async () => {
    for (const words of [
      [],
      ['--reworded', '1.1'],
      ['--max-regressions', '0'],
      ['--max-regressions', '.5', '--against', 'lorekeep/quill'],
      ['--exact', '1', '--detach'],
      ['--exact', '1', '-m', 'another'],
    ])
      assert.equal((await gate(words)).code, exitCodes.usage, words.join(' '));
    const junit = await run(['eval', join(home, 'set.jsonl'), '-m', 'x', '--junit', 'f.xml'], environment);
    assert.equal(junit.code, exitCodes.usage);
    assert.equal((await run(['eval', ...base, '--exact', '1'], environment)).code, exitCodes.usage);
  });
});
