// Calls of a bench to document indexes of the product, over HTTP as any client makes them.
import { setTimeout as pause } from 'node:timers/promises';

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
export type Caller = (method: string, path: string, body?: unknown) => Promise<any>;

export function callerOf({ url, key }: { url: string; key: string }) {
  const headers = { authorization: `Bearer ${key}` };
  const call: Caller = async (method, path, body) => {
    const form = body instanceof FormData;
    const response = await fetch(url + path, {
      method,
      headers: { ...headers, ...(!form && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: form ? body : JSON.stringify(body) }),
    });
    const reply = await response.json();
    if (response.status !== 200) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(reply)}`);
    return reply;
  };
  return {
    call,
    form: (files: { name: string; text: string }[]) => {
      const form = new FormData();
      form.append('model_name', 'lorekeep/quill');
      for (const { name, text } of files) form.append('files', new Blob([text]), name);
      return form;
    },
    /** Waits for the end of its events, when it is idle: polling would be measured as well. */
    atRest: async (id: number) => {
      await (await fetch(`${url}/v1/indexes/${id}/events`, { headers })).text();
      return await call('GET', `/v1/indexes/${id}`);
    },
  };
}

/** Waits until the embedder is loaded, so that loading is not measured. */
export async function untilEmbedding(call: Caller): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    const ready = await call('POST', '/v1/embedding', { prompt: 'ready' }).catch((error: Error) => error);
    if (!(ready instanceof Error)) return;
    if (attempt > 600) throw ready;
    await pause(500);
  }
}
