// Finds the value of every setting: a flag, else the environment, else the settings file, else the preset. A wrong value stops the start.
import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { ZodError } from 'zod';
import { refuseReplicas } from './replicas.ts';
import { type Config, environmentName, flagName, type SettingName, settingNames, settings } from './settings.ts';
import { readSettingsFile } from './settings-file.ts';

export type Source = 'flag' | 'environment' | 'file' | 'default';
export interface Loaded {
  config: Config;
  sources: Record<SettingName, Source>;
  /** The text as written, before parsing, for messages. */
  written: Record<SettingName, string>;
}

/** Wrong settings, with a message for people. */
export class SettingsError extends Error {}

interface Origins {
  flags?: Partial<Record<SettingName, string>>;
  environment?: Record<string, string | undefined>;
}

export function loadConfig({ flags = {}, environment = process.env }: Origins): Loaded {
  const mistakes: string[] = [];
  const config: Partial<Record<SettingName, unknown>> = {};
  const sources = {} as Record<SettingName, Source>;
  const written = {} as Record<SettingName, string>;
  let file: Record<string, string | undefined> = {};

  for (const name of settingNames) {
    const { schema, preset, secret } = settings[name];
    const [source, text] =
      find(name, flags, environment, file) ??
      (['default', typeof preset === 'string' ? preset : preset(String(config.home))] as const);
    const result = schema.safeParse(text);
    if (result.success) config[name] = result.data;
    else
      mistakes.push(
        `${environmentName(name)} is ${secret ? 'set to a value (hidden)' : `"${text}"`}, from ${origin(name, source)}; it must be ${schema.description}${reasonOf(result.error)}.`,
      );
    sources[name] = source;
    written[name] = text;
    // The file can contain every setting except its own path and the home.
    if (name === 'config' && result.success)
      file = readSettingsFile(String(result.data), source !== 'default', mistakes);
  }

  if (config.cluster === 'ray' && config.ray_address === '')
    mistakes.push(
      'LOREKEEP_CLUSTER is ray, and LOREKEEP_RAY_ADDRESS is not set; it must be the address of the dashboard of Ray.',
    );
  if (config.replicas_on === 'ray' && config.cluster !== 'ray')
    mistakes.push('LOREKEEP_REPLICAS_ON is ray, and LOREKEEP_CLUSTER is not; it must be ray too.');
  const folder = mistakes.length === 0 && missingDatabaseFolder(String(config.database_url), String(config.home));
  if (folder)
    mistakes.push(
      `LOREKEEP_DATABASE_URL is "${config.database_url}", from ${origin('database_url', sources.database_url)}, and there is no folder ${folder}; make it, or name a file in a folder that exists.`,
    );
  if (mistakes.length === 0 && config.replicas_on === 'local') mistakes.push(...refuseReplicas(config as Config));
  mistakes.push(...unknownNames(environment, 'the environment'), ...unknownNames(file, `the file ${config.config}`));
  if (mistakes.length > 0) {
    throw new SettingsError(
      `The settings have ${mistakes.length === 1 ? 'a mistake' : `${mistakes.length} mistakes`}:\n  ${mistakes.join('\n  ')}\n\`./lorekeep config --help\` lists all settings.`,
    );
  }
  return { config: config as Config, sources, written };
}

/** The reason of a schema, if it says more than the schema's description. */
function reasonOf({ issues }: ZodError): string {
  const found = issues.find(({ code, message }) => code === 'custom' && message !== 'Invalid input');
  return found ? ` (${found.message})` : '';
}

function find(
  name: SettingName,
  flags: Partial<Record<SettingName, string>>,
  environment: Record<string, string | undefined>,
  file: Record<string, string | undefined>,
): readonly [Source, string] | undefined {
  const variable = environmentName(name);
  if (flags[name] !== undefined) return ['flag', flags[name]];
  // An empty variable is how compose files and shells say "not set".
  if (environment[variable]) return ['environment', environment[variable]];
  if (file[variable]) return ['file', file[variable]];
  return undefined;
}

function origin(name: SettingName, source: Source): string {
  return source === 'flag' ? flagName(name) : source === 'file' ? 'the settings file' : `the ${source}`;
}

/** SQLite creates its file, not folders elsewhere than in the home: those are typos, or disks that are not mounted. */
function missingDatabaseFolder(url: string, home: string): string | undefined {
  if (!url.startsWith('sqlite:')) return undefined;
  const folder = dirname(resolve(url.slice('sqlite:'.length)));
  const isInHome = `${folder}/`.startsWith(`${resolve(home)}/`);
  return isInHome || existsSync(folder) ? undefined : folder;
}

/** Variables of Lorekeep that are not settings of the server, so that those of a script are no mistake. */
const nonServerNames = /^LOREKEEP_(API_KEY|BASE_URL|DEBUG|PYTHON|TEST_.+)$/;

function unknownNames(values: Record<string, string | undefined>, place: string): string[] {
  const known = new Set(settingNames.map(environmentName));
  return Object.keys(values)
    .filter((name) => name.startsWith('LOREKEEP_') && !known.has(name) && !nonServerNames.test(name))
    .map((name) => {
      const near = [...known].find(
        (candidate) =>
          candidate.replaceAll('_', '') === name.replaceAll('_', '') ||
          candidate.startsWith(name) ||
          name.startsWith(candidate),
      );
      return `${name} in ${place} is not a setting${near ? `; did you mean ${near}?` : '.'}`;
    });
}
