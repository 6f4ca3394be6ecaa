// The routes of signing in and out.
import * as contract from '@lorekeep/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Accounts } from '../accounts/accounts.ts';
import { subject } from '../accounts/subject.ts';
import { serve } from '../http/serve.ts';
import { Attempts } from './attempt-limit.ts';
import { clearCookies, setCookie } from './cookie.ts';
import type { Passwords } from './passwords.ts';
import { type Sessions, sessionSeconds } from './sessions.ts';
import type { SignInLinks } from './sign-in-links.ts';

export interface ConsoleParts {
  accounts: Accounts;
  sessions: Sessions;
  passwords: Passwords;
  links: SignInLinks;
}

export function sessionRoutes(app: FastifyInstance, { accounts, sessions, passwords, links }: ConsoleParts): void {
  const attempts = new Attempts();

  const begin = async (request: FastifyRequest, reply: FastifyReply, accountId: number) => {
    const { secret, session } = await sessions.begin(accountId, request.headers['user-agent'] ?? '', request.ip);
    setCookie(request, reply, secret, sessionSeconds);
    return session;
  };

  serve(app, contract.showSession, async ({ request }) => ({ session: await sessions.show(request) }));

  serve(app, contract.signIn, async ({ request, reply, body }) => {
    refuseForeign(request);
    const accountId = await attempts.guard(
      body.account,
      request.ip,
      async () => await passwords.check(body.account, body.password),
    );
    return await begin(request, reply, accountId);
  });

  serve(app, contract.signOut, async ({ caller, reply }) => {
    if (caller.sessionId === undefined) return { signed_out: 0 };
    clearCookies(reply);
    return { signed_out: await sessions.end(caller.account.id, { only: caller.sessionId }) };
  });

  serve(app, contract.listSessions, async ({ caller }) => {
    const found = await sessions.list(caller.account.id);
    const isoTime = (at: number) => new Date(at).toISOString();
    return {
      sessions: found.map(({ id, browser, created_at, expires_at }) => ({
        id,
        browser,
        created_at: isoTime(created_at),
        expires_at: isoTime(expires_at),
        current: id === caller.sessionId,
      })),
    };
  });

  serve(app, contract.signOutEverywhere, async ({ caller, reply }) => {
    if (caller.sessionId !== undefined) clearCookies(reply);
    return { signed_out: await sessions.end(caller.account.id) };
  });

  serve(app, contract.changePassword, async ({ caller, request, body }) => {
    await attempts.guard(
      caller.account.name,
      request.ip,
      async () => await passwords.change(caller.account.id, body.password, body.new_password),
    );
    return {
      signed_out: await sessions.end(
        caller.account.id,
        caller.sessionId === undefined ? {} : { but: caller.sessionId },
      ),
    };
  });

  serve(app, contract.createSignInLink, async ({ caller, params }) => {
    const accountId = await subject(accounts, caller, params.id);
    // A key that expires must not set a password, which does not expire.
    const { expiresAt } = caller.key;
    if (expiresAt !== null)
      throw new contract.Refusal('key_too_strong', {
        reason: `it expires at ${new Date(expiresAt).toISOString()} itself`,
      });
    return await links.make(accountId);
  });

  serve(app, contract.showSignInLink, async ({ request, body }) => {
    const { account, expiresAt } = await attempts.guard(
      undefined,
      request.ip,
      async () => await links.show(body.token),
    );
    return { account, expires_at: new Date(expiresAt).toISOString() };
  });

  serve(app, contract.redeemSignInLink, async ({ request, reply, body }) => {
    refuseForeign(request);
    const accountId = await attempts.guard(
      undefined,
      request.ip,
      async () => await links.use(body.token, body.password),
    );
    await sessions.end(accountId);
    return await begin(request, reply, accountId);
  });
}

/** Prevents login CSRF: a page of another site can send a form, but not this header. */
function refuseForeign({ headers }: FastifyRequest): void {
  if (headers[contract.csrfHeader] === undefined) throw new contract.Refusal('csrf_missing');
}
