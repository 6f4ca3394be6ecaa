// Error handler: the only place that turns an error into an answer, in the format of the contract.
import {
  type ErrorCode,
  type ErrorShape,
  errorBody,
  isForTwin,
  type Method,
  openaiStatus,
  Refusal,
  type Route,
} from '@lorekeep/contract';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isDiskFull } from '../files/disk-full.ts';
import { isUnavailable } from '../store/database.ts';
import { defaultHeaders } from './default-headers.ts';

export function answerErrors(app: FastifyInstance, routes: Route[], home: string): void {
  const missing = notFound(routes);
  app.setErrorHandler((error: FastifyError, request, reply) =>
    // Fastify throws this for the method QUERY, before it looks for a route. No route here has that method.
    error.code === 'FST_ERR_ROUTE_MISSING_CONTENT_TYPE'
      ? missing(request, reply)
      : sendRefusal(asRefusal(error, request, home), request, reply),
  );
  app.setNotFoundHandler(missing);
  for (const { method, path } of shadowed(routes)) app.route({ method, url: path, handler: missing });
}

/** Registers 405 answers for paths that end in a word, such as /jobs/cancel: another method on them would match /jobs/{id}. */
function shadowed(routes: Route[]): { method: Method; path: string }[] {
  const methods = new Map<string, Set<Method>>();
  for (const { method, path } of routes) methods.set(path, (methods.get(path) ?? new Set()).add(method));
  const patterns = [...methods.keys()]
    .filter((path) => path.includes('{'))
    .map((path) => ({ path, is: pattern(path) }));
  return [...methods].flatMap(([path, own]) => {
    if (path.endsWith('}')) return [];
    // Other paths that would match the last word as their parameter. Names of models are words themselves.
    const others = path.includes('{')
      ? ['{id}', '{number}'].map((last) => path.slice(0, path.lastIndexOf('/') + 1) + last)
      : patterns.filter(({ is }) => is.test(path)).map((other) => other.path);
    const found = new Set(others.flatMap((other) => [...(methods.get(other) ?? [])]));
    const url = path.replace(/\{(\w+)\}/g, ':$1');
    return [...found].filter((method) => !own.has(method)).map((method) => ({ method, path: url }));
  });
}

/** Cache of patterns, since a process of tests starts many servers. */
const compiled = new Map<string, RegExp>();

