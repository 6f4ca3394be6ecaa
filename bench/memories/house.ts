// A memory of generated facts on a running server, as benches of memories call it over HTTP.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Running } from '../processes.ts';

export type Server = Running & { key: string };
type Answer = ReturnType<typeof JSON.parse>;

export const memory = 'house';
const pollMs = 50;

export const questionOf = (at: number) => `Who founded the firm Zorbex${at}?`;
export const answerOf = (at: number) => `${['Ada', 'Ben', 'Cleo', 'Dov', 'Eri'][at % 5]} Quist${at * 7}`;

/** Waits until the memory has its first version. */
export async function makeMemory(server: Server, facts: number): Promise<void> {
  const data = Array.from({ length: facts }, (_, at) => ({ input: questionOf(at), output: answerOf(at) }));
  const { job_id } = await call(server, 'POST', '/v1/train', { model_name: 'lorekeep/quill', data });
  await call(server, 'POST', '/v1/memories', { name: memory, job_id });
  await over(server, `/v1/memories/${memory}/changes/1`);
}

export async function changed(server: Server, body: object): Promise<Answer> {
  const { number } = await call(server, 'POST', `/v1/memories/${memory}/changes`, body);
  return await over(server, `/v1/memories/${memory}/changes/${number}`);
}

/** Waits for a change or an erasure to end, and returns it. */
export async function over(server: Server, path: string): Promise<Answer> {
  for (;;) {
    const one = await call(server, 'GET', path);
    if (one.finished_at !== null) {
      if (one.state !== 'published') throw new Error(JSON.stringify(one));
      return one;
    }
    await sleep(pollMs);
  }
}

export async function asked(server: Server, prompt: string): Promise<string> {
  const { output } = await call(server, 'POST', '/v1/completions', { model_name: memory, prompt, max_tokens: 32 });
  return output.trim();
}

export async function call({ url, key }: Server, method: string, path: string, body?: object): Promise<Answer> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const answer = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  const said = await answer.json();
  if (!answer.ok) throw new Error(JSON.stringify(said));
  return said;
}
