// The command `examine` of server/src/main.ts: checks the installation on this machine for ./lorekeep doctor. Prints the findings as JSON,
// each with its state and remedy.
import { constants } from 'node:fs';
import { access, readdir, stat, statfs } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import type { Finding } from '../../../cli/src/commands/finding.ts';
import type { Config } from '../config/settings.ts';
import { checkout } from '../config/settings.ts';
import { refuseUnwritable } from '../files/writable.ts';
import { damagedFiles } from '../models/damaged-files.ts';
import { ModelFolders } from '../models/folders.ts';
import { checkStore } from '../store/open.ts';
import { shownDatabase } from '../store/problem.ts';
import type { Command } from './command.ts';
import { detailOf } from './exit.ts';
import { storedData } from './stored-data.ts';

/** Free space below which a tuning or a download would soon fill the disk. */
const minFreeBytes = 2 * 1024 ** 3;

export const examine: Command = {
  help: () =>
    'server/src/main.ts examine\n\nChecks the installation on this machine and prints JSON. ./lorekeep doctor runs it and formats the findings.',
  async run({ config }) {
    const findings = [
      node(),
      await engine(),
      await base(),
      ...(await models(config)),
      ...(await disk(config)),
      await database(config),
      await storedData(config),
      await port(config),
    ];
    process.stdout.write(`${JSON.stringify(findings)}\n`);
  },
};

const node = (): Finding => ({ name: 'node', state: 'ok', about: process.version });

export async function engine(root = checkout): Promise<Finding> {
  const name = 'engine set up';
  const folder = join(root, '.setup/engine');
  // The stamp is written last; an interpreter without it has no packages yet.
  if (await isThere(join(folder, '.stamp'))) return { name, state: 'ok', about: 'its Python environment is complete' };
  const begun = await isThere(join(folder, 'bin/python'));
  return {
    name,
    state: 'problem',
    about: `its Python environment is ${begun ? 'incomplete: the set-up is running or was interrupted' : 'missing'}`,
    remedy: './lorekeep setup installs it; so does ./lorekeep up, in the background.',
  };
}

export async function base(root = checkout): Promise<Finding> {
  const name = 'base model';
  const remedy = 'git checkout models restores it.';
  const folder = join(root, 'models/quill');
  if (!(await isThere(join(folder, 'config.json'))))
    return { name, state: 'problem', about: 'lorekeep/quill is not in models/', remedy };
  const damaged = (await damagedFiles(folder)) ?? ['lorekeep.json'];
  if (damaged.length === 0) return { name, state: 'ok', about: 'lorekeep/quill is complete and unchanged' };
  return { name, state: 'problem', about: `lorekeep/quill is damaged: ${damaged.join(', ')}`, remedy };
}

/** Checks the model files of the home, and names the damaged ones. */
export async function models({ home }: Pick<Config, 'home'>): Promise<Finding[]> {
  const name = 'model files';
  const found = await new ModelFolders(home).list();
  const tuned = (await readdir(join(home, 'tuned')).catch(() => [])).filter((one) => !one.startsWith('.'));
  const folders = [
    ...found.map((model) => ({ name: model.name, folder: model.folder, remedy: 'Delete it and download it again.' })),
    ...tuned.map((one) => ({
      ...{ name: one, folder: join(home, 'tuned', one) },
      remedy: 'Restore it from a backup, import it again, or tune it again.',
    })),
  ];
  if (folders.length === 0) return [];
  const problems: Finding[] = [];
  for (const { folder, remedy, ...model } of folders) {
    const damaged = (await damagedFiles(folder)) ?? [];
    if (damaged.length > 0)
      problems.push({ name, state: 'problem', about: `${model.name} is damaged: ${damaged.join(', ')}`, remedy });
  }
  return problems.length > 0 ? problems : [{ name, state: 'ok', about: `${folders.length} checked` }];
}

export async function disk({ home, storage }: Pick<Config, 'home' | 'storage'>): Promise<Finding[]> {
  const folder = await nearestExisting(home);
  const writable = await access(folder, constants.W_OK).then(
    async () => (await stat(folder)).isDirectory(),
    () => false,
  );
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  const unwritable = await refuseUnwritable({ home, storage }).then(
    () => undefined,
    (error: Error) => error.message,
  );
  const summary = `${(free / 1e9).toFixed(1)} GB are free for ${home}`;
  return [
    writable
      ? { name: 'home', state: unwritable ? 'problem' : 'ok', about: unwritable ?? home }
      : {
          name: 'home',
          state: 'problem',
          about: `${home} cannot be written by this user`,
          remedy: 'Change its owner, or set LOREKEEP_HOME to another folder.',
        },
    free < minFreeBytes
      ? {
          name: 'disk',
          state: 'problem',
          about: summary,
          remedy: 'Free some space, or set LOREKEEP_HOME to a folder on another disk.',
        }
      : { name: 'disk', state: 'ok', about: summary },
  ];
}

/** The folder, or its nearest existing parent, in which a missing home will be created. */
async function nearestExisting(folder: string): Promise<string> {
  return (await isThere(folder)) ? folder : await nearestExisting(dirname(folder));
}

export async function database({ database_url }: Pick<Config, 'database_url'>): Promise<Finding> {
  const name = 'database set up';
  const sqlite = database_url.startsWith('sqlite:');
  const file = database_url.slice('sqlite:'.length);
  if (sqlite && !(await isThere(file)))
    return { name, state: 'unknown', about: 'there is none yet', remedy: 'The first ./lorekeep up creates it.' };
  try {
    await checkStore(database_url);
    return { name, state: 'ok', about: shownDatabase(database_url) };
  } catch (error) {
    return { name, state: 'problem', about: detailOf(error, database_url).split('\n')[0]! };
  }
}

export async function port(config: Pick<Config, 'host' | 'port'>): Promise<Finding> {
  const everywhere = config.host === '0.0.0.0' || config.host === '::';
  const host = everywhere ? '127.0.0.1' : config.host;
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${config.port}`;
  return { ...(await portOf(config, url)), ...(config.port !== 0 && { url }) };
}

async function portOf({ host, port }: Pick<Config, 'host' | 'port'>, url: string): Promise<Finding> {
  const name = 'port';
  const about = await new Promise<string>((resolve) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    probe.listen({ host, port }, () => probe.close(() => resolve('free')));
  });
  if (about === 'free')
    return {
      name,
      state: 'unknown',
      about: `${host}:${port} is free: nothing runs here`,
      remedy: './lorekeep up starts Lorekeep.',
    };
  if (about === 'EADDRINUSE') {
    return (await isOurs(url))
      ? { name, state: 'ok', about: `Lorekeep answers at ${host}:${port}` }
      : {
          name,
          state: 'problem',
          about: `another program listens on ${host}:${port}`,
          remedy: `Stop it, or choose another port: ./lorekeep up --port ${port + 1}`,
        };
  }
  return {
    name,
    state: 'problem',
    about: `${host}:${port} cannot be used (${about})`,
    remedy: 'Check LOREKEEP_HOST and LOREKEEP_PORT.',
  };
}

/** Any program may listen on the port; only Lorekeep answers with its versions. */
async function isOurs(address: string): Promise<boolean> {
  try {
    const answer = await fetch(`${address}/v1/version`, { signal: AbortSignal.timeout(10_000) });
    const { server, api } = (await answer.json()) as { server?: unknown; api?: unknown };
    return typeof server === 'string' && Array.isArray(api);
  } catch {
    return false;
  }
}

const isThere = async (path: string) =>
  await access(path).then(
    () => true,
    () => false,
  );
