import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkout } from '../config/settings.ts';
import { defaultEmbedder } from '../models/models.ts';
import { startServer, type TestServer, withEngine } from './server.ts';
import { until } from './until.ts';

/** A server whose engine is ready: on a busy machine its start takes longer than a caller's timeout. */
export async function startWithEngine(...[flags]: Parameters<typeof startServer>): Promise<TestServer> {
  const server = await startServer(flags, withEngine);
  await untilReady(server);
  return server;
}

export async function untilReady(server: Pick<TestServer, 'call'>): Promise<void> {
  await until('the engine has started', async () => {
    const { body } = await server.call('GET', '/inf/models');
    return body.data.some(({ id }: { id: string }) => id === defaultEmbedder);
  });
  await until('the model is read', async () => {
    const { status } = await server.call('POST', '/v1/completions', {
      body: { model_name: 'lorekeep/quill', prompt: 'a', max_tokens: 1 },
    });
    return status === 200;
  });
}

/** The command of an engine for a shell, whose children setup/forked-engines.mjs does not see. Under ./lorekeep test it is forked too. */
export async function shellEngine(): Promise<string> {
  const python = `'${await withEngine}'`;
  const forks = process.env.LOREKEEP_TEST_FORKS;
  return forks ? `${python} -I -S '${join(checkout, 'engine/lorekeep/testing_fork_client.py')}' '${forks}'` : python;
}

/** Process id of the engine of a server in this process. */
export function engineProcess(): number {
  const found = execFileSync('pgrep', ['-P', String(process.pid), '-f', 'lorekeep serve'], { encoding: 'utf8' });
  return Number(found.trim().split('\n')[0]);
}

/** The fork behind a process that ./lorekeep test had forked: the client names its fork. */
export function workingProcess(pid: number): number {
  if (process.platform !== 'linux') return pid;
  return Number(/^fork of (\d+)$/m.exec(readFileSync(`/proc/${pid}/comm`, 'utf8'))?.[1] ?? pid);
}
