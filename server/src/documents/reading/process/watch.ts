// Ends this process when it is over one of its limits, or when the server is gone, even while a parser runs in a circle. A thread of its own looks
// at a few numbers twenty times a second. Time is that of the processor: on a busy machine a file is not worse for having to wait.
import { writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { exceeded } from './words.ts';

export interface Watched {
  /** Megabytes, seconds and seconds, as in Limits. */
  memory: number;
  silence: number;
  time: number;
  /** How often something was said, and how many files were begun. */
  counts: SharedArrayBuffer;
}

const { memory, silence, time, counts } = workerData as Watched;
const seen = new Int32Array(counts);
const server = process.ppid;

let said = -1;
let saidAt = 0;
let file = -1;
let fileAt = 0;

function end(limit: Parameters<typeof exceeded>[0]): void {
  writeSync(2, `${exceeded(limit)}\n`);
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
  if (Atomics.load(seen, 0) !== said) {
    said = Atomics.load(seen, 0);
    saidAt = seconds;
  }
  if (process.memoryUsage.rss() > memory * 1024 * 1024) end('memory');
  else if (seconds - fileAt > time) end('time');
  else if (seconds - saidAt > silence) end('silence');
}, 50);
