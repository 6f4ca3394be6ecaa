// The log of a server in its home: JSON lines in one file, which is rotated when it is full. Only a few files are kept, to bound the size.
import { closeSync, existsSync, mkdirSync, openSync, renameSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pino } from 'pino';

export const logFile = (home: string) => join(home, 'logs', 'lorekeep.log');
/** Rotated files: lorekeep.log.1 is the newest of them. */
export const olderLog = (file: string, age: number) => `${file}.${age}`;

export const logBounds = { bytes: 10_000_000, older: 4 };
/** Lines are dropped if the disk is slower than the log, or full: a log must not be able to stop the service. */
const maxBufferedBytes = 4 * 1024 * 1024;

/** A few kilobytes at a time, at least twice a second, since a write per line costs more than many requests. */
export function bufferedLog(to: { dest?: string; mode?: number }) {
  const destination = pino.destination({
    ...{ ...to, sync: false },
    ...{ minLength: 4096, periodicFlush: 500, maxLength: maxBufferedBytes, maxWrite: 16_384 },
  });
  // At the end of the process the stream writes what is left, and retries for ever where the disk is full. Then that is dropped.
  let isFailing = false;
  destination.on('error', () => {
    isFailing = true;
  });
  destination.on('write', () => {
    isFailing = false;
  });
  const flushSync = destination.flushSync.bind(destination);
  destination.flushSync = () => {
    if (!isFailing) flushSync();
  };
  return destination;
}

/** Throws if the file cannot be created. */
export function writeLogFile(file: string, { bytes, older } = logBounds) {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  // The stream itself would fail to open the file only later, and end the process.
  closeSync(openSync(file, 'a', 0o600));
  const destination = bufferedLog({ dest: file, mode: 0o600 });
  let written = existsSync(file) ? statSync(file).size : 0;
  destination.on('write', (count) => {
    written += count;
    if (written < bytes) return;
    try {
      // Another server on the same home may have rotated it already.
      if (statSync(file).size >= bytes) rotate(file, older);
      destination.reopen();
    } catch {
      // The file was removed or the folder is read-only: retried after the same amount of output.
    }
    written = 0;
  });
  return destination;
}

function rotate(file: string, older: number): void {
  for (let age = older - 1; age >= 1; age--)
    if (existsSync(olderLog(file, age))) renameSync(olderLog(file, age), olderLog(file, age + 1));
  renameSync(file, olderLog(file, 1));
}
