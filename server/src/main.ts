// The door of the server: which command was asked for, with which settings.
import { parseArgs } from 'node:util';
import { Refusal } from '@lorekeep/contract';
import { accountsCommand, keysCommand } from './commands/access.ts';
import { configCommand } from './commands/config.ts';
import { examine } from './commands/examine.ts';
import { up } from './commands/up.ts';
import { UsageError } from './commands/usage.ts';
import { loadConfig, SettingsError } from './config/load.ts';
import { flagName, type SettingName, settingNames } from './config/settings.ts';
import { NewerDatabaseError } from './store/migrate.ts';

const commands = { up, examine, config: configCommand, keys: keysCommand, accounts: accountsCommand };

async function main([name = '', ...rest]: string[]): Promise<number> {
  const command = commands[name as keyof typeof commands];
  if (!command) throw new UsageError(`There is no command "${name}". ./lorekeep --help lists them.`);
  if (rest.includes('--help') || rest.includes('-h') || rest[0] === 'help') {
    process.stdout.write(`${command.help()}\n`);
    return 0;
  }
  const { settings, words } = splitFlags(rest);
  return await command.run(loadConfig({ flags: settings }), words);
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
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  const told =
    error instanceof UsageError ||
    error instanceof SettingsError ||
    error instanceof NewerDatabaseError ||
    error instanceof Refusal;
  process.stderr.write(`${told ? (error as Error).message : startProblem(error)}\n`);
  process.exitCode = error instanceof UsageError || error instanceof SettingsError ? 2 : 1;
}

/** What a person can do about the failures that a start meets most. */
function startProblem(error: unknown): string {
  const { code, message, stack, address, port } = error as NodeJS.ErrnoException & { address?: string; port?: number };
  switch (code) {
    case 'EADDRINUSE':
      return `The address ${address}:${port} is in use. Is Lorekeep running already? Stop it, or choose another port: ./lorekeep up --port ${(port ?? 8080) + 1}`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `This machine has no address ${address ?? ''}: check LOREKEEP_HOST.`;
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return `Not allowed: ${message}. Check who owns LOREKEEP_HOME, and that the port is above 1023.`;
    case 'ENOSPC':
      return `The disk is full: ${message}`;
    case 'ECONNREFUSED':
    case '28P01':
    case '28000':
    case '3D000':
      return `The database of LOREKEEP_DATABASE_URL cannot be used: ${message || 'no connection'}`;
    default:
      return stack ?? String(error);
  }
}
