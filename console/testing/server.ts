// A server with the built console, and an operator who has chosen a password.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { csrfHeader } from '../../contract/src/sessions.ts';
import { checkout } from '../../server/src/config/settings.ts';
import { startServer, type TestServer, withEngine } from '../../server/src/testing/server.ts';

export const password = 'correct horse battery staple';

export const notBuilt = existsSync(join(checkout, 'console/dist/index.html'))
  ? false
  : 'the console is not built: ./lorekeep test builds it';

/** With `engine` models can be asked; without one everything else can be looked at. */
export async function startConsole({ engine = false, signedUp = true } = {}): Promise<TestServer> {
  const server = await startServer({}, engine ? withEngine : undefined);
  if (!signedUp) return server;
  const token = server.firstLink!.split('/').at(-1);
  const { status } = await server.call('POST', '/v1/sign-in-links/use', {
    key: null,
    body: { token, password },
    headers: { [csrfHeader]: 'sign-in' },
  });
  if (status !== 200) throw new Error(`The password could not be set: ${status}`);
  return server;
}
