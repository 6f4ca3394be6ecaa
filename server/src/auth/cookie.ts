// The session cookie: HttpOnly, SameSite=Strict, and Secure if the page uses TLS.
import type { FastifyReply, FastifyRequest } from 'fastify';

const name = 'lorekeep_session';
/** Browsers accept this prefix only with Secure and for this host alone. */
const securedName = `__Host-${name}`;

/** Prefers the secured cookie, since a page on a related host may have set the other one. */
export function sessionCookie({ headers }: Pick<FastifyRequest, 'headers'>): string | undefined {
  const sent = new Map<string, string>();
  for (const part of headers.cookie?.split(';') ?? []) {
    const at = part.indexOf('=');
    const own = part.slice(0, Math.max(0, at)).trim();
    if (own !== '' && !sent.has(own)) sent.set(own, part.slice(at + 1).trim());
  }
  return sent.get(securedName) ?? sent.get(name);
}

export function setCookie(request: FastifyRequest, reply: FastifyReply, secret: string, seconds: number): void {
  // TLS may end at a proxy, so the header of the browser decides. A client that forges it weakens only its own cookie.
  const secured = request.protocol === 'https' || /^https:/i.test(request.headers.origin ?? '');
  const cookieName = secured ? securedName : name;
  reply.header('set-cookie', cookie(cookieName, secret, seconds, secured));
}

export function clearCookies(reply: FastifyReply): void {
  reply.header('set-cookie', [cookie(name, '', 0, false), cookie(securedName, '', 0, true)]);
}

const cookie = (name: string, value: string, seconds: number, secured: boolean) =>
  `${name}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secured ? '; Secure' : ''}`;
