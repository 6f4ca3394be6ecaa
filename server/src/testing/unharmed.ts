// Conditions of a server after any hostile client: it answers, stored nothing, logged no failure, and its memory is
// bounded.
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { succeed } from './acknowledged.ts';
import type { ServerProcess } from './process.ts';
import type { Answer } from './wire.ts';

const maxMemory = 450 * 2 ** 20;

export async function assertUnharmed(server: ServerProcess, home: string): Promise<void> {
  assert.deepEqual(await succeed(server.url, 'GET', '/healthz'), { status: 'ok' });
  const { datasets } = await succeed(server.url, 'GET', '/v1/datasets');
  assert.deepEqual(datasets, []);
  const { keys } = await succeed(server.url, 'GET', '/v1/keys');
  assert.deepEqual(
    keys.map((key: { name: string }) => key.name),
    ['LOREKEEP_ADMIN_KEY'],
  );
  assert.deepEqual(await filesLeft(home), []);
  assert.ok(server.peakMemory() < maxMemory, `it held ${Math.round(server.peakMemory() / 2 ** 20)} MB`);
  assert.doesNotMatch(server.output(), /"level":"(error|fatal)"/);
}

/** A draft is discarded after its upload failed; a client that disconnected cannot see when. */
async function filesLeft(home: string): Promise<string[]> {
  for (let attempt = 0; ; attempt++) {
    const files = await readdir(join(home, 'files/datasets')).catch(() => [] as string[]);
    if (files.length === 0 || attempt === 100) return files;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Asserts an error as in the contract, with this status and code. Calls that OpenAI's clients may make carry their `error` too. */
export function assertRefused(
  { status, headers, body }: Answer,
  expected: [status: number, code: string],
  message = '',
): void {
  assert.deepEqual([status, body?.code], expected, `${message}: ${JSON.stringify(body)?.slice(0, 500)}`);
  assert.match(headers['content-type'] ?? '', /^application\/json/);
  const { detail, code, error, ...rest } = body;
  assert.deepEqual(rest, {}, message);
  if (error) assert.deepEqual([error.message, error.code], [detail, code], message);
  assert.ok(detail.length > 0 && JSON.stringify(body).length < 10_000, message);
}
