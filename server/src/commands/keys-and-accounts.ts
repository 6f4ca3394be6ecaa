// `./lorekeep keys` and `./lorekeep accounts`, for people who can run commands on this host. They need no key and no running server.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import {
  type Account,
  displayName,
  type LimitChanges,
  type Limits,
  type NewKey,
  type Scope,
  scopes,
} from '@lorekeep/contract';
import { didYouMean } from '../../../cli/src/nearest.ts';
import { Accounts } from '../accounts/accounts.ts';
import { defaultLimits } from '../accounts/limits.ts';
import { actingOnHost } from '../audit/actor.ts';
import { defaultScopes, Keys } from '../auth/keys.ts';
import { SignInLinks } from '../auth/sign-in-links.ts';
import { FolderBlobs } from '../blobs/folder.ts';
import type { Config } from '../config/settings.ts';
import { openStore } from '../store/open.ts';
import { type Command, print, say, table } from './command.ts';
import { MissingError, UsageError } from './exit.ts';

const keysHelp = `./lorekeep keys list [--account NAME] [--json]
./lorekeep keys create [NAME] [--account NAME] [--scopes read,infer,tune,admin] [--expires 30d] [--json]
./lorekeep keys revoke ID [--json]
./lorekeep keys rotate ID [--grace 24h] [--json]

API keys, on this host and without one. Without --account they are the operator's.
A key is shown once, when it is made, alone on standard output: KEY=$(./lorekeep keys create) keeps it.
Scopes are ${scopes.join(', ')}; admin includes the others, and without --scopes a key gets ${defaultScopes.join(', ')}. Times are 30s, 15m, 24h or 30d.
With --url ADDRESS they are the keys of the Lorekeep there, asked with a key of it: see ./lorekeep help keys.`;

const accountsHelp = `./lorekeep accounts list [--json]
./lorekeep accounts create NAME [--json]
./lorekeep accounts rename NAME NEW-NAME
./lorekeep accounts limit NAME LIMIT=VALUE ... [--json]
./lorekeep accounts link NAME [--json]
./lorekeep accounts disable NAME | enable NAME
./lorekeep accounts delete NAME --yes

Accounts, on this host. A link sets the password for the web console, once: an invitation, or the way back. LIMIT is requests_per_minute, data_points, storage_bytes, jobs or keys; VALUE is a number, none or default.`;

interface Tools {
  accounts: Accounts;
  keys: Keys;
  links: SignInLinks;
}

interface Options {
  account?: string;
  scopes?: string;
  expires?: string;
  grace?: string;
  json?: boolean;
  yes?: boolean;
}

export const keysCommand: Command = {
  help: () => keysHelp,
  run: async ({ config }, words) =>
    await withStore(config, async (tools) => await keys(tools, ...parse(words, keysHelp))),
};

export const accountsCommand: Command = {
  help: () => accountsHelp,
  run: async ({ config }, words) =>
    await withStore(config, async (tools) => await accounts(tools, ...parse(words, accountsHelp))),
};

/** The result, and optionally a remark that is printed apart from it, so that `KEY=$(./lorekeep keys create)` works. */
type Text = string | [result: string, beside: string];

async function withStore(config: Config, work: (tools: Tools) => Promise<Text>): Promise<void> {
  const store = await openStore(config.database_url);
  try {
    const tools = {
      accounts: new Accounts(store, new FolderBlobs(join(config.home, 'files')), defaultLimits(config)),
      keys: new Keys(store, defaultLimits(config)),
      links: new SignInLinks(store, config.contact),
    };
    await tools.accounts.ensureOperator();
    const [result = '', beside] = [await actingOnHost(() => work(tools))].flat();
    print(result);
    if (beside !== undefined) say(beside);
  } finally {
    await store.close();
  }
}

function parse(words: string[], help: string): [action: string, names: string[], options: Options] {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  try {
    const { values, positionals } = parseArgs({
      args: words,
      allowPositionals: true,
      options: { account: text, scopes: text, expires: text, grace: text, json: flag, yes: flag },
    });
    const [action = 'list', ...names] = positionals;
    return [action, names, values as Options];
  } catch (error) {
    const [first = '', ...more] = (error as Error).message.split('. ');
    const [, option = ''] = /Unknown option '(--[^']+)'/.exec(first) ?? [];
    const known = ['account', 'scopes', 'expires', 'grace', 'json', 'yes', 'help'].map((name) => `--${name}`);
    throw new UsageError(`${first}${more.length > 0 ? '.' : ''}${didYouMean(option, known)}\n\n${help}`);
  }
}

