// Binds a route of the contract to its handler: access, validation, answer. Routes are served through this and in no other way.
import type { Readable } from 'node:stream';
import type { AnswerOf, BodyOf, ParamsOf, QueryOf, Route } from '@lorekeep/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Caller } from '../keys/caller.ts';

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null;
  }
  interface FastifyContextConfig {
    contract?: Route;
  }
}

export interface Incoming<R> {
  params: ParamsOf<R>;
  query: QueryOf<R>;
  body: BodyOf<R>;
  /** Who calls. On public routes there is nobody: their handlers do not ask. */
  caller: Caller;
  request: FastifyRequest;
  reply: FastifyReply;
}

/** Answers with what the contract says, or with a stream of it where the answer is a file. */
type Handler<R> = (incoming: Incoming<R>) => Promise<AnswerOf<R> | Readable>;

export function serve<R extends Route>(app: FastifyInstance, route: R, handler: Handler<R>): void {
  app.route({
    method: route.method,
    url: route.path.replace(/\{(\w+)\}/g, ':$1'),
    config: { contract: route },
    schema: {
      ...(route.params && { params: route.params }),
      ...(route.query && { querystring: route.query }),
      ...(route.body &&
        (route.bodyKind ?? 'json') === 'json' && { body: route.bodyOptional ? route.body.nullish() : route.body }),
      ...(!route.answerType && { response: { 200: answerSchema(route.answer) } }),
    },
    handler: async (request, reply) => {
      const answer = await handler({
        params: request.params as ParamsOf<R>,
        query: request.query as QueryOf<R>,
        body: request.body as BodyOf<R>,
        caller: request.caller as Caller,
        request,
        reply,
      });
      if (route.answerType) reply.type(route.answerType);
      return answer;
    },
  });
}

/** The schema that Fastify compiles into a serializer: what is not in the contract does not leave the server. */
function answerSchema(answer: z.ZodType): unknown {
  const { $schema: _, ...schema } = z.toJSONSchema(answer, { io: 'output', metadata: z.registry() });
  return schema;
}
