// Helpers for tests of a document index over HTTP: send files, wait until indexing ends, ask.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Index, type IndexFile, isOver } from '@lorekeep/contract';

/** `call` of a server in this process or of another one. */
export interface Called {
  call(
    method: string,
    path: string,
    options?: { body?: unknown; key?: string },
    // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  ): Promise<{ status: number; body: any }>;
}

export type Sent = Record<string, string | Uint8Array<ArrayBuffer>>;

export function documentForm(
  files: Sent | [string, string | Uint8Array<ArrayBuffer>][],
  fields: Record<string, string> = {},
): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  for (const [name, content] of Array.isArray(files) ? files : Object.entries(files))
    form.append('files', new Blob([content]), name);
  return form;
}

export async function send(
  server: Called,
  files: Parameters<typeof documentForm>[0],
  fields: Record<string, string> = {},
  key?: string,
): Promise<number> {
  const body = documentForm(files, { model_name: 'lorekeep/quill', ...fields });
  const sent = await server.call('POST', '/alpha/memory-rag/train', { body, ...(key && { key }) });
  assert.deepEqual([sent.status, sent.body.status], [200, 'CREATED'], JSON.stringify(sent.body));
  return sent.body.job_id;
}

/** Polls like a client until indexing has ended. */
export async function atRest(server: Called, id: number, key?: string): Promise<Index> {
  for (let attempt = 0; attempt < 3000; attempt++) {
    const { status, body } = await server.call('POST', '/alpha/memory-rag/status', {
      body: { job_id: id },
      ...(key && { key }),
    });
    assert.equal(status, 200, JSON.stringify(body));
    if (isOver(body.status)) return body;
    await sleep(100);
  }
  throw new Error(`The index ${id} did not come to rest.`);
}

export async function built(server: Called, files: Parameters<typeof documentForm>[0], fields = {}): Promise<number> {
  const id = await send(server, files, fields);
  const { status, error } = await atRest(server, id);
  assert.equal(status, 'COMPLETED', error ?? '');
  return id;
}

export async function filesOf(server: Called, id: number): Promise<IndexFile[]> {
  const { status, body } = await server.call('GET', `/v1/indexes/${id}/files?limit=1000`);
  assert.equal(status, 200, JSON.stringify(body));
  return body.files;
}

/** A prompt in the chat template of the model's family, as in the platform's walkthrough. */
export const templated = (question: string) =>
  `<|begin_of_text|><|start_header_id|>user<|end_header_id|>\n\n${question}<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n`;

/** Asks for a generated answer, regardless of the shipped base; `answer` in `more` overrides it. */
export async function ask(server: Called, id: number, prompt: string, more: object = {}) {
  return await server.call('POST', '/alpha/memory-rag/completions', {
    body: { prompt, job_id: id, rag_query_size: 3, model_name: 'lorekeep/quill', answer: 'generate', ...more },
  });
}
