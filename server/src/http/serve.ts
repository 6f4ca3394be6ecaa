// Binds a route of the contract to its handler: access check, validation, answer. All routes are registered through this function.
import type { Readable } from 'node:stream';
import { type AnswerOf, type BodyOf, isForTwin, type ParamsOf, type QueryOf, type Route } from '@lorekeep/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { actingAs } from '../audit/actor.ts';
import type { Caller } from '../auth/caller.ts';

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null;
  }
  interface FastifyInstance {
    /** Fires, with a refusal as the reason, when calls in flight have to end because the server stops. */
    cut: AbortSignal;
  }
  interface FastifyContextConfig {
    contract?: Route;
  }
}

export interface Incoming<R> {
  params: ParamsOf<R>;
  query: QueryOf<R>;
  body: BodyOf<R>;
  /** The caller. Public routes have none, so their handlers must not read it. */
  caller: Caller;
  request: FastifyRequest;
  reply: FastifyReply;
}

/** Returns the answer of the contract, or a stream if the answer is a file. */
export type Handler<R> = (incoming: Incoming<R>) => Promise<AnswerOf<R> | Readable>;

/** `twin` handles bodies for the route's twin. */
export function serve<R extends Route, T extends Route = Route>(
  app: FastifyInstance,
  route: R,
  handler: Handler<R>,
  twin?: Handler<T>,
): void {
  const chosen = (request: FastifyRequest): Handler<Route> =>
    (twin && isForTwin(request.body) ? twin : handler) as Handler<Route>;
  app.route({
    method: route.method,
    url: route.path.replace(/\{(\w+)\}/g, ':$1'),
    config: { contract: route },
    schema: {
      ...(route.params && { params: route.params }),
      ...(route.query && { querystring: route.query }),
      ...(route.body && (route.bodyKind ?? 'json') === 'json' && { body: bodySchema(route) }),
    },
    handler: (request, reply) => {
      if (route.answerType) reply.type(route.answerType);
      return actingAs(request.caller, () =>
        chosen(request)({
          params: request.params as ParamsOf<Route>,
          query: request.query as QueryOf<Route>,
          body: request.body as BodyOf<Route>,
          caller: request.caller as Caller,
          request,
          reply,
        }),
      );
    },
  });
}

/** The schema of a body: the route's, or its twin's for bodies of the twin. */
function bodySchema({ body, bodyOptional, twin }: Route): Pick<z.ZodType, 'safeParse'> {
  if (!twin?.body) return bodyOptional ? body!.nullish() : body!;
  const theirs = twin.body;
  const safeParse = (value: unknown) => {
    if (isForTwin(value)) return theirs.safeParse(value);
    const result = body!.safeParse(value);
    return result.success ? result : { success: false, error: { issues: result.error.issues.map(withEitherName) } };
  };
  return { safeParse: safeParse as z.ZodType['safeParse'] };
}

/** A body without a model may be that of either kind of client. */
function withEitherName(issue: z.core.$ZodIssue): z.core.$ZodIssue {
  if (issue.path.join('.') !== 'model_name' || !issue.message.endsWith('received undefined')) return issue;
  const message = 'is missing (model_name in the format of the platform)';
  return { code: 'custom', path: ['model'], message, input: undefined };
}
