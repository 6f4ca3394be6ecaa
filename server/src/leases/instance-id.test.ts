// Instance ids of servers: whether the process of an id counts as alive, on this machine and on others.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { isAlive, isRunning, newInstance } from './instance-id.ts';

const unshareCommand = ['unshare', '-rpf', '--mount-proc'];
const canUnshare = spawnSync(unshareCommand[0]!, [...unshareCommand.slice(1), 'true']).status === 0;
const module = join(import.meta.dirname, 'instance-id.ts');

/** The id that a process gives itself, and its verdict on the id of another process. */
function instanceIn(within: string[], other = '') {
  const script = `import { isRunning, newInstance } from ${JSON.stringify(module)};
    console.log(JSON.stringify({ name: newInstance(), lives: String(isRunning(process.argv[1])) }));
    process.stdin.resume().on('end', () => process.exit());`;
  const node = [process.execPath, '--disable-warning=ExperimentalWarning', '--input-type=module', '-e', script, other];
  const [program, ...words] = [...within, ...node];
  const child = spawn(program!, words, { stdio: ['pipe', 'pipe', 'inherit'] });
  const answer = new Promise<{ name: string; lives: string }>((resolve) =>
    child.stdout.once('data', (line) => resolve(JSON.parse(line))),
  );
  const end = async () => {
    const ended = new Promise((resolve) => child.once('close', resolve));
    child.stdin.end();
    await ended;
  };
  return { answer, end };
}

describe('the liveness check of instance ids', () => {
  it('detects whether another process is alive, and recognises a reused process id', async () => {
    const child = instanceIn([]);
    const { name } = await child.answer;
    assert.equal(isRunning(name), true);
    await child.end();
    assert.equal(isRunning(name), false);
    assert.equal(isRunning(newInstance()), false);
  });

  it('considers an id of another machine alive for a day after its last write', () => {
    const other = newInstance().replace(/^[^.]*/, 'elsewhere');
    assert.equal(isRunning(other), undefined);
    assert.equal(isAlive(other, newInstance(), Date.now() - 3_600_000), true);
    assert.equal(isAlive(other, newInstance(), Date.now() - 90_000_000), false);
  });

  it('cannot tell across containers, although both have the same host name and process id 1', {
    skip: canUnshare ? false : 'name spaces of a test cannot be made here',
  }, async () => {
    const one = instanceIn(unshareCommand);
    const { name } = await one.answer;
    const other = instanceIn(unshareCommand, name);
    const seen = await other.answer;
    assert.deepEqual([name.split('.')[1], seen.name.split('.')[1]], ['1', '1']);
    assert.equal(seen.lives, 'undefined');
    assert.equal(isRunning(name), undefined);
    await Promise.all([one.end(), other.end()]);
  });
});
