// lorekeep login, logout: stores or removes the server's address and the key.
import { Lorekeep } from '@lorekeep/client';
import { askHidden, piped } from '../ask-person.ts';
import type { Command } from '../command.ts';
import { UsageError } from '../exit.ts';
import { forgetLogin, loginFile, readLogin, writeLogin } from '../login.ts';

export const login: Command = {
  name: 'login',
  summary: 'store an address and a key for later commands',
  more:
    'Asks for the key, or reads it from standard input where that is piped in, tries it, and stores both in a file that only you can read. LOREKEEP_API_KEY\n' +
    'and LOREKEEP_BASE_URL of the environment override that file, and --url overrides both.',
  async run(context) {
    const { url } = context.address();
    const typed = context.input().isTTY
      ? await askHidden(`The key for ${url}: `, context.input())
      : await piped(context.input());
    if (typed === '')
      throw new UsageError('There was no key. ./lorekeep keys create makes one on the host of the server.');
    const account = await new Lorekeep({ baseUrl: url, apiKey: typed, onWarning: () => {} }).showOwnAccount({
      signal: context.signal,
    });
    if (!account.key) throw new Error(`The server at ${url} is not Lorekeep. Is the address right?`);
    const file = writeLogin(context.environment, { url, key: typed });
    context.show(
      { url, account: account.name, scopes: account.key.scopes, file },
      () =>
        `Logged in at ${url} as "${account.name}" with the key "${account.key.name}" (${account.key.scopes.join(', ')}).`,
    );
    if (context.environment.LOREKEEP_API_KEY)
      context.terminal.tell('LOREKEEP_API_KEY is set in this environment and overrides this login.');
  },
};

export const logout: Command = {
  name: 'logout',
  summary: 'forget the address and the key',
  async run(context) {
    const login = readLogin(context.environment);
    forgetLogin(context.environment);
    const rest = login
      ? ` The key itself still works: ${context.program} keys revoke ID --url ${login.url} ends it, with a key that may.`
      : ' Nobody was logged in.';
    context.show({ file: loginFile(context.environment) }, () => `Logged out.${rest}`);
  },
};
