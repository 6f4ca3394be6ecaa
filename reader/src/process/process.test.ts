// Sandbox of the parsing process: it can read the given files and nothing else.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { defaultLimits } from '../limits.ts';
import { DocumentReader } from '../read.ts';
import { checkout, testFolder } from '../testing/reading.ts';
import { ParsingProcess } from './process.ts';

test('cannot read a file of another account beside the given one, or anything else on disk', async () => {
  const folder = await testFolder();
  const [own, other] = [join(folder, 'own'), join(folder, 'other')];
  await writeFile(own, 'Mine.');
  await writeFile(other, 'Theirs.');
  const parsing = new ParsingProcess(join(folder, 'scratch'), defaultLimits);
  const read = async (path: string) => {
    const limits = { ...defaultLimits, characters: 1000 };
    const request = { path, name: 'a.txt', scratch: join(parsing.unpacked, '1'), limits, blocks: true };
    const texts: string[] = [];
    for await (const message of parsing.read(request)) if (message.type === 'block') texts.push(message.text);
    return texts.join();
  };
  try {
    const handedOver = join(parsing.files, '1');
    await mkdir(parsing.files, { recursive: true });
    await copyFile(own, handedOver);
    assert.equal(await read(handedOver), 'Mine.');
    for (const path of [own, other, join(checkout, 'README.md'), '/etc/hostname'])
      await assert.rejects(read(path), /restricted/, path);
    assert.equal(await read(handedOver), 'Mine.');
  } finally {
    await parsing.close();
  }
});

test('reads a file in place without changing it, whatever its name', async () => {
  const folder = await testFolder();
  const path = join(folder, 'own');
  await writeFile(path, 'Mine.');
  const reader = new DocumentReader({ scratch: join(folder, 'scratch') });
  try {
    const texts: string[] = [];
    for await (const found of reader.read({ path, name: 'own\u2028\u2029.txt' }))
      if (found.type === 'block') texts.push(found.text);
    assert.deepEqual(texts, ['Mine.']);
    assert.equal(await readFile(path, 'utf8'), 'Mine.');
  } finally {
    await reader.close();
  }
});

test('a process that ends for no known reason hands over its last words', async () => {
  const folder = await testFolder();
  const outputs: string[] = [];
  const parsing = new ParsingProcess(join(folder, 'scratch'), defaultLimits, (output) => outputs.push(output));
  const read = async (request: object) => {
    for await (const _ of parsing.read(request as never));
  };
  // A request without limits is a mistake that the process does not catch.
  await assert.rejects(
    read({ path: join(folder, 'a'), name: 'a.txt', scratch: folder }),
    /ended unexpectedly \(exit code 1\)/,
  );
  assert.equal(outputs.length, 1);
  assert.match(outputs[0]!, /TypeError/);
});

test('an idle process consumes no limit', async () => {
  const folder = await testFolder();
  const path = join(folder, 'own');
  await writeFile(path, 'Mine.');
  const script = join(checkout, 'reader/src/process/child.ts');
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', script, '1000', '30']);
  const closed = once(child, 'close');
  try {
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    for (const time of [5, 0.5]) {
      await sleep(700);
      const request = { path, name: 'own.txt', scratch: folder, limits: { ...defaultLimits, time }, blocks: false };
      child.stdin.write(`${JSON.stringify(request)}\n`);
      for (let ended = false; !ended; ) {
        const { value, done } = await lines.next();
        assert.ok(!done, `it ended: ${child.exitCode ?? child.signalCode}`);
        ended = JSON.parse(value).type === 'end';
      }
    }
  } finally {
    child.kill('SIGKILL');
    await closed;
  }
});

test('reports why it could not be started where no file can be opened any more', async () => {
  const folder = await testFolder();
  const program = `
    import { openSync } from 'node:fs';
    import { defaultLimits as limits } from '${checkout}/reader/src/limits.ts';
    import { ParsingProcess } from '${checkout}/reader/src/process/process.ts';
    const parsing = new ParsingProcess('${folder}', limits);
    try { for (;;) openSync('/dev/null'); } catch {}
    const request = { path: '${folder}/a', name: 'a.txt', scratch: '${folder}/unpacked', limits, blocks: true };
    const failed = (async () => { for await (const _ of parsing.read(request)); })();
    process.stdout.write(await failed.catch(({ message }) => message));
    process.exit();`;
  const words = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', program];
  const limited = ['-c', 'ulimit -n 100 && exec "$@"', 'sh', process.execPath, ...words];
  const { stdout, stderr, status } = spawnSync('sh', limited, { encoding: 'utf8' });
  assert.deepEqual(
    [status, stdout],
    [0, `The process that reads files could not be started: spawn ${process.execPath} EMFILE.`],
    stderr,
  );
});
