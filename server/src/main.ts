// The door of the server: which command was asked for, with which settings.
import { parseArgs } from 'node:util';
import { accountsCommand, keysCommand } from './commands/access.ts';
import { configCommand } from './commands/config.ts';
import { explain, UsageError } from './commands/ending.ts';
import { examine } from './commands/examine.ts';
import { up } from './commands/up.ts';
import { print } from './commands/usage.ts';
import { loadConfig } from './config/load.ts';
import { flagName, type SettingName, settingNames } from './config/settings.ts';

const commands = { up, examine, config: configCommand, keys: keysCommand, accounts: accountsCommand };

async function main([name = '', ...rest]: string[]): Promise<void> {
  const command = commands[name as keyof typeof commands];
  if (!command) throw new UsageError(`There is no command "${name}". ./lorekeep --help lists them.`);
  if (rest.includes('--help') || rest.includes('-h') || rest[0] === 'help') {
    print(command.help());
    return;
  }
  const { settings, words } = splitFlags(rest);
  await command.run(loadConfig({ flags: settings }), words);
}

/** Flags that are settings (`--port 9000`, `--port=9000`) apart from what belongs to the command. */
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

try {
  await main(process.argv.slice(2));
} catch (error) {
  process.exitCode = explain(error);
}
