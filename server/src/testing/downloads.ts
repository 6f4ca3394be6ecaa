// Helpers for tests of downloads.
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { adminKey, type Reply } from './server.ts';

export const downloadsPath = '/v1alpha/downloaded_models';
export const token = 'hf_a-token-that-nobody-may-see';
export const slow = { pause: 0.05 };
export const MB = 1 << 20;

export type Ask = (body: object, key?: string) => Promise<Reply>;

/** Polls as the platform's clients do, until the model is available or refused. */
export async function settled(ask: Ask, body: object, key?: string): Promise<Reply> {
  for (let attempt = 0; attempt < 1200; attempt++) {
    const reply = await ask(body, key);
    if (reply.status !== 200 || reply.body.status === 'available') return reply;
    assert.ok(['queued', 'downloading', 'quantizing'].includes(reply.body.status), JSON.stringify(reply.body));
    await sleep(100);
  }
  throw new Error('it was not settled in time');
}

export async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

/** Requests a model, or the list. */
export async function callAt(url: string, body?: object): Promise<Reply> {
  const response = await fetch(url + downloadsPath, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}
