// Records of the servers that run on a home: each writes one when it listens and removes it when it ends. A record
// names its process by pid and start time, so that one left behind by a kill is never taken for another process that
// got its pid.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';

export interface RunningServer {
  pid: number;
  /** Several machines may share a home. */
  host: string;
  /** Start time of the process in the system's format; only compared. */
  started: string;
  address: string;
  version: string;
  commit: string | null;
  since: string;
}

const folderOf = (home: string) => join(home, 'running');
const fileOf = (home: string, { pid, host }: Pick<RunningServer, 'pid' | 'host'>) =>
  join(folderOf(home), `${host.replace(/[^\w.-]/g, '_')}-${pid}.json`);

/** Undefined if there is no such process. */
export function startOf(pid: number): string | undefined {
  try {
    if (process.platform !== 'linux')
      return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8', stdio: 'pipe' }).trim();
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    // The name of the program, in brackets, may itself contain blanks and brackets.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ');
    // A zombie (ended, not yet waited for) does not count.
    return fields[0] === 'Z' ? undefined : `${boot} ${fields[19]}`;
  } catch {
    return undefined;
  }
}

export const isRunning = ({ pid, started }: Pick<RunningServer, 'pid' | 'started'>): boolean =>
  startOf(pid) === started;

/** Records that this process serves the home, and removes the records of killed servers. Returns a function that removes the record. */
export function writeRecord(home: string, about: Pick<RunningServer, 'address' | 'version' | 'commit'>): () => void {
  const started = startOf(process.pid) ?? '';
  const own = { pid: process.pid, host: hostname(), started, ...about, since: new Date().toISOString() };
  runningServers(home);
  mkdirSync(folderOf(home), { recursive: true, mode: 0o700 });
  const file = fileOf(home, own);
  writeFileSync(`${file}.new`, `${JSON.stringify(own)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
  return () => rmSync(file, { force: true });
}

/** The servers of this machine that run on the home, the longest-running first. Records of ended ones are removed. */
export function runningServers(home: string): RunningServer[] {
  const running: RunningServer[] = [];
  for (const name of namesIn(folderOf(home))) {
    const file = join(folderOf(home), name);
    const record = read(file);
    if (!record || record.host !== hostname()) continue;
    if (isRunning(record)) running.push(record);
    else if (file === fileOf(home, record)) rmSync(file, { force: true });
  }
  return running.sort((one, other) => one.since.localeCompare(other.since));
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith('.json'));
  } catch {
    return [];
  }
}

function read(file: string): RunningServer | undefined {
  try {
    const record = JSON.parse(readFileSync(file, 'utf8')) as RunningServer;
    return Number.isSafeInteger(record.pid) && record.pid > 1 && record.started !== '' ? record : undefined;
  } catch {
    // Truncated by a full disk, or removed meanwhile.
    return undefined;
  }
}