/** Maximum number of words of each command. A further word is an error instead of being ignored. */
const maxWords: Record<string, Record<string, number>> = {
  keys: { list: 0, create: 1, revoke: 1, rotate: 1 },
  accounts: {
    list: 0,
    create: 1,
    rename: 2,
    limit: Number.POSITIVE_INFINITY,
    link: 1,
    disable: 1,
    enable: 1,
    delete: 1,
  },
};

function unknown(command: string, action: string, help: string): UsageError {
  const meant = didYouMean(action, Object.keys(maxWords[command]!), `${command} `);
  return new UsageError(`There is no "${command} ${action}".${meant}\n\n${help}`);
}

function checkWords(command: string, action: string, words: string[], help: string): void {
  const limit = maxWords[command]?.[action] ?? Number.POSITIVE_INFINITY;
  if (words.length > limit)
    throw new UsageError(`"${command} ${action}" takes no argument "${words[limit]}".\n\n${help}`);
}

async function keys({ accounts, keys }: Tools, action: string, words: string[], options: Options): Promise<Text> {
  checkWords('keys', action, words, keysHelp);
  const [word] = words;
  switch (action) {
    case 'list': {
      const account = await accountNamed(accounts, options.account);
      const { keys: list } = await keys.list(account.id, Number.MAX_SAFE_INTEGER - 1);
      if (options.json) return JSON.stringify(list, null, 2);
      const rows = list.map((key) => [
        String(key.id),
        key.name,
        `${key.prefix}…`,
        key.scopes.join(','),
        key.status,
        key.expires_at ?? 'never',
        key.last_used_at ?? 'never',
      ]);
      const keyTable = table([['ID', 'NAME', 'KEY', 'SCOPES', 'STATUS', 'EXPIRES', 'LAST USED'], ...rows]);
      if (list.length > 0) return keyTable;
      return [keyTable, `The account "${account.name}" has no keys. ./lorekeep keys create makes one.`];
    }
    case 'create': {
      const account = await accountNamed(accounts, options.account);
      const expiresAt =
        options.expires === undefined ? null : Date.now() + duration(options.expires, '--expires') * 1000;
      return shownOnce(
        await keys.create({
          accountId: account.id,
          name: displayNamed(word ?? 'made on the host'),
          scopes: options.scopes === undefined ? defaultScopes : scopeList(options.scopes),
          expiresAt,
        }),
        options,
      );
    }
    case 'revoke': {
      const key = await keys.revoke('all', keyNumber(word));
      return options.json
        ? JSON.stringify(key, null, 2)
        : `The key ${key.id} "${key.name}" is revoked. It stopped working at once.`;
    }
    case 'rotate': {
      const graceSeconds = options.grace === undefined ? 86_400 : duration(options.grace, '--grace');
      return shownOnce(await keys.rotate('all', keyNumber(word), { graceSeconds }), options);
    }
    default:
      throw unknown('keys', action, keysHelp);
  }
}

async function accounts({ accounts, links }: Tools, action: string, words: string[], options: Options): Promise<Text> {
  checkWords('accounts', action, words, accountsHelp);
  const [name, ...rest] = words;
  const named = async () => {
    if (!name) throw new UsageError(`Name the account.\n\n${accountsHelp}`);
    return await accountNamed(accounts, name);
  };
  const show = (account: Account, sentence: string) => (options.json ? JSON.stringify(account, null, 2) : sentence);
  switch (action) {
    case 'list': {
      const list = await accounts.list();
      if (options.json) return JSON.stringify(list, null, 2);
      const limit = (value: number | null) => (value === null ? 'none' : String(value));
      const rows = list.map(({ id, name, role, limits, storage_used_bytes, disabled_at }) => [
        String(id),
        name,
        disabled_at ? 'disabled' : role,
        limit(limits.requests_per_minute),
        limit(limits.data_points),
        `${storage_used_bytes} of ${limit(limits.storage_bytes)}`,
        limit(limits.jobs),
        limit(limits.keys),
      ]);
      return table([['ID', 'NAME', 'ROLE', 'REQUESTS/MIN', 'DATA POINTS', 'STORAGE', 'JOBS', 'KEYS'], ...rows]);
    }
    case 'create': {
      if (!name?.trim()) throw new UsageError(`Give the account a name.\n\n${accountsHelp}`);
      const account = await accounts.create(displayNamed(name));
      const sentence = `The account "${account.name}" has the number ${account.id}.`;
      return [show(account, sentence), `Its first key: ./lorekeep keys create --account "${account.name}"`];
    }
    case 'rename': {
      const [next] = rest;
      if (!next?.trim()) throw new UsageError(`Give the new name.\n\n${accountsHelp}`);
      const account = await accounts.change((await named()).id, { name: displayNamed(next) });
      return show(account, `The account is now called "${account.name}".`);
    }
    case 'limit': {
      const account = await accounts.change((await named()).id, { limits: limitChanges(rest) });
      return show(
        account,
        `The limits of "${account.name}": ${Object.entries(account.limits)
          .map(([limit, value]) => `${limit} ${value ?? 'none'}`)
          .join(', ')}.`,
      );
    }
    case 'link': {
      const account = await named();
      const link = await links.make(account.id);
      return [
        options.json ? JSON.stringify(link, null, 2) : link.path,
        `Append this path to the address of the server. Until ${link.expires_at} it can be opened once, to set the password of "${account.name}", once.`,
      ];
    }
    case 'disable':
    case 'enable': {
      const account = await accounts.change((await named()).id, { disabled: action === 'disable' });
      return show(
        account,
        `The account "${account.name}" is ${action}d.${action === 'disable' ? ' Its keys stopped working at once.' : ''}`,
      );
    }
    case 'delete': {
      const account = await named();
      if (!options.yes)
        throw new UsageError(
          `This deletes the account "${account.name}" with all its keys and data. Repeat the command with --yes.`,
        );
      await accounts.delete(account.id);
      return options.json
        ? JSON.stringify({ deleted: account.id })
        : `The account "${account.name}" is deleted with all its keys and data.`;
    }
    default:
      throw unknown('accounts', action, accountsHelp);
  }
}

