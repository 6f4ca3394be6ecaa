// Watchdog thread: kills this process when it exceeds a limit or the server is gone, even during an endless loop in a parser. It checks
// counters twenty times a second. Limits are CPU time, so that a busy machine does not fail files.
import { writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { exceeded, workedFor } from './limit-messages.ts';

export interface Watched {
  /** Megabytes and seconds, as in Limits. */
  memory: number;
  silence: number;
  /** Counters of messages and of started files, and the time limit of the current file in milliseconds (0 between files). */
  counts: SharedArrayBuffer;
}

const { memory, silence, counts } = workerData as Watched;
const seen = new Int32Array(counts);
const server = process.ppid;

let lastCount = -1;
let saidAt = 0;
let file = -1;
let fileAt = 0;

function end(limit: Parameters<typeof exceeded>[0], seconds: number): void {
  writeSync(2, `${exceeded(limit)} ${workedFor(seconds)}\n`);
  process.kill(process.pid, 'SIGKILL');
}

setInterval(() => {
  if (process.ppid !== server) process.kill(process.pid, 'SIGKILL');
  const { user, system } = process.cpuUsage();
  const seconds = (user + system) / 1e6;
  if (Atomics.load(seen, 1) !== file) {
    file = Atomics.load(seen, 1);
    fileAt = saidAt = seconds;
  }
  if (Atomics.load(seen, 0) !== lastCount) {
    lastCount = Atomics.load(seen, 0);
    saidAt = seconds;
  }
  const worked = seconds - fileAt;
  const allowed = Atomics.load(seen, 2);
  if (process.memoryUsage.rss() > memory * 1024 * 1024) end('memory', worked);
  else if (allowed > 0 && worked * 1000 > allowed) end('time', worked);
  else if (seconds - saidAt > silence) end('silence', worked);
}, 50);
