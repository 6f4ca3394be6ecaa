// Sends one request to an upstream engine, with an idle timeout and a size limit. Redirects are not followed: the key goes to the address
// of the settings and nowhere else. `fetch` is not used, since some of these servers refuse its Sec-Fetch headers.
import { Agent, type IncomingMessage, request as plainRequest } from 'node:http';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';
import type { UpstreamSettings } from '../../config/upstreams.ts';
import { retryAfterOf, UpstreamFailure } from './failure.ts';

const agents = { 'http:': new Agent({ keepAlive: true }), 'https:': new SecureAgent({ keepAlive: true }) };
const maxErrorBytes = 64 << 10;
const maxAnswerBytes = 16 << 20;

export interface UpstreamResponse {
  type: string;
  bytes: AsyncGenerator<Buffer, void>;
  /** Discards an answer unread. */
  close(): void;
}

type Where = Pick<UpstreamSettings, 'url' | 'key' | 'timeoutSeconds'>;

/** Sends the request and waits for the response head. A status other than 2xx throws a failure with the server's own reason. */
export async function send(
  where: Where,
  path: string,
  body: Record<string, unknown> | undefined,
  signal: AbortSignal,
): Promise<UpstreamResponse> {
  const silence = new IdleTimeout(where.timeoutSeconds, signal);
  const response = await opened(where, path, body, silence);
  const bytes = read(response, silence);
  const { statusCode: status = 0, headers } = response;
  if (status >= 200 && status < 300) {
    const close = () => {
      silence.over();
      response.destroy();
    };
    return { type: headers['content-type'] ?? '', bytes, close };
  }
  const said = await text(bytes, maxErrorBytes).catch(() => '');
  throw failureOf(status, reasonIn(said, where), retryAfterOf(headers['retry-after']));
}

/** Reads the whole answer as JSON. */
export async function sendForJson(...given: Parameters<typeof send>): Promise<unknown> {
  const { bytes, type } = await send(...given);
  const said = await text(bytes, maxAnswerBytes);
  try {
    return JSON.parse(said);
  } catch {
    throw new UpstreamFailure('wrong', `its answer is not JSON but ${type.split(';')[0] || 'of no type'}`);
  }
}

/** Ends a request after an idle timeout, or when the caller is gone. */
class IdleTimeout {
  readonly #controller = new AbortController();
  readonly #milliseconds: number;
  readonly #caller: AbortSignal;
  readonly signal: AbortSignal;
  #timer: NodeJS.Timeout | undefined;

  constructor(seconds: number, caller: AbortSignal) {
    this.#milliseconds = seconds * 1000;
    this.#caller = caller;
    this.signal = AbortSignal.any([caller, this.#controller.signal]);
    this.heard();
  }

  heard(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#controller.abort(), this.#milliseconds);
  }

  over(): void {
    clearTimeout(this.#timer);
  }

  /** Classifies a connection error. */
  failure(error: unknown, otherwise: () => UpstreamFailure): unknown {
    this.over();
    if (this.#caller.aborted) return this.#caller.reason;
    if (this.#controller.signal.aborted) return new UpstreamFailure('slow', 'it was silent for too long');
    return error instanceof UpstreamFailure ? error : otherwise();
  }
}

async function opened(
  { url, key }: Where,
  path: string,
  body: Record<string, unknown> | undefined,
  silence: IdleTimeout,
): Promise<IncomingMessage> {
  const target = new URL(path.startsWith('..') ? url.replace(/\/v1$/, path.slice(2)) : url + path);
  const secure = target.protocol === 'https:';
  const written = body === undefined ? undefined : JSON.stringify(body);
  try {
    return await new Promise((resolve, reject) => {
      const sent = (secure ? secureRequest : plainRequest)(target, {
        method: written === undefined ? 'GET' : 'POST',
        agent: agents[secure ? 'https:' : 'http:'],
        signal: silence.signal,
        headers: {
          accept: 'application/json, text/event-stream',
          'user-agent': 'lorekeep',
          ...(key && { authorization: `Bearer ${key.reveal()}` }),
          ...(written !== undefined && {
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(written),
          }),
        },
      });
      sent.once('response', resolve);
      sent.on('error', reject);
      sent.end(written);
    });
  } catch (error) {
    const { code = 'no answer' } = error as NodeJS.ErrnoException;
    throw silence.failure(
      error,
      () => new UpstreamFailure('unavailable', `it cannot be reached (${code})`, { passing: true }),
    );
  }
}

async function* read(response: IncomingMessage, silence: IdleTimeout): AsyncGenerator<Buffer, void> {
  try {
    for await (const chunk of response) {
      silence.heard();
      yield chunk as Buffer;
    }
  } catch (error) {
    throw silence.failure(
      error,
      () => new UpstreamFailure('wrong', 'its answer broke off in the middle', { passing: true }),
    );
  } finally {
    silence.over();
    response.destroy();
  }
}

async function text(bytes: AsyncGenerator<Buffer, void>, limit: number): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of bytes) {
    size += part.length;
    if (size > limit) throw new UpstreamFailure('wrong', `its answer is longer than ${limit} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

/** The server's own error message, shortened to one line, without the key. */
function reasonIn(said: string, { key }: Where): string {
  let found: unknown;
  try {
    const parsed = JSON.parse(said) as Record<string, unknown>;
    const inner = parsed.error ?? parsed.message ?? parsed.detail;
    found = typeof inner === 'object' && inner !== null ? (inner as { message?: unknown }).message : inner;
  } catch {
    // An HTML error page of a proxy holds nothing useful for a caller.
  }
  if (typeof found !== 'string') return '';
  const line = found.replace(/\s+/g, ' ').trim().slice(0, 300).replace(/\.$/, '');
  return key ? line.replaceAll(key.reveal(), '(hidden)') : line;
}

function failureOf(status: number, reason: string, retryAfter: number | undefined): UpstreamFailure {
  const said = reason ? `: ${reason}` : '';
  if (status >= 300 && status < 400)
    return new UpstreamFailure('wrong', `it answers with a redirect (${status}), which is not followed`);
  if (status === 401 || status === 403)
    return new UpstreamFailure('unavailable', `it refuses the key of the settings (${status})`);
  if (status === 429) return new UpstreamFailure('full', `the upstream engine is full (429${said})`, { retryAfter });
  if (status === 400 || status === 413 || status === 422)
    return new UpstreamFailure('refused', reason || `it answers ${status} without a reason`);
  if (status >= 500)
    return new UpstreamFailure('failing', `it answers ${status}${said}`, {
      retryAfter,
      passing: retryAfter === undefined,
    });
  return new UpstreamFailure('unavailable', `it answers ${status}${said}`);
}
