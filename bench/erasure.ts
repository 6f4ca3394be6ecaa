// ./lorekeep bench erasure: the time to erase one fact from every version of a memory, from the call until the receipt
// exists. `--facts 1000`, `--versions 10`, `--slots 1`.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { call, changed, makeMemory, memory, over, questionOf } from './memories/house.ts';
import { startProduct } from './processes.ts';
import { processorSeconds } from './processor.ts';

const { values } = parseArgs({
  options: {
    facts: { type: 'string', default: '1000' },
    versions: { type: 'string', default: '10' },
    slots: { type: 'string', default: '1' },
  },
});
const [facts, versions] = [Number(values.facts), Number(values.versions)];
const home = await mkdtemp(join(tmpdir(), 'lorekeep-bench-'));
const started = performance.now();
const server = await startProduct(home, { LOREKEEP_SLOTS: values.slots });
try {
  // All versions contain the fact to erase.
  await makeMemory(server, facts);
  for (let version = 2; version <= versions; version++)
    await changed(server, { add: [{ input: `Who runs the firm Ultrafen${version}?`, output: `Marsh${version}` }] });
  process.stdout.write(
    `${versions} versions made in ${((performance.now() - started) / 1000).toFixed(1)} s, the start included\n`,
  );
  const [began, cpu] = [performance.now(), processorSeconds(server.pid)];
  const { number } = await call(server, 'POST', `/v1/memories/${memory}/erasures`, { inputs: [questionOf(0)] });
  const done = await over(server, `/v1/memories/${memory}/erasures/${number}`);
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  const spent = (processorSeconds(server.pid) - cpu).toFixed(1);
  const { receipt } = await call(server, 'GET', `/v1/receipts/${done.receipt}`);
  const probes = receipt.versions.flatMap((one: { probes: unknown[] }) => one.probes).length;
  process.stdout.write(
    `${facts} facts, ${receipt.versions.length} versions, ${values.slots} slot(s): one fact erased in ${seconds} s ` +
      `(${spent} CPU s), ${probes} probes, gone: ${receipt.gone}\n`,
  );
} finally {
  await server.stop();
  await rm(home, { recursive: true, force: true });
}
