// The crash test: clients write over HTTP, the server is killed with -9 at random moments and started again.
// Everything acknowledged exists and is intact; no partial write and no stray file is left. ./lorekeep test --long kills it more often.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Acknowledged, writeUntilItDies } from './testing/acknowledged.ts';
import { audit, auditDisk } from './testing/audit.ts';
import { onEveryDatabase } from './testing/databases.ts';
import { endProcesses, type ServerProcess, startProcess } from './testing/process.ts';
import { seededRandom } from './testing/random.ts';

const kills = process.env.LOREKEEP_TEST_LONG === '1' ? 50 : 4;
const seed = 20261121;

onEveryDatabase('kill -9 at random moments', (make) => {
  test(`${kills} times, with clients that write`, async (t) => {
    const database = await make();
    const home = await mkdtemp(join(tmpdir(), 'lorekeep-test-'));
    const random = seededRandom(seed);
    const acknowledged = new Acknowledged();
    let server: ServerProcess | undefined;
    try {
      const start = () => startProcess({ home, database_url: database.url, limit_keys: 'none' });
      server = await start();
      for (let kill = 1; kill <= kills; kill++) {
        const writers = writeUntilItDies(server.url, acknowledged, random);
        // Waits for a number of writes, not for a time: a busy machine might acknowledge none, and then nothing could be lost.
        const killTime = acknowledged.after(random.between(0, 30)).then(() => sleep(random.between(0, 30)));
        await Promise.race([writers, killTime]);
        await server.stop('SIGKILL');
        await writers;
        server = await start();
        const findings = await audit(server.url, acknowledged, kill === kills);
        await auditDisk(home, database.url, findings);
        assert.deepEqual(
          findings,
          { missing: [], undead: [], halfWritten: [], stray: [] },
          `after kill ${kill}, seed ${seed}`,
        );
      }
      const { keys, datasets, accounts, writes } = acknowledged;
      t.diagnostic(
        `kills ${kills}, acknowledged writes ${writes} (${keys.size} keys, ${datasets.size} datasets, ${accounts.size} accounts), ` +
          `missing 0, half-written 0, stray 0; seed ${seed}`,
      );
      assert.ok(writes >= 5 * kills, `only ${writes} writes were acknowledged`);
      assert.equal(await server.stop(), 0);
    } finally {
      await endProcesses();
      await rm(home, { recursive: true, force: true });
      await database.drop();
    }
  });
});