async function accountNamed(accounts: Accounts, name: string | undefined): Promise<Account> {
  const list = await accounts.list();
  const found = list.find((account) =>
    name === undefined ? account.role === 'operator' : account.name === name || String(account.id) === name,
  );
  if (!found)
    throw new MissingError('account_not_found', `There is no account "${name}". ./lorekeep accounts list shows them.`);
  return found;
}

function displayNamed(name: string): string {
  const result = displayName.safeParse(name);
  if (!result.success) throw new UsageError(`The name ${result.error.issues[0]!.message}.`);
  return result.data;
}

function keyNumber(id: string | undefined): number {
  if (!/^[1-9][0-9]{0,14}$/.test(id ?? ''))
    throw new UsageError('Give the number of the key. ./lorekeep keys list shows them.');
  return Number(id);
}

function scopeList(text: string): Scope[] {
  const requested = text
    .split(',')
    .map((scope) => scope.trim())
    .filter(Boolean);
  const wrong = requested.filter((scope) => !(scopes as readonly string[]).includes(scope));
  if (wrong.length > 0 || requested.length === 0)
    throw new UsageError(
      `--scopes "${text}": ${wrong.length > 0 ? `there is no scope ${wrong.join(', ')}` : 'none is named'}; there are ${scopes.join(', ')}.`,
    );
  return [...new Set(requested)] as Scope[];
}

/** 30s, 15m, 24h, 30d in seconds. */
function duration(text: string, flag: string): number {
  const [, count, unit] = /^([0-9]{1,9})([smhd])$/.exec(text) ?? [];
  if (!count || !unit) throw new UsageError(`${flag} "${text}" is not a time; it takes 30s, 15m, 24h or 30d.`);
  return Number(count) * { s: 1, m: 60, h: 3600, d: 86_400 }[unit as 's' | 'm' | 'h' | 'd'];
}

function limitChanges(words: string[]): LimitChanges {
  const names: (keyof Limits)[] = ['requests_per_minute', 'data_points', 'storage_bytes', 'jobs', 'keys'];
  const changes: LimitChanges = {};
  for (const word of words) {
    const [limit, value] = word.split('=', 2) as [keyof Limits, string | undefined];
    if (!names.includes(limit) || !/^([0-9]{1,15}|none|default)$/.test(value ?? '')) {
      throw new UsageError(
        `"${word}" is not a limit; write LIMIT=VALUE with ${names.join(', ')} and a number, none or default.`,
      );
    }
    changes[limit] = value === 'none' || value === 'default' ? value : Number(value);
  }
  if (words.length === 0) throw new UsageError(`Name the limit.\n\n${accountsHelp}`);
  return changes;
}

function shownOnce(key: NewKey, options: Options): Text {
  const end = key.expires_at ? `, expires ${key.expires_at}` : '';
  return [
    options.json ? JSON.stringify(key, null, 2) : key.key,
    `The key ${key.id} "${key.name}" (${key.scopes.join(', ')}${end}). It is shown this once: keep it now.`,
  ];
}
