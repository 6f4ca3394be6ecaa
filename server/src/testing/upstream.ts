// A server with vLLM's API whose behaviour the first part of the path selects: for failures that no real engine has on demand.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Heard {
  behaviour: string;
  path: string;
  authorization: string | undefined;
  body: Record<string, unknown>;
  /** The caller disconnected before the end. */
  left: boolean;
}

export const standInWords = ['One', ' two', ' three'];
const probe = 'Parity: naïve café, 42 €.';

/** A page, a redirect, ... instead of a completion; true if it has answered. */
type Behaviour = (response: ServerResponse, heard: Heard, attempt: number) => Promise<boolean> | boolean;

const head = (response: ServerResponse) => response.writeHead(200, { 'content-type': 'text/event-stream' });
const failWith =
  (status: number, message: string, headers: Record<string, string> = {}): Behaviour =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify({ error: { message } }));
    return true;
  };
const event = (model: string, choice: Record<string, unknown>, more = {}) =>
  `data: ${JSON.stringify({ object: 'text_completion', model, choices: [{ index: 0, ...choice }], ...more })}\n\n`;

const behaviours: Record<string, Behaviour> = {
  good: () => false,
  page: (response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Welcome to the proxy</html>');
    return true;
  },
  redirect: (response) => {
    response.writeHead(307, { location: 'http://127.0.0.1:1/elsewhere' }).end();
    return true;
  },
  other: (response) => {
    head(response).end(event('somebody-else', { text: 'hello', finish_reason: 'stop' }));
    return true;
  },
  malformed: (response) => {
    head(response).end('data: {"choices": [\n\n');
    return true;
  },
  stuck: (response) => {
    head(response).write(event('good', { text: 'One' }));
    return true;
  },
  silent: () => true,
  cut: (response) => {
    head(response).write(event('good', { text: 'One' }), () => response.destroy());
    return true;
  },
  unended: (response) => {
    head(response).end(event('good', { text: 'One' }));
    return true;
  },
  aborted: (response) => {
    head(response).end(event('good', { text: 'One', finish_reason: 'abort' }));
    return true;
  },
  /** Breaks off before the first token, twice. */
  shaky: (response, _, attempt) => {
    if (attempt > 2) return false;
    head(response).flushHeaders();
    response.destroy();
    return true;
  },
  broken: failWith(500, 'CUDA error: an illegal memory access\nwas encountered'),
  revoked: failWith(401, 'no such key'),
  full: failWith(429, 'too many requests for sk-stand-in-secret', { 'retry-after': '7' }),
  strict: failWith(400, 'max_tokens is too large.'),
  slow: async (response) => {
    head(response);
    for (const text of standInWords) {
      response.write(event('good', { text }));
      // Long enough for a caller on a busy machine to disconnect in the middle.
      for (let waited = 0; waited < 50 && !response.destroyed; waited++) await sleep(100);
    }
    response.end(event('good', { text: '', finish_reason: 'stop' }));
    return true;
  },
};

export interface StandIn {
  url(behaviour: string): string;
  heard: Heard[];
  /** Open sockets. */
  end(): Promise<void>;
}

export async function standIn(): Promise<StandIn> {
  const heard: Heard[] = [];
  const server = createServer(async (request, response) => {
    const [, behaviour = '', ...rest] = (request.url ?? '').split('/');
    const one: Heard = {
      ...{ behaviour, path: `/${rest.join('/')}`, body: await bodyOf(request), left: false },
      authorization: request.headers.authorization,
    };
    heard.push(one);
    response.on('close', () => {
      one.left = !response.writableFinished;
    });
    await answer(response, one, heard);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    heard,
    url: (behaviour) => `http://127.0.0.1:${port}/${behaviour}`,
    end: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<Record<string, unknown>> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return parts.length === 0 ? {} : JSON.parse(Buffer.concat(parts).toString());
}

async function answer(response: ServerResponse, one: Heard, heard: Heard[]): Promise<void> {
  const { behaviour, path, body } = one;
  const json = (value: unknown, status = 200) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  if (behaviour === 'locked' && one.authorization !== 'Bearer sk-right') return void json({ error: 'no' }, 401);
  if (path === '/v1/models')
    return void json({ object: 'list', data: [{ id: behaviour === 'unlisted' ? 'x' : 'good', max_model_len: 700 }] });
  if (path === '/detokenize') return void json({ prompt: behaviour === 'foreign' ? 'something else' : `<s>${probe}` });
  if (path !== '/v1/completions' || behaviour === 'without') return void json({ detail: 'Not Found' }, 404);
  const prompt = body.prompt as number[];
  const usage = {
    prompt_tokens: prompt.length + (behaviour === 'doubled' ? 1 : 0),
    completion_tokens: standInWords.length,
    prompt_tokens_details: { cached_tokens: 2 },
  };
  if (!body.stream) {
    const ended = body.logit_bias !== undefined && behaviour !== 'endless';
    const shaped = body.structured_outputs !== undefined && behaviour !== 'shapeless';
    const text = shaped ? '{"lorekeep":"parity"}' : ended ? '' : 'One two';
    return void json({ model: 'good', choices: [{ text, finish_reason: ended || shaped ? 'stop' : 'length' }], usage });
  }
  const attempt = heard.filter((other) => other.behaviour === behaviour && other.body.stream).length;
  if (await behaviours[behaviour]?.(response, one, attempt)) return;
  head(response);
  const schema = (body.structured_outputs as { json?: unknown } | undefined)?.json;
  const words = schema ? ['{"city"', ':"Lyon"}'] : standInWords;
  const logprobs = (text: string) =>
    body.logprobs === undefined
      ? {}
      : { logprobs: { tokens: [text], token_logprobs: [-0.5], top_logprobs: [{ [text]: -0.5, ' else': -2 }] } };
  for (const text of words) response.write(event('good', { text, ...logprobs(text) }));
  response.write(event('good', { text: '', finish_reason: 'stop' }));
  response.end(`data: ${JSON.stringify({ model: 'good', choices: [], usage })}\n\ndata: [DONE]\n\n`);
}
