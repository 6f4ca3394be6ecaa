// Reads the log of a home: the last lines over all log files, and new lines while following.
import { closeSync, existsSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { setTimeout as sleep } from 'node:timers/promises';
import { logBounds, olderLog } from './log-file.ts';

const chunkBytes = 64 * 1024;
const pollIntervalMs = 300;

/** The last lines, the oldest first, and where in the newest file they end. */
export function lastLines(file: string, count: number): { lines: string[]; end: number } {
  let end = 0;
  let lines: string[] = [];
  for (let age = 0; age <= logBounds.older && lines.length < count; age++) {
    const path = age === 0 ? file : olderLog(file, age);
    if (!existsSync(path)) continue;
    const found = tail(path, count - lines.length);
    if (age === 0) end = found.end;
    lines = [...found.lines, ...lines];
  }
  return { lines, end };
}

function tail(path: string, count: number): { lines: string[]; end: number } {
  const descriptor = openSync(path, 'r');
  try {
    const end = fstatSync(descriptor).size;
    const parts: Buffer[] = [];
    let from = end;
    let breaks = 0;
    while (from > 0 && breaks <= count) {
      const part = Buffer.alloc(Math.min(chunkBytes, from));
      from -= part.length;
      readSync(descriptor, part, 0, part.length, from);
      for (const byte of part) if (byte === 10) breaks++;
      parts.unshift(part);
    }
    const lines = Buffer.concat(parts).toString('utf8').split('\n');
    // Text after the last line break is an incomplete line. Its rest is read at the next poll.
    const begun = lines.pop() ?? '';
    return { lines: count > 0 ? lines.slice(-count) : [], end: end - Buffer.byteLength(begun) };
  } finally {
    closeSync(descriptor);
  }
}

/** Yields complete lines as they are added, across rotations of the file, until the signal. */
export async function* followLines(file: string, from: number, signal: AbortSignal): AsyncGenerator<string> {
  let descriptor: number | undefined;
  let at = from;
  let rest = '';
  let decoder = new StringDecoder('utf8');
  try {
    while (!signal.aborted) {
      if (descriptor === undefined && existsSync(file)) descriptor = openSync(file, 'r');
      if (descriptor !== undefined) {
        // Checked before the read, so that everything written before a rotation is read.
        const renamed = !isSame(descriptor, file);
        if (fstatSync(descriptor).size < at) at = 0;
        const part = Buffer.alloc(chunkBytes);
        let read = readSync(descriptor, part, 0, chunkBytes, at);
        for (; read > 0; read = readSync(descriptor, part, 0, chunkBytes, at)) {
          at += read;
          const lines = (rest + decoder.write(part.subarray(0, read))).split('\n');
          rest = lines.pop()!;
          yield* lines;
        }
        if (renamed) {
          closeSync(descriptor);
          descriptor = undefined;
          at = 0;
          rest = '';
          decoder = new StringDecoder('utf8');
          if (existsSync(file)) continue;
        }
      }
      await sleep(pollIntervalMs, undefined, { signal }).catch(() => {});
    }
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function isSame(descriptor: number, file: string): boolean {
  try {
    return fstatSync(descriptor).ino === statSync(file).ino;
  } catch {
    return false;
  }
}