function pattern(path: string): RegExp {
  const known = compiled.get(path) ?? new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`);
  compiled.set(path, known);
  return known;
}

export function sendRefusal(refusal: Refusal, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (isExpectedWhileStarting(refusal)) request.log.warn({ request: request.id }, refusal.message);
  else if (isServerError(refusal.status))
    request.log.error({ request: request.id, err: refusal.cause ?? refusal }, refusal.message);
  const shape = shapeFor(request);
  const ownStatus = shape === 'platform' || request.routeOptions.config.contract?.twin !== undefined;
  return (
    reply
      .code(ownStatus && shape !== 'openai' ? refusal.status : openaiStatus(refusal.status))
      // A refusal before the hooks has no default headers, and the route may have allowed caching.
      .headers(defaultHeaders)
      .headers(refusal.headers)
      .type('application/json; charset=utf-8')
      .serializer(JSON.stringify)
      .send(errorBody(refusal, shape))
  );
}

/** Expected while the engine is set up or starts, so no stack trace is logged. */
const isExpectedWhileStarting = ({ code, cause }: Refusal) =>
  code === 'engine_unavailable' && (cause === undefined || (cause as Error).name === 'EngineFailure');

/** 513, 524 and 594 are the platform's statuses for refused requests; they are not logged as server errors. */
const isServerError = (status: number) => status >= 500 && status < 513;

/** The error format of the client. For a route with a twin it is known only after the body. */
function shapeFor({ url, body, routeOptions }: FastifyRequest): ErrorShape {
  // Under /inf, unknown paths are answered in OpenAI's format too.
  if (/^\/+inf(?:[/?]|$)/.test(url)) return 'openai';
  // Where there is no route, either kind of client may have called, so the error has the fields of both.
  const { errorShape, twin } = routeOptions.config.contract ?? { errorShape: 'both' };
  if (!twin) return errorShape ?? 'platform';
  if (isForTwin(body)) return 'openai';
  return typeof body === 'object' && body !== null && 'model_name' in body ? 'platform' : 'both';
}

export function asRefusal(error: unknown, request: FastifyRequest, home: string): Refusal {
  if (error instanceof Refusal) return error as Refusal;
  if (isDiskFull(error)) return new Refusal('storage_full', { home }, { cause: error });
  if (isUnavailable(error)) return new Refusal('busy', { state: 'waiting for its database' }, { cause: error });
  const known = fastifyErrors[(error as FastifyError).code ?? ''];
  if (known) return known(error as FastifyError);
  // Errors of a plugin, such as a path traversal at /docs.
  const { statusCode = 500 } = error as FastifyError;
  if (statusCode >= 400 && statusCode < 500)
    return new Refusal('route_not_found', { method: request.method, path: shownPath(request) });
  return new Refusal('internal', { request: request.id }, { cause: error });
}

/** Translates Fastify's own errors. */
const fastifyErrors: Record<string, (error: FastifyError) => Refusal> = {
  FST_ERR_BAD_URL: () => new Refusal('request_malformed', { reason: 'the path cannot be decoded' }),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () => new Refusal('body_incomplete'),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () =>
    new Refusal('content_type_unsupported', { type: 'of the request', expected: 'application/json' }),
  FST_ERR_MAX_PARAM_LENGTH: () => new Refusal('request_malformed', { reason: 'a part of the path is too long' }),
};

/** 405 if the path exists with other methods, else 404. */
function notFound(routes: Route[]) {
  const patterns = routes.map((route) => ({ method: route.method, path: route.path, pattern: pattern(route.path) }));
  const advice = ({ method }: FastifyRequest, path: string): { hint?: string } => {
    const meant = meantPaths(path).find((one) => patterns.some((of) => of.method === method && of.pattern.test(one)));
    if (meant)
      return { hint: `Did you mean ${method} ${meant}? An OpenAI client has the address with /v1 as its base URL.` };
    return /^(?:\/v1|\/inf)?\/responses(?:\/|$)/.test(path) ? { hint: noResponses } : {};
  };
  return (request: FastifyRequest, reply: FastifyReply) => {
    const path = plainPath(request);
    const inWords = patterns.filter((one) => one.path === path);
    const found = inWords.length > 0 ? inWords : withMostLiterals(patterns.filter(({ pattern }) => pattern.test(path)));
    const allowed = found.map(({ method }) => method as string);
    if (allowed.includes('GET')) allowed.push('HEAD');
    const displayPath = shownPath(request);
    const refusal: Refusal<ErrorCode> =
      allowed.length === 0
        ? (new Refusal(
            'route_not_found',
            { method: request.method, path: displayPath },
            advice(request, path),
          ) as Refusal)
        : (new Refusal(
            'method_not_allowed',
            { method: request.method, path: displayPath, allowed: allowed.join(', ') },
            { headers: { Allow: allowed.join(', ') } },
          ) as Refusal);
    return sendRefusal(refusal, request, reply);
  };
}

/** Paths of calls with a base URL that lacks /v1, or has it twice. */
const meantPaths = (path: string) => [`/v1${path}`, path.replace(/^\/(v1|inf)\/v1\//, '/$1/')];

const noResponses =
  'Use chat completions, POST /v1/chat/completions: openai.chat(model) in the AI SDK, use_responses_api=False in LangChain.';

/** The path with the most words wins: /v1/models/{model}/forget over /v1/models/{organisation}/{model}. */
function withMostLiterals<T extends { path: string }>(matching: T[]): T[] {
  const words = ({ path }: T) => path.split('/').filter((part) => part && !/^[:{]/.test(part)).length;
  const maxLiterals = Math.max(...matching.map(words));
  return matching.filter((one) => words(one) === maxLiterals);
}

/** Path without the query, with slashes normalised. */
function plainPath({ url }: FastifyRequest): string {
  return url
    .split('?', 1)[0]!
    .replace(/\/{2,}/g, '/')
    .replace(/(.)\/$/, '$1');
}

function shownPath(request: FastifyRequest): string {
  const path = plainPath(request);
  return path.length > 200 ? `${path.slice(0, 200)}…` : path;
}
