// A real server for a test: in this process, on a free port, with its own empty home.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type Server } from '../app.ts';
import { loadConfig } from '../config/load.ts';
import { checkout, type SettingName } from '../config/settings.ts';
import { createLog } from '../http/log.ts';
import { copyMigrated } from './templates.ts';

export const adminKey = 'test-admin-key-0123456789';

export interface Reply {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  body: any;
}

export interface TestServer extends Server {
  url: string;
  home: string;
  /** One call; a body that is not a string is sent as JSON. */
  call(
    method: string,
    path: string,
    options?: { body?: unknown; key?: string | null; headers?: Record<string, string> },
  ): Promise<Reply>;
  /** Creates an account and returns a key of it. */
  member(name: string, scopes?: string[]): Promise<{ id: number; key: string }>;
  /** Stops and starts again on the same data, as an operator would. */
  restart(): Promise<TestServer>;
  end(): Promise<void>;
}

/** Python of the checkout's own environment, which ./lorekeep test has set up. */
export const withEngine = Promise.resolve(join(checkout, '.setup/engine/bin/python'));

export async function startServer(
  flags: Partial<Record<SettingName, string>> = {},
  python?: Promise<string>,
): Promise<TestServer> {
  const home = flags.home ?? (await mkdtemp(join(tmpdir(), 'lorekeep-test-')));
  if (!flags.home && !flags.database_url) await copyMigrated(join(home, 'lorekeep.db'));
  const { config } = loadConfig({
    flags: { admin_key: adminKey, log_level: 'silent', ...flags, home, port: '0' },
    environment: {},
  });
  const server = await createServer(config, createLog(config), python);
  const url = await server.app.listen({ host: '127.0.0.1', port: 0 });

  const call: TestServer['call'] = async (method, path, { body, key = adminKey, headers = {} } = {}) => {
    const raw =
      body === undefined || typeof body === 'string' || body instanceof Uint8Array || body instanceof FormData;
    const response = await fetch(url + path, {
      method,
      headers: {
        ...(key !== null && { authorization: `Bearer ${key}` }),
        ...(body !== undefined && !(body instanceof FormData) && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: raw ? (body as string) : JSON.stringify(body) }),
    });
    const text = await response.text();
    const json = /^application\/json(;|$)/.test(response.headers.get('content-type') ?? '');
    return { status: response.status, headers: response.headers, body: json ? JSON.parse(text) : text };
  };

  return {
    ...server,
    url,
    home,
    call,
    member: async (name, scopes) => {
      const account = await call('POST', '/v1/accounts', { body: { name } });
      const key = await call('POST', '/v1/keys', {
        body: { name: `key of ${name}`, account_id: account.body.id, scopes },
      });
      return { id: account.body.id, key: key.body.key };
    },
    restart: async () => {
      await server.stop();
      return await startServer({ ...flags, home }, python);
    },
    end: async () => {
      await server.stop();
      await rm(home, { recursive: true, force: true });
    },
  };
}

/** A multipart form with one file. */
export function fileForm(
  name: string,
  content: string | Uint8Array<ArrayBuffer>,
  fields: Record<string, string> = {},
): FormData {
  const form = new FormData();
  for (const [field, value] of Object.entries(fields)) form.append(field, value);
  form.append('file', new Blob([content]), name);
  return form;
}
