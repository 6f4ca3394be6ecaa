// Accounts, which own all data, and their limits. Managed by the operator; each account sees only itself.
import { z } from 'zod';
import { displayName, id, isoTimestamp, optional } from './common.ts';
import { route, scopes } from './route.ts';

const tag = 'Accounts';

const limit = z.int().min(0).max(Number.MAX_SAFE_INTEGER).nullable();

export const limitsSchema = z
  .object({
    requests_per_minute: limit.describe('Requests a minute; null for no limit.'),
    data_points: limit.describe('Data points of one tuning job; null for no limit.'),
    storage_bytes: limit.describe('Bytes of stored data; null for no limit.'),
    jobs: limit.describe('Jobs queued or running at once; null for no limit.'),
    keys: limit.describe('Keys that work at once; null for no limit.'),
  })
  .meta({ id: 'Limits' });
export type Limits = z.infer<typeof limitsSchema>;

export const accountSchema = z
  .object({
    id: z.int(),
    name: z.string(),
    role: z.enum(['operator', 'member']),
    limits: limitsSchema.describe('The limits in force: those of the account, or the defaults of the installation.'),
    storage_used_bytes: z.int(),
    created_at: isoTimestamp,
    disabled_at: isoTimestamp.nullable(),
  })
  .meta({ id: 'Account' });
export type Account = z.infer<typeof accountSchema>;

/** Limits to set: a number, null for none, "default" to go back to the installation's. */
const limitChange = optional(
  z.union([z.int().min(0).max(Number.MAX_SAFE_INTEGER), z.literal('none'), z.literal('default')]),
);
const limitChanges = z
  .strictObject({
    requests_per_minute: limitChange,
    data_points: limitChange,
    storage_bytes: limitChange,
    jobs: limitChange,
    keys: limitChange,
  })
  .meta({
    id: 'LimitChanges',
    description: 'For each limit a number, "none", or "default" for the installation\'s own.',
  });
export type LimitChanges = Partial<z.output<typeof limitChanges>>;

const params = z.object({ id });

export const showOwnAccount = route({
  name: 'showOwnAccount',
  method: 'GET',
  path: '/v1/account',
  tag,
  summary: 'The account and the key that this request is made with',
  access: 'key',
  answer: accountSchema.extend({
    key: z.object({
      id: z.int(),
      name: z.string(),
      scopes: z.array(z.enum(scopes)),
      expires_at: isoTimestamp.nullable(),
    }),
  }),
});

export const listAccounts = route({
  name: 'listAccounts',
  method: 'GET',
  path: '/v1/accounts',
  tag,
  summary: 'All accounts',
  access: 'operator',
  answer: z.object({ accounts: z.array(accountSchema) }),
});

export const createAccount = route({
  name: 'createAccount',
  method: 'POST',
  path: '/v1/accounts',
  tag,
  summary: 'Make an account',
  access: 'operator',
  body: z.strictObject({ name: displayName, limits: optional(limitChanges) }),
  answer: accountSchema,
  errors: ['name_taken'],
});

export const showAccount = route({
  name: 'showAccount',
  method: 'GET',
  path: '/v1/accounts/{id}',
  tag,
  summary: 'One account',
  access: 'operator',
  params,
  answer: accountSchema,
  errors: ['account_not_found'],
});

export const changeAccount = route({
  name: 'changeAccount',
  method: 'PATCH',
  path: '/v1/accounts/{id}',
  tag,
  summary: 'Rename an account, set its limits, disable or enable it',
  access: 'operator',
  params,
  body: z.strictObject({
    name: optional(displayName),
    limits: optional(limitChanges),
    disabled: optional(z.boolean()).describe(
      'The keys of a disabled account stop working at once, and its sessions end.',
    ),
  }),
  answer: accountSchema,
  errors: ['account_not_found', 'name_taken', 'operator_account'],
});

export const deleteAccount = route({
  name: 'deleteAccount',
  method: 'DELETE',
  path: '/v1/accounts/{id}',
  tag,
  summary: 'Delete an account with all its keys and data',
  access: 'operator',
  params,
  answer: z.object({ deleted: z.int() }),
  errors: ['account_not_found', 'operator_account'],
});
