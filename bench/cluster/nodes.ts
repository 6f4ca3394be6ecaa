// Simulated nodes for ./lorekeep bench cluster, in a process of their own: a stand-in head, and a driver for each run, which sends a
// heartbeat every two seconds and an event every five.
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StandInHead } from '../../server/src/testing/ray/head.ts';
import { StandInDriver } from '../../server/src/testing/ray/stand-in.ts';

const beatMs = 2_000;
const eventMs = 5_000;

const nodes = Number(process.argv[2]);
const head = new StandInHead();
head.nodes = [{ CPU: 8 }, ...Array.from({ length: nodes }, () => ({ CPU: 8, GPU: 1 }))];
const drivers: StandInDriver[] = [];
const times: number[] = [];
let beats = 0;
head.onSubmit = (job) => {
  times.push(performance.now());
  // A driver of Ray starts about a second after its submission. A random delay keeps the heartbeats from coinciding.
  setTimeout(() => begin(job), Math.random() * beatMs);
};

function begin(job: Parameters<StandInHead['onSubmit']>[0]): void {
  const driver = new StandInDriver(job, beatMs);
  drivers.push(driver);
  const tell = (event: object) => appendFileSync(join(driver.folder, 'events.ndjson'), `${JSON.stringify(event)}\n`);
  tell({ type: 'state', state: 'TRAINING MODEL' });
  let told = 0;
  setInterval(() => driver.living && beats++, beatMs);
  setInterval(() => driver.living && tell({ type: 'note', message: `wave ${++told}` }), eventMs);
}

function end(): void {
  for (const driver of drivers) {
    mkdirSync(join(driver.folder, 'model'), { recursive: true });
    const counts = { facts: 1, recalled: 1, experts: 1 };
    writeFileSync(join(driver.folder, 'model', 'memory.json'), JSON.stringify({ counts }));
    driver.end(0);
  }
}

const address = await head.listen();
process.on('message', (what) => {
  if (what === 'end') end();
  process.send!({
    ...{ address, beats },
    living: drivers.filter((driver) => driver.living).length,
    submissions: head.submissions().length,
    submittedIn: (times.at(-1) ?? 0) - (times[0] ?? 0),
    calls: head.calls.length,
  });
});
process.on('disconnect', () => process.exit());
