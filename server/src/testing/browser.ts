// A browser as seen by the server: it sends its cookie automatically, and the page's token in a header.
import { csrfHeader } from '@lorekeep/contract';
import type { Reply, TestServer } from './server.ts';

/** The cookie that an answer sets, as sent back. */
export const cookieOf = ({ headers }: Reply) => headers.getSetCookie()[0]!.split(';', 1)[0]!;

/** Calls as a page with this sign-in answer would; with another token, or none, as a foreign page would. */
export function browserOf(server: Pick<TestServer, 'call'>, signedIn: Reply) {
  const cookie = cookieOf(signedIn);
  const token: string = signedIn.body.csrf;
  return async (method: string, path: string, body?: unknown, csrf: string | null = token) =>
    await server.call(method, path, {
      key: null,
      body,
      headers: { cookie, ...(csrf !== null && { [csrfHeader]: csrf }) },
    });
}

/** Sets a password with a link and is signed in. */
export async function redeem(server: Pick<TestServer, 'call'>, link: string, password: string): Promise<Reply> {
  return await server.call('POST', '/v1/sign-in-links/use', {
    key: null,
    body: { token: link.split('/').at(-1), password },
    headers: { [csrfHeader]: 'sign-in' },
  });
}
