// lorekeep keys: the keys of the account.
import type { Key, NewKey } from '@lorekeep/client';
import { collectItems } from '../collect-items.ts';
import type { Command, Context } from '../command.ts';
import { seconds, shortTime, wholeNumber } from '../format.ts';
import { stripControls, table } from '../terminal.ts';

const account = { value: 'NUMBER', about: "another account's; for the operator" } as const;
const scopes = ['read', 'infer', 'tune', 'admin'] as const;

export const keysList: Command = {
  name: 'keys list',
  summary: 'the keys of the account',
  options: { account },
  async run(context, given) {
    const asked = { account_id: given.number('account'), limit: 1000 };
    const keys = await collectItems(context.client().allKeys(asked, context));
    const row = (key: Key) => [
      String(key.id),
      key.name,
      `${key.prefix}…`,
      key.scopes.join(','),
      key.status,
      key.expires_at ? shortTime(key.expires_at) : 'never',
      key.last_used_at ? shortTime(key.last_used_at) : 'never',
    ];
    context.show(keys, () =>
      table([['ID', 'NAME', 'KEY', 'SCOPES', 'STATUS', 'EXPIRES', 'LAST USED'], ...keys.map(row)]),
    );
  },
};

export const keysCreate: Command = {
  name: 'keys create',
  summary: 'make a key; it is shown once',
  words: 'NAME',
  options: {
    account,
    scopes: { value: 'LIST', about: `any of ${scopes.join(', ')}, with commas; read,infer,tune without it` },
    expires: { value: 'TIME', about: 'after 30s, 15m, 24h or 30d; never without it' },
  },
  async run(context, given) {
    const expires = given.text('expires');
    const key = await context.client().createKey(
      {
        name: given.words[0]!,
        // The server refuses unknown scopes by name.
        scopes: given
          .text('scopes')
          ?.split(',')
          .map((scope) => scope.trim()) as (typeof scopes)[number][] | undefined,
        expires_at:
          expires === undefined ? undefined : new Date(Date.now() + seconds(expires, 'expires') * 1000).toISOString(),
        account_id: given.number('account'),
      },
      context,
    );
    shownOnce(context, key);
  },
};

export const keysRotate: Command = {
  name: 'keys rotate',
  summary: 'replace a key; the old one works for a while longer',
  words: 'ID',
  names: 'keys',
  options: { grace: { value: 'TIME', about: 'how long the old one still works; 24h without it' } },
  async run(context, given) {
    const grace = given.text('grace');
    const key = await context.client().rotateKey(
      {
        id: wholeNumber(given.words[0], 'a key'),
        grace_seconds: grace === undefined ? undefined : seconds(grace, 'grace'),
      },
      context,
    );
    shownOnce(context, key);
  },
};

export const keysRevoke: Command = {
  name: 'keys revoke',
  summary: 'end a key at once',
  words: 'ID',
  names: 'keys',
  async run(context, given) {
    const key = await context.client().revokeKey({ id: wholeNumber(given.words[0], 'a key') }, context);
    context.show(key, () => `The key ${key.id} "${key.name}" is revoked. It stopped working at once.`);
  },
};

/** Prints only the key on standard output, so that `KEY=$(lorekeep keys create ...)` works. */
function shownOnce(context: Context, key: NewKey): void {
  context.show(key, () => key.key);
  const end = key.expires_at ? `, expires ${shortTime(key.expires_at)}` : '';
  context.terminal.say(
    `The key ${key.id} "${stripControls(key.name)}" (${key.scopes.join(', ')}${end}). It is shown this once: keep it now.`,
  );
}
