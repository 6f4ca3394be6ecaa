// One call: from a route and its arguments to the answer, with retries where they are safe.
import { formBody, jsonBody, jsonStream, type Prepared } from './bodies.ts';
import { ConnectionError, LorekeepError } from './errors.ts';
import { errorFrom, refusalOf } from './refusals.ts';
import { sleep } from './sleep.ts';

/** The parts of a contract route that a call needs. */
export interface RouteOf {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly params?: readonly string[];
  readonly query?: readonly string[];
  readonly body?: 'json' | 'json-stream' | 'multipart';
  /** The parts of a form that are files. */
  readonly files?: readonly string[];
  /** The answer is not JSON and is returned unparsed. */
  readonly raw?: boolean;
  /** Statuses besides 200 that carry the answer. */
  readonly answerAlso?: readonly number[];
  /** The call is idempotent. */
  readonly repeatable?: boolean;
}

export interface CallOptions {
  /** Aborts the call, which then throws the signal's reason. */
  signal?: AbortSignal | undefined;
  /**
   * Timeout of one attempt, in milliseconds; Infinity for none. For a stream or a download it applies until the first
   * byte. Uploads have no timeout unless one is given here.
   */
  timeoutMs?: number | undefined;
  /** Maximum number of retries where they are safe; 0 for none. */
  retries?: number | undefined;
  headers?: Record<string, string> | undefined;
}

export interface Settings {
  baseUrl: string;
  apiKey: string | undefined;
  timeoutMs: number;
  retries: number;
  headers: Record<string, string>;
  fetch: typeof fetch;
  onWarning: (text: string) => void;
}

const firstPauseMs = 250;
const maxPauseMs = 8_000;
/** A longer Retry-After is thrown as an error instead of waiting. */
const maxRetryAfterSeconds = 60;

/** The answer, and a function that aborts reading it. */
export interface Opened {
  response: Response;
  abort(): void;
}

export async function callRoute<Answer>(
  settings: Settings,
  route: RouteOf,
  args: object,
  options: CallOptions = {},
): Promise<Answer> {
  return await attempts(settings, route, args, options, async (send) => {
    const { response, stopTimer } = await send();
    try {
      return (route.raw ? response : await jsonOf(response)) as Answer;
    } finally {
      stopTimer();
    }
  });
}

async function jsonOf(response: Response): Promise<unknown> {
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch {
    throw errorFrom(undefined, response);
  }
}

/** Opens a stream of events. */
export async function openRoute(
  settings: Settings,
  route: RouteOf,
  args: object,
  options: CallOptions = {},
): Promise<Opened> {
  return await attempts(settings, route, args, options, async (send) => {
    const { response, abort, stopTimer } = await send();
    stopTimer();
    if (!response.headers.get('content-type')?.startsWith('text/event-stream')) {
      abort();
      throw errorFrom(undefined, response);
    }
    return { response, abort };
  });
}

interface Sent extends Opened {
  /** Clears the timeout: a raw answer or a stream has begun, or another answer is whole. */
  stopTimer(): void;
}

async function attempts<Result>(
  settings: Settings,
  route: RouteOf,
  args: object,
  options: CallOptions,
  read: (send: () => Promise<Sent>) => Promise<Result>,
): Promise<Result> {
  options.signal?.throwIfAborted();
  const { url, body } = await requestOf(settings, route, args as Record<string, unknown>, options.signal);
  const maxRetries = options.retries ?? settings.retries;
  for (let attempt = 0; ; attempt++) {
    try {
      return await read(() => send(settings, route, url, body, options));
    } catch (caught) {
      options.signal?.throwIfAborted();
      if (body?.failure) throw body.failure.error;
      const error = caught instanceof LorekeepError ? caught : connectionError(caught, settings.baseUrl);
      const pause = error.retryAfter === undefined ? backoffMs(attempt) : error.retryAfter * 1000;
      const again =
        attempt < maxRetries && body?.again !== false && canRetry(error, route) && pause <= maxRetryAfterSeconds * 1000;
      if (!again) throw error;
      await sleep(pause, options.signal);
    }
  }
}

/** Exponential backoff with jitter, so that many clients do not retry at the same time. */
const backoffMs = (attempt: number) => Math.min(maxPauseMs, firstPauseMs * 2 ** attempt) * (0.5 + Math.random() / 2);

/** Whether a call that failed with this error may be retried. */
function canRetry({ code, status }: LorekeepError, { repeatable }: RouteOf): boolean {
  // The request did not arrive, or was refused before execution.
  if (code === 'unreachable' || code === 'rate_limited') return true;
  return (
    repeatable === true &&
    (code === 'connection_lost' || status === 502 || status === 503 || status === 504 || status === 513) &&
    code !== 'timed_out'
  );
}

