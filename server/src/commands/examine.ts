// The command `examine` of server/src/main.ts: prints the installation on this machine as JSON for ./lorekeep doctor, each part with its
// state and the remedy.
import { constants } from 'node:fs';
import { access, readdir, stat, statfs } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import type { Config } from '../config/settings.ts';
import { checkout } from '../config/settings.ts';
import { damagedFiles } from '../models/damaged-files.ts';
import { ModelFolders } from '../models/folders.ts';
import { openPostgres } from '../store/postgres.ts';
import type { Finding } from './finding.ts';
import { storedData } from './stored-data.ts';
import type { Command } from './usage.ts';

/** Free space below which a tuning or a download would soon fill the disk. */
const minFreeBytes = 2 * 1024 ** 3;

export const examine: Command = {
  help: () =>
    'server/src/main.ts examine\n\nLooks at the installation on this machine and prints JSON. ./lorekeep doctor runs it and shows it to people.',
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

const node = (): Finding => ({ name: 'node', state: 'well', about: process.version });

export async function engine(root = checkout): Promise<Finding> {
  const name = 'engine set up';
  const folder = join(root, '.setup/engine');
  // The stamp is written last; an interpreter without it has no packages yet.
  if (await isThere(join(folder, '.stamp'))) return { name, state: 'well', about: 'its Python environment is here' };
  const begun = await isThere(join(folder, 'bin/python'));
  return {
    name,
    state: 'trouble',
    about: `its Python environment is ${begun ? 'not whole: it is being made, or that was interrupted' : 'not here'}`,
    mend: './lorekeep setup makes it; ./lorekeep up does so by itself in the background.',
  };
}

export async function base(root = checkout): Promise<Finding> {
  const name = 'base model';
  const mend = 'git checkout models brings it back.';
  const folder = join(root, 'models/quill');
  if (!(await isThere(join(folder, 'config.json'))))
    return { name, state: 'trouble', about: 'lorekeep/quill is not in models/', mend };
  const damaged = (await damagedFiles(folder)) ?? ['lorekeep.json'];
  if (damaged.length === 0) return { name, state: 'well', about: 'lorekeep/quill is here, and what was shipped' };
  return { name, state: 'trouble', about: `lorekeep/quill is damaged: ${damaged.join(', ')}`, mend };
}

/** Checks the model files of the home, and names the damaged ones. */
export async function models({ home }: Pick<Config, 'home'>): Promise<Finding[]> {
  const name = 'model files';
  const found = await new ModelFolders(home).list();
  const tuned = (await readdir(join(home, 'tuned')).catch(() => [])).filter((one) => !one.startsWith('.'));
  const folders = [
    ...found.map((model) => ({ name: model.name, folder: model.folder, mend: 'Delete it and download it again.' })),
    ...tuned.map((one) => ({
      ...{ name: one, folder: join(home, 'tuned', one) },
      mend: 'Restore it from a backup, import it again, or tune it again.',
    })),
  ];
  if (folders.length === 0) return [];
  const troubles: Finding[] = [];
  for (const { folder, mend, ...model } of folders) {
    const damaged = (await damagedFiles(folder)) ?? [];
    if (damaged.length > 0)
      troubles.push({ name, state: 'trouble', about: `${model.name} is damaged: ${damaged.join(', ')}`, mend });
  }
  return troubles.length > 0 ? troubles : [{ name, state: 'well', about: `${folders.length} checked` }];
}

export async function disk({ home }: Pick<Config, 'home'>): Promise<Finding[]> {
  const folder = await nearestExisting(home);
  const writable = await access(folder, constants.W_OK).then(
    async () => (await stat(folder)).isDirectory(),
    () => false,
  );
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  const summary = `${(free / 1e9).toFixed(1)} GB are free for ${home}`;
  return [
    writable
      ? { name: 'home', state: 'well', about: home }
      : {
          name: 'home',
          state: 'trouble',
          about: `${home} cannot be written by this user`,
          mend: 'Change its owner, or set LOREKEEP_HOME to another folder.',
        },
    free < minFreeBytes
      ? {
          name: 'disk',
          state: 'trouble',
          about: summary,
          mend: 'Free some space, or set LOREKEEP_HOME to a folder on another disk.',
        }
      : { name: 'disk', state: 'well', about: summary },
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
    return { name, state: 'unknown', about: 'there is none yet', mend: 'The first ./lorekeep up makes it.' };
  const address = sqlite ? database_url : database_url.replace(/\/\/[^@]*@/, '//');
  try {
    // The examination creates nothing and migrates nothing.
    if (sqlite) new DatabaseSync(file, { readOnly: true }).prepare('select count(*) from sqlite_master').get();
    else {
      const store = await openPostgres(database_url);
      await sql`select 1`.execute(store.db).finally(() => store.close());
    }
    return { name, state: 'well', about: address };
  } catch (error) {
    const mend = sqlite
      ? 'Restore a backup (docs/guide/operating.md).'
      : 'Does PostgreSQL run, and are the user and the password right?';
    return { name, state: 'trouble', about: `${address}: ${(error as Error).message || 'no connection'}`, mend };
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
      mend: './lorekeep up starts Lorekeep.',
    };
  if (about === 'EADDRINUSE') {
    return (await isOurs(url))
      ? { name, state: 'well', about: `Lorekeep answers at ${host}:${port}` }
      : {
          name,
          state: 'trouble',
          about: `another program has ${host}:${port}`,
          mend: `Stop it, or choose another port: ./lorekeep up --port ${port + 1}`,
        };
  }
  return {
    name,
    state: 'trouble',
    about: `${host}:${port} cannot be used (${about})`,
    mend: 'Check LOREKEEP_HOST and LOREKEEP_PORT.',
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
