// ./lorekeep stop: stops all servers on this home, and waits until they have ended.
import { setTimeout as sleep } from 'node:timers/promises';
import { isRunning, type RunningServer, runningServers } from '../running/records.ts';
import { type Command, optionsOf, print } from './command.ts';
import { StartError } from './exit.ts';

/** A server takes ten seconds at most; a machine that is short of memory takes longer. */
const timeoutMs = 60_000;
const pollMs = 100;

export const stop: Command = {
  help: () =>
    './lorekeep stop [--json] [--home FOLDER]\n\nStops Lorekeep on this home as Ctrl-C does, and waits until it has ended. Running jobs continue at the next start.\nExits with 0 also if nothing ran.',

  async run({ config }, words) {
    const { json } = optionsOf('stop', words, { json: { type: 'boolean' } });
    const servers = runningServers(config.home);
    await Promise.all(servers.map(stopAndWait));
    if (json)
      print(JSON.stringify({ home: config.home, stopped: servers.map(({ pid, address }) => ({ pid, address })) }));
    else if (servers.length === 0) print(`Lorekeep does not run on ${config.home}.`);
    else for (const { pid, address } of servers) print(`Lorekeep at ${address} (process ${pid}) has stopped.`);
  },
};

async function stopAndWait(server: RunningServer): Promise<void> {
  const { pid, address } = server;
  try {
    process.kill(pid, 'SIGTERM');
  } catch (error) {
    if (!isRunning(server)) return;
    throw new StartError(
      `Lorekeep at ${address} (process ${pid}) cannot be stopped by this user: ${(error as Error).message}.`,
    );
  }
  const deadline = Date.now() + timeoutMs;
  while (isRunning(server)) {
    if (Date.now() > deadline)
      throw new StartError(
        `Lorekeep at ${address} still runs ${timeoutMs / 1000} s after it was asked to stop. kill -9 ${pid} ends it at once.`,
      );
    await sleep(pollMs);
  }
}
