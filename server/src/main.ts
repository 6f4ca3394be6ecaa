// Entry point of the server: dispatches the command with its settings.
import { parseArgs } from 'node:util';
import { type Command, print } from './commands/command.ts';
import { explain, UsageError } from './commands/exit.ts';
import { loadConfig } from './config/load.ts';
import { flagName, type SettingName, settingNames } from './config/settings.ts';

/** Each is imported on demand: only `up` needs all of the server. */
const commands = new Map<string, () => Promise<Command>>([
  ['up', async () => (await import('./commands/up.ts')).up],
  ['status', async () => (await import('./commands/status.ts')).status],
  ['stop', async () => (await import('./commands/stop.ts')).stop],
  ['logs', async () => (await import('./commands/logs.ts')).logs],
  ['examine', async () => (await import('./commands/examine.ts')).examine],
  ['config', async () => (await import('./commands/config.ts')).configCommand],
  ['keys', async () => (await import('./commands/keys-and-accounts.ts')).keysCommand],
  ['accounts', async () => (await import('./commands/keys-and-accounts.ts')).accountsCommand],
]);

/** Database of the settings, once they are read: named when the database fails. */
let database: string | undefined;

async function main([name = '', ...rest]: string[]): Promise<void> {
  const command = await commands.get(name)?.();
  if (!command) throw new UsageError(`There is no command "${name}". ./lorekeep --help lists them.`);
  if (rest.includes('--help') || rest.includes('-h') || rest[0] === 'help') {
    print(command.help());
    return;
  }
  const { settings, words } = splitFlags(rest);
  const loaded = loadConfig({ flags: settings });
  database = loaded.config.database_url;
  await command.run(loaded, words);
}

/** Separates flags that are settings (`--port 9000`, `--port=9000`) from the words of the command. */
function splitFlags(words: string[]): { settings: Partial<Record<SettingName, string>>; words: string[] } {
  const options = Object.fromEntries(
    settingNames.map((name) => [flagName(name).slice(2), { type: 'string' as const }]),
  );
  const { tokens } = parseArgs({ args: words, options, strict: false, allowPositionals: true, tokens: true });
  const settings: Partial<Record<SettingName, string>> = {};
  const taken = new Set<number>();
  for (const token of tokens) {
    const name =
      token.kind === 'option' ? settingNames.find((setting) => flagName(setting) === token.rawName) : undefined;
    if (!name || token.kind !== 'option') continue;
    if (token.value === undefined) throw new UsageError(`${token.rawName} needs a value.`);
    settings[name] = token.value;
    taken.add(token.index);
    if (!token.inlineValue) taken.add(token.index + 1);
  }
  return { settings, words: words.filter((_, index) => !taken.has(index)) };
}

// Files, also those of child processes, are readable by this user alone: data, keys, logs.
process.umask(0o077);
try {
  await main(process.argv.slice(2));
} catch (error) {
  process.exitCode = explain(error, database);
}
