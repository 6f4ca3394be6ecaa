// ./lorekeep status: prints whether the product runs on this home, its address and its state. It needs no key, and changes nothing.
import type { Config } from '../config/settings.ts';
import { logFile } from '../running/log-file.ts';
import { type RunningServer, runningServers } from '../running/records.ts';
import { openUnmigrated } from '../store/open.ts';
import { running, waiting } from '../tuning/queue/states.ts';
import { type Command, optionsOf, print, table } from './command.ts';

const timeoutMs = 3_000;

interface Jobs {
  running: number;
  waiting: number;
}

export const status: Command = {
  help: () =>
    './lorekeep status [--json] [--home FOLDER]\n\nShows whether Lorekeep runs on this home: its address, its process, its parts and how many jobs run.\nExits with 0 if it runs and is ready, with 3 if nothing runs or it is not ready.',

  async run({ config }, words) {
    const { json } = optionsOf('status', words, { json: { type: 'boolean' } });
    const servers = await Promise.all(
      runningServers(config.home).map(async (server) => ({ ...server, ...(await readiness(server)) })),
    );
    const jobs = servers.length > 0 ? await jobsOf(config) : undefined;
    const about = { home: config.home, log: logFile(config.home), servers, jobs: jobs ?? null };
    if (json) print(JSON.stringify(about));
    else if (servers.length === 0) print(`Lorekeep does not run on ${config.home}. ./lorekeep up starts it.`);
    else {
      const summaries = servers.map(({ address, pid, version, commit, since, parts, ready }) =>
        table([
          ['address', address],
          ['process', `${pid}, since ${since}`],
          ['version', `${version}${commit ? ` (${commit})` : ''}`],
          ['state', ready ? 'ready' : 'not ready'],
          ...Object.entries(parts),
        ]),
      );
      const counted = jobs
        ? `${jobs.running} running, ${jobs.waiting} waiting`
        : 'not known: the database was not read';
      print(
        `${summaries.join('\n\n')}\n\n${table([
          ['jobs', counted],
          ['home', about.home],
          ['log', about.log],
        ])}`,
      );
    }
    if (!servers.some(({ ready }) => ready)) process.exitCode = 3;
  },
};

async function readiness({ address }: RunningServer): Promise<{ ready: boolean; parts: Record<string, string> }> {
  try {
    const answer = await fetch(`${address}/readyz`, { signal: AbortSignal.timeout(timeoutMs) });
    const { status, parts } = (await answer.json()) as { status: string; parts: Record<string, string> };
    return { ready: status === 'ready', parts };
  } catch (error) {
    const late = (error as Error).name === 'TimeoutError';
    const why = late ? `within ${timeoutMs / 1000} s` : `(${(error as Error).message})`;
    return { ready: false, parts: { server: `does not answer ${why}` } };
  }
}

/** Reads the database without migrating it. */
async function jobsOf({ database_url }: Config): Promise<Jobs | undefined> {
  try {
    const store = await openUnmigrated(database_url);
    try {
      const rows = await store.db
        .selectFrom('tuning_jobs')
        .select(({ fn }) => ['status', fn.countAll<number | string>().as('count')])
        .groupBy('status')
        .execute();
      const sum = (statuses: readonly string[]) =>
        rows.filter(({ status }) => statuses.includes(status)).reduce((total, { count }) => total + Number(count), 0);
      return { running: sum(running), waiting: sum(waiting) };
    } finally {
      await store.close();
    }
  } catch {
    return undefined;
  }
}

/** Message for a second start while a server runs. */
export function runsAlready({ pid, address }: RunningServer, home: string, port: number): string {
  return `Lorekeep runs already on ${home}, at ${address} (process ${pid}). ./lorekeep status shows details, ./lorekeep stop stops it. A second server beside it needs another port: ./lorekeep up --port ${port + 1}`;
}
