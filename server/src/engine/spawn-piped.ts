// Starts a program with pipes. Where processes, files or memory run out, Node throws, or returns a child without pipes. Here each child has
// its pipes, and reports such a failure like a missing program: by the event "error" and then "close".
import { ChildProcess, type ChildProcessWithoutNullStreams, type SpawnOptions, spawn } from 'node:child_process';
import { Readable, Writable } from 'node:stream';
import { getSystemErrorMessage } from 'node:util';

export function spawnPiped(
  program: string,
  words: readonly string[],
  options: Pick<SpawnOptions, 'cwd' | 'env' | 'detached'>,
): ChildProcessWithoutNullStreams {
  const child = attempt(() => spawn(program, words, { ...options, stdio: ['pipe', 'pipe', 'pipe'] }));
  if (child.stdin) return child as ChildProcessWithoutNullStreams;
  const stdin = new Writable({ write: (_chunk, _encoding, done) => done() });
  return Object.assign(child, { stdin, stdout: Readable.from([]), stderr: Readable.from([]) }) as typeof child &
    ChildProcessWithoutNullStreams;
}

function attempt(start: () => ChildProcess): ChildProcess {
  try {
    return start();
  } catch (error) {
    const child = new ChildProcess();
    process.nextTick(() => {
      child.emit('error', error);
      child.emit('close', null, null);
    });
    return child;
  }
}

/** The reason in words, for errors of the event "error": "too many open files (EMFILE)". */
export function spawnProblem({ code, errno, message }: NodeJS.ErrnoException): string {
  return errno === undefined ? message : `${getSystemErrorMessage(errno)} (${code})`;
}
