// The crash test: clients write over HTTP, the server is killed with -9 at random moments and started again.
// What it acknowledged is all there and holds; nothing half-written and no stray file is left.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { audit, auditDisk } from './testing/audit.ts';
import { onEveryDatabase } from './testing/databases.ts';
import { Ledger, writeUntilItDies } from './testing/ledger.ts';
import { endProcesses, type ServerProcess, startProcess } from './testing/process.ts';
import { seededRandom } from './testing/random.ts';

const kills = Number(process.env.LOREKEEP_TEST_KILLS ?? 50);
const seed = 20261121;

onEveryDatabase('kill -9 at random moments', (make) => {
  test(`${kills} times, with clients that write`, async (t) => {
    const database = await make();
    const home = await mkdtemp(join(tmpdir(), 'lorekeep-test-'));
    const random = seededRandom(seed);
    const ledger = new Ledger();
    let server: ServerProcess | undefined;
    try {
      const start = () => startProcess({ home, database_url: database.url });
      server = await start();
      for (let kill = 1; kill <= kills; kill++) {
        const writers = writeUntilItDies(server.url, ledger, random);
        await Promise.race([writers, sleep(random.between(20, 400))]);
        await server.stop('SIGKILL');
        await writers;
        server = await start();
        const findings = await audit(server.url, ledger, kill === kills);
        await auditDisk(home, database.url, findings);
        assert.deepEqual(
          findings,
          { missing: [], undead: [], halfWritten: [], stray: [] },
          `after kill ${kill}, seed ${seed}`,
        );
      }
      const { keys, datasets, accounts, acknowledged } = ledger;
      t.diagnostic(
        `kills ${kills}, acknowledged writes ${acknowledged} (${keys.size} keys, ${datasets.size} datasets, ${accounts.size} accounts), ` +
          `missing 0, half-written 0, stray 0; seed ${seed}`,
      );
      // A server that acknowledges nothing would lose nothing.
      assert.ok(acknowledged >= 5 * kills, `only ${acknowledged} writes were acknowledged`);
      assert.equal(await server.stop(), 0);
    } finally {
      await endProcesses();
      await rm(home, { recursive: true, force: true });
      await database.drop();
    }
  });
});
