// A server with the built console and an operator with a password.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { csrfHeader } from '../../contract/src/sessions.ts';
import { checkout } from '../../server/src/config/settings.ts';
import { startServer, type TestServer, withEngine } from '../../server/src/testing/server.ts';

export const password = 'correct horse battery staple';

export const notBuilt = existsSync(join(checkout, 'console/dist/index.html'))
  ? false
  : 'the console is not built: ./lorekeep test builds it';

/** Starts a server. With `engine` models can be asked; without it only pages that need no engine work. */
interface Wanted {
  engine?: boolean;
  signedUp?: boolean;
  /** Alternative to `engine`: a promise of its interpreter, which the test resolves. */
  python?: Promise<string>;
  replicas?: string;
}

export async function startConsole(wanted: Wanted = {}): Promise<TestServer> {
  const { engine = false, signedUp = true, python, replicas = '1' } = wanted;
  // Webhook receivers of tests run on this machine.
  const server = await startServer(
    { webhook_networks: '127.0.0.0/8', replicas },
    python ?? (engine ? withEngine : undefined),
  );
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
