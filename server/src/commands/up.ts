// ./lorekeep up: starts the whole product in the foreground, prints its address, and stops all of it on Ctrl-C.
import { mkdir } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { createServer } from '../app.ts';
import { effectiveConfig, settingsHelp } from '../config/describe.ts';
import { environment } from '../engine/environment.ts';
import { createLog, flushLog } from '../http/log.ts';
import { logFile } from '../running/log-file.ts';
import { runningServers, writeRecord } from '../running/records.ts';
import { commit, version } from '../version.ts';
import { type Command, refuseArguments } from './command.ts';
import { StartError } from './exit.ts';
import { runsAlready } from './status.ts';

/** Time after which open connections are cut off. */
const stopTimeoutMs = 8_000;
/** Time after which the process ends in any case, for example if a part hangs because a disk is full. */
const endTimeoutMs = 10_000;
/** The engine start takes seconds of CPU time. It is delayed, so that a new server, which may be stopped again, answers first. */
const preloadDelayMs = 1_500;

export const up: Command = {
  help: () =>
    `./lorekeep up [--NAME VALUE ...]\n\nStarts Lorekeep in the foreground; Ctrl-C stops it. Settings come from flags, the environment or a file:\n\n${settingsHelp()}`,

  async run(loaded, words) {
    refuseArguments('up', words);
    const { config } = loaded;
    await mkdir(config.home, { recursive: true, mode: 0o700 });
    const log = createLog(config, logFile(config.home));
    const stopped = untilStopped();
    const endNow = async (message: string, error?: unknown) => {
      log.error(error === undefined ? {} : { err: error }, message);
      await flushLog(log);
      process.exit(1);
    };
    // Also during a start that hangs.
    void stopped.then(() =>
      setTimeout(() => void endNow('not all of the server stopped in time; it ends now'), endTimeoutMs).unref(),
    );

    const python = Promise.withResolvers<string>();
    // Not awaited if the start fails.
    python.promise.catch(() => {});
    const server = await createServer(config, log, python.promise);
    try {
      await server.app.listen({ host: config.host, port: config.port, backlog: 1024 });
    } catch (error) {
      await server.stop();
      await flushLog(log);
      const [other] = runningServers(config.home);
      if (other && (error as NodeJS.ErrnoException).code === 'EADDRINUSE')
        throw new StartError(runsAlready(other, config.home, config.port));
      throw error;
    }
    const address = addressOf(server.app.server.address(), config.host);
    const removeRecord = writeRecord(config.home, { address, version, commit: commit() });
    // The setup begins only now, so that a failed start leaves nothing running.
    const setUp = environment(log, server.reportSetUp);
    setUp.ready.then((program) => sleep(preloadDelayMs, program, { ref: false })).then(python.resolve, python.reject);
    log.debug(`settings in force:\n${effectiveConfig(loaded)}`);
    process.stdout.write(greeting(address, await server.makeFirstKey(), server.firstLink));
    log.info(
      { version, home: config.home, database: config.database_url.startsWith('sqlite:') ? 'sqlite' : 'postgres' },
      'ready',
    );

    const signal = await stopped;
    log.info({ signal }, 'stopping');
    const deadline = setTimeout(() => {
      log.warn('some requests did not finish in time and were aborted');
      server.app.server.closeAllConnections();
    }, stopTimeoutMs);
    const [served] = await Promise.allSettled([server.stop(), setUp.stop()]);
    clearTimeout(deadline);
    removeRecord();
    if (served.status === 'rejected')
      await endNow('the server stopped, but could not store all that it had to', served.reason);
    log.info('stopped');
    await flushLog(log);
  },
};

/** Resolves on Ctrl-C, a stop from outside, or the end of the terminal. A second Ctrl-C exits at once. */
function untilStopped(): Promise<NodeJS.Signals> {
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>();
  let stopping = false;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (stopping && signal === 'SIGINT') process.exit(130);
      stopping = true;
      resolve(signal);
    });
  }
  return promise;
}

function addressOf(address: string | { address: string; port: number; family: string } | null, host: string): string {
  if (typeof address !== 'object' || address === null) return String(address);
  const displayHost = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${displayHost.includes(':') ? `[${displayHost}]` : displayHost}:${address.port}`;
}

function greeting(address: string, firstKey?: string, firstLink?: string): string {
  const link = firstLink
    ? `
  Open this link to choose your password (it works once):

    ${address}${firstLink}
`
    : '';
  const key = firstKey
    ? `
  This is the first start. Your operator key, shown this once:

    ${firstKey}

  Try it:

    export LOREKEEP_API_KEY=${firstKey}
    curl -H "Authorization: Bearer $LOREKEEP_API_KEY" ${address}/v1/account
`
    : '\n  Keys: ./lorekeep keys list, ./lorekeep keys create\n';
  return `
  Lorekeep ${version} is ready at ${address}
  Calls to read and try: ${address}/docs

  The base that ships (lorekeep/quill) is a tiny one for trying things out: it answers only from a text that it is given.
  Real ones, and which fit this machine: ./lorekeep models known
${link}${key}
  Ctrl-C stops it; so does ./lorekeep stop. ./lorekeep logs shows its log again.

`;
}
