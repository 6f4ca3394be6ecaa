// The cookie of a session: out of reach for scripts, sent with no request that begins on another site, and over TLS alone where there is TLS.
import type { FastifyReply, FastifyRequest } from 'fastify';

const name = 'lorekeep_session';
/** Browsers take this prefix only with Secure and for this host alone. */
const securedName = `__Host-${name}`;

/** The secured one before the other, which a page of a neighbouring address may have set. */
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
  // TLS ends at a proxy: what the browser itself says of its page is what counts. Who lies here weakens nobody else's cookie.
  const secured = request.protocol === 'https' || /^https:/i.test(request.headers.origin ?? '');
  const cookieName = secured ? securedName : name;
  reply.header('set-cookie', cookie(cookieName, secret, seconds, secured));
}

export function clearCookies(reply: FastifyReply): void {
  reply.header('set-cookie', [cookie(name, '', 0, false), cookie(securedName, '', 0, true)]);
}

const cookie = (name: string, value: string, seconds: number, secured: boolean) =>
  `${name}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secured ? '; Secure' : ''}`;
