// The making of the Python environment, here of one that is there already.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { it } from 'node:test';
import { createLog } from '../http/log.ts';
import { environment } from './environment.ts';

const log = createLog({ log_level: 'silent', log_format: 'json' });
const maker = () =>
  Number(execFileSync('pgrep', ['-P', String(process.pid), '-f', 'python.sh engine'], { encoding: 'utf8' }));

it('the Python environment comes though what makes it is killed', async () => {
  const { ready, stop } = environment(log);
  process.kill(maker(), 'SIGKILL');
  assert.match(await ready, /bin\/python$/);
  await stop();
});

it('the making of the Python environment ends with its server', async () => {
  const { ready, stop } = environment(log);
  await Promise.all([assert.rejects(ready), stop()]);
  assert.throws(maker);
});
