// API keys: shown once, stored as a hash, scoped, expiring, revocable, rotatable.
import { z } from 'zod';
import { displayName, id, isoTimestamp, next, optional, page } from './common.ts';
import { route, scopes } from './route.ts';

const tag = 'Keys';

export const keySchema = z
  .object({
    id: z.int(),
    account_id: z.int(),
    name: z.string(),
    prefix: z.string().describe('The first characters of the key, to tell keys apart.'),
    scopes: z.array(z.enum(scopes)),
    status: z.enum(['active', 'expired', 'revoked']),
    created_at: isoTimestamp,
    expires_at: isoTimestamp.nullable(),
    revoked_at: isoTimestamp.nullable(),
    last_used_at: isoTimestamp.nullable().describe('Written every few seconds, not with each request.'),
  })
  .meta({ id: 'Key' });
export type Key = z.infer<typeof keySchema>;

export const newKeySchema = keySchema
  .extend({ key: z.string().describe('The key itself. It is shown this once and cannot be read again.') })
  .meta({ id: 'NewKey' });
export type NewKey = z.infer<typeof newKeySchema>;

const params = z.object({ id });
const accountId = optional(id).describe("Another account's; for the operator only.");

export const listKeys = route({
  name: 'listKeys',
  method: 'GET',
  path: '/v1/keys',
  tag,
  summary: 'The keys of the account, newest first, revoked and expired ones too',
  access: 'read',
  query: page.extend({ account_id: accountId }),
  answer: z.object({ keys: z.array(keySchema), next }),
  errors: ['account_not_found'],
});

export const createKey = route({
  name: 'createKey',
  method: 'POST',
  path: '/v1/keys',
  tag,
  summary: 'Make a key',
  description: 'A key cannot make a stronger one: neither more scopes nor a later expiry than its own.',
  access: 'admin',
  body: z.strictObject({
    name: displayName,
    scopes: optional(z.array(z.enum(scopes)).min(1).max(scopes.length)).describe('Without it: read, infer and tune.'),
    expires_at: optional(isoTimestamp).describe('Without it the key does not expire by itself.'),
    account_id: accountId,
  }),
  answer: newKeySchema,
  errors: ['key_too_strong', 'account_not_found', 'keys_limit'],
});

export const showKey = route({
  name: 'showKey',
  method: 'GET',
  path: '/v1/keys/{id}',
  tag,
  summary: 'One key',
  access: 'read',
  params,
  answer: keySchema,
  errors: ['key_not_found'],
});

export const revokeKey = route({
  name: 'revokeKey',
  method: 'DELETE',
  path: '/v1/keys/{id}',
  tag,
  summary: 'Revoke a key: it stops working at once',
  access: 'admin',
  repeatable: true,
  params,
  answer: keySchema,
  errors: ['key_not_found'],
});

export const rotateKey = route({
  name: 'rotateKey',
  method: 'POST',
  path: '/v1/keys/{id}/rotate',
  tag,
  summary: 'Replace a key: a new one with the same name and scopes, the old one valid for a while longer',
  access: 'admin',
  params,
  body: z.strictObject({
    grace_seconds: optional(
      z
        .int()
        .min(0)
        .max(30 * 86_400),
    ).describe('Seconds for which the old key still works; a day without it.'),
    expires_at: optional(isoTimestamp).describe(
      'Expiry of the new key; without it, it lives as long as the old one was made to.',
    ),
  }),
  bodyOptional: true,
  answer: newKeySchema,
  errors: ['key_not_found', 'key_not_active', 'key_too_strong', 'keys_limit'],
});
