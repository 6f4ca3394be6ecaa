// Signing in to the console: a password for each account, set through a link that works once, and sessions that browsers hold as a cookie.
// A session calls every other route as a key of its account would.
import { z } from 'zod';
import { displayName, id, isoTimestamp } from './common.ts';
import { route, scopes } from './route.ts';

const tag = 'Console';

/** Header of the CSRF token. Every call of a session that changes something needs it; other sites cannot know it. */
export const csrfHeader = 'x-lorekeep-csrf';

export const minPasswordLength = 10;
const password = z
  .string()
  .refine((text) => [...text].length >= minPasswordLength, `must have at least ${minPasswordLength} characters`)
  .refine((text) => [...text].length <= 200, 'must have at most 200 characters')
  .meta({ minLength: minPasswordLength, maxLength: 200 });
/** Text typed to sign in is compared, not validated. */
const typed = z.string().max(1000);

export const sessionSchema = z
  .object({
    id: z.int(),
    account: z.object({ id: z.int(), name: z.string(), role: z.enum(['operator', 'member']) }),
    scopes: z.array(z.enum(scopes)),
    csrf: z.string().describe(`Send it as ${csrfHeader} with every call that is not a GET.`),
    created_at: isoTimestamp,
    expires_at: isoTimestamp,
  })
  .meta({ id: 'Session' });
export type Session = z.infer<typeof sessionSchema>;

export const showSession = route({
  name: 'showSession',
  method: 'GET',
  path: '/v1/session',
  tag,
  summary: 'The account that is signed in with the cookie of this request',
  access: 'public',
  answer: z.object({ session: sessionSchema.nullable().describe('Null when nobody is.') }),
});

export const signIn = route({
  name: 'signIn',
  method: 'POST',
  path: '/v1/session',
  tag,
  summary: 'Sign in: the answer sets the cookie of a new session',
  description: `Needs the header ${csrfHeader} with any value, which no page of another address can send.`,
  access: 'public',
  body: z.strictObject({ account: z.string().max(1000).describe('The name of the account.'), password: typed }),
  answer: sessionSchema,
  errors: ['sign_in_wrong', 'too_many_attempts', 'csrf_missing', 'account_disabled'],
});

export const signOut = route({
  name: 'signOut',
  method: 'DELETE',
  path: '/v1/session',
  tag,
  summary: 'Sign out here',
  access: 'key',
  repeatable: true,
  answer: z.object({ signed_out: z.int().describe('Number of sessions that this ended.') }),
});

export const listSessions = route({
  name: 'listSessions',
  method: 'GET',
  path: '/v1/sessions',
  tag,
  summary: 'The sessions of the account',
  access: 'read',
  answer: z.object({
    sessions: z.array(
      z.object({
        id: z.int(),
        browser: z.string().describe('As it named itself.'),
        created_at: isoTimestamp,
        expires_at: isoTimestamp,
        current: z.boolean().describe('The one of this request.'),
      }),
    ),
  }),
});

export const signOutEverywhere = route({
  name: 'signOutEverywhere',
  method: 'DELETE',
  path: '/v1/sessions',
  tag,
  summary: 'Sign out everywhere, here too',
  access: 'admin',
  repeatable: true,
  answer: z.object({ signed_out: z.int() }),
});

export const changePassword = route({
  name: 'changePassword',
  method: 'POST',
  path: '/v1/password',
  tag,
  summary: 'Change the password of the account; its other sessions end',
  access: 'admin',
  body: z.strictObject({ password: typed.describe('The present one.'), new_password: password }),
  answer: z.object({ signed_out: z.int() }),
  errors: ['sign_in_wrong', 'too_many_attempts'],
});

export const createSignInLink = route({
  name: 'createSignInLink',
  method: 'POST',
  path: '/v1/accounts/{id}/sign-in-link',
  tag,
  summary: 'Make a link with which whoever opens it sets the password of the account, once',
  description: 'An invitation, and the way back for who has forgotten a password.',
  access: 'admin',
  params: z.object({ id }),
  answer: z.object({
    path: z.string().describe('Put it behind the address of the server.'),
    expires_at: isoTimestamp,
  }),
  errors: ['account_not_found', 'key_too_strong'],
});

export const redeemSignInLink = route({
  name: 'redeemSignInLink',
  method: 'POST',
  path: '/v1/sign-in-links/use',
  tag,
  summary: 'Set the password that a link is for, and sign in; the link is spent',
  description: `Needs the header ${csrfHeader} with any value. Sessions that the account had end.`,
  access: 'public',
  body: z.strictObject({ token: z.string().max(200), password }),
  answer: sessionSchema,
  errors: ['link_unknown', 'too_many_attempts', 'csrf_missing', 'account_disabled'],
});

/** The name of the account that a link is for, before a password is chosen. */
export const showSignInLink = route({
  name: 'showSignInLink',
  method: 'POST',
  path: '/v1/sign-in-links/show',
  tag,
  summary: 'The account that a link is for; the link stays good',
  access: 'public',
  repeatable: true,
  body: z.strictObject({ token: z.string().max(200) }),
  answer: z.object({ account: displayName, expires_at: isoTimestamp }),
  errors: ['link_unknown', 'too_many_attempts'],
});