async function requestOf(
  settings: Settings,
  route: RouteOf,
  args: Record<string, unknown>,
  signal: AbortSignal | undefined,
) {
  const rest = { ...args };
  const take = (name: string) => {
    const value = rest[name];
    delete rest[name];
    return value;
  };
  const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = take(name);
    if (value === undefined || value === null || value === '')
      throw new TypeError(`${route.name} needs "${name}", which is ${value === '' ? 'empty' : 'not given'}.`);
    // URL parsers resolve these as path segments (dot segments), even if they are encoded.
    if (value === '.' || value === '..')
      throw new TypeError(`${route.name} needs "${name}", and "${value}" cannot be a name.`);
    return encodeURIComponent(String(value));
  });
  const query = new URLSearchParams();
  // Without a body, arguments unknown to this client are sent in the query.
  for (const name of route.body ? (route.query ?? []) : Object.keys(rest)) {
    const value = take(name);
    if (value !== undefined && value !== null) query.set(name, String(value));
  }
  const url = `${settings.baseUrl}${path}${query.size > 0 ? `?${query}` : ''}`;
  return { url, body: await bodyOf(route, rest, signal) };
}

async function bodyOf(
  { body, files }: RouteOf,
  args: Record<string, unknown>,
  signal: AbortSignal | undefined,
): Promise<Prepared | undefined> {
  if (body === 'json') return jsonBody(args);
  if (body === 'json-stream') return await jsonStream(args, signal);
  return body === 'multipart' ? await formBody(args, files ?? [], signal) : undefined;
}

async function send(
  settings: Settings,
  route: RouteOf,
  url: string,
  body: Prepared | undefined,
  options: CallOptions,
): Promise<Sent> {
  // The signal may have been aborted while the body was prepared, and a listener misses earlier events.
  options.signal?.throwIfAborted();
  const upload = route.body === 'multipart' || route.body === 'json-stream';
  const limit = options.timeoutMs ?? (upload ? Number.POSITIVE_INFINITY : settings.timeoutMs);
  const controller = new AbortController();
  // A listener on a long-lived signal would keep every call, since nothing tells when the caller has read a raw answer.
  const signal = options.signal ? AbortSignal.any([options.signal, controller.signal]) : controller.signal;
  const timer = Number.isFinite(limit) ? setTimeout(() => controller.abort(tooLate(limit, route)), limit) : undefined;
  const stopTimer = () => clearTimeout(timer);
  try {
    const opened = body?.open();
    const response = await settings.fetch(url, {
      method: route.method,
      headers: {
        ...settings.headers,
        ...(settings.apiKey !== undefined && { authorization: `Bearer ${settings.apiKey}` }),
        ...body?.headers,
        ...options.headers,
      },
      ...(opened !== undefined && { body: opened }),
      ...(opened instanceof ReadableStream && streamOptions),
      signal,
    } as RequestInit);
    const warning = response.headers.get('x-warning');
    if (warning) settings.onWarning(warning);
    if (!response.ok && !route.answerAlso?.includes(response.status)) throw await refusalOf(response);
    return { response, stopTimer, abort: () => controller.abort() };
  } catch (error) {
    stopTimer();
    throw error;
  }
}

/**
 * Options of a request whose body is a stream. Without the last two, fetch keeps a copy of the whole body for a redirect
 * that could not be followed anyway (undici; by the standard, a request is cloned unless it has no window and redirects
 * are errors).
 */
const streamOptions = { duplex: 'half', redirect: 'error', window: null };

const tooLate = (limit: number, { method, path }: RouteOf) =>
  new ConnectionError({
    code: 'no_answer_in_time',
    detail: `There was no answer to ${method} ${path} within ${limit / 1000} seconds. Allow more with timeoutMs.`,
  });

/** Errors of Node, Deno and Bun that mean that nothing was sent. */
const neverSent =
  /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|UND_ERR_CONNECT_TIMEOUT|ConnectionRefused|FailedToOpenSocket|connection refused|dns error/i;
/** Errors that also occur on a connection on which something was already sent. */
const noRoute = /EHOSTUNREACH|ENETUNREACH/;

interface Cause {
  code?: string;
  message?: string;
  syscall?: string;
  /** One error for each address of a host name with several addresses. */
  errors?: Cause[];
}

export function connectionError(error: unknown, baseUrl: string): LorekeepError {
  const { cause, code = '', message } = error as { cause?: Cause; code?: string; message: string };
  const why = `${cause?.code ?? code} ${cause?.message ?? ''} ${message}`;
  const connecting = [cause, ...(cause?.errors ?? [])].some((one) => one?.syscall === 'connect');
  if (neverSent.test(why) || (noRoute.test(why) && connecting))
    return new ConnectionError({
      code: 'unreachable',
      detail: `Lorekeep cannot be reached at ${baseUrl}. Does it run there? ./lorekeep up starts it.`,
      cause: error,
    });
  return new ConnectionError({
    code: 'connection_lost',
    detail: `The connection to ${baseUrl} was lost before the answer was complete (${cause?.message || message}).`,
    cause: error,
  });
}
