// What a route of the contract is: a plain value that says everything a server, a client and a page of documentation need.
import type { z } from 'zod';
import type { ErrorCode } from './errors.ts';

export const scopes = ['read', 'infer', 'tune', 'admin'] as const;
export type Scope = (typeof scopes)[number];

/** Who may call: anybody, any valid key, a key with a scope, or an admin key of the operator's account. */
export type Access = 'public' | 'key' | Scope | 'operator';

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** How a body arrives. `json` is small and parsed whole; `json-stream` and `multipart` are read as they come, with flat memory. */
export type BodyKind = 'json' | 'json-stream' | 'multipart';

type Shape = z.ZodType;

export interface Route<
  Params extends Shape = Shape,
  Query extends Shape = Shape,
  Body extends Shape = Shape,
  Answer extends Shape = Shape,
> {
  name: string;
  method: Method;
  path: string;
  tag: string;
  summary: string;
  description?: string;
  access: Access;
  params?: Params;
  query?: Query;
  body?: Body;
  bodyKind?: BodyKind;
  /** A body that may be left out altogether (`{}` or nothing). */
  bodyOptional?: boolean;
  /** Of a GET that makes something: a browser needs the token of its session for it, as for every other call that changes anything. */
  makes?: boolean;
  /** Sending it twice does no more than sending it once, so that a client may try again when it got no answer. Said of reading (GET) and of PATCH by what they are. */
  repeatable?: boolean;
  answer: Answer;
  /** The content type of an answer that is no JSON. */
  answerType?: string;
  /** Where the answer may come as server-sent events instead: what each event holds. */
  answerEvents?: Shape;
  /** Errors in the shape that clients of another API know. */
  errorShape?: 'openai';
  /** Statuses besides 200 that carry the answer's own shape (a health check that fails). */
  answerAlso?: number[];
  /** The refusals that are this route's own; those of every route are added where they apply. */
  errors?: ErrorCode[];
  deprecated?: Deprecation;
}

/** A part on its way out: answered with the headers Deprecation, Sunset and X-Warning. */
export interface Deprecation {
  since: string;
  sunset: string;
  instead: string;
}

/** States a route with its types kept: `route({...})` is how every route of the contract is written. */
export function route<
  Params extends Shape = z.ZodUndefined,
  Query extends Shape = z.ZodUndefined,
  Body extends Shape = z.ZodUndefined,
  Answer extends Shape = z.ZodUndefined,
>(route: Route<Params, Query, Body, Answer>): Route<Params, Query, Body, Answer> {
  return route;
}

export type ParamsOf<R> = R extends Route<infer P, Shape, Shape, Shape> ? z.output<P> : never;
export type QueryOf<R> = R extends Route<Shape, infer Q, Shape, Shape> ? z.output<Q> : never;
export type BodyOf<R> = R extends Route<Shape, Shape, infer B, Shape> ? z.output<B> : never;
export type AnswerOf<R> = R extends Route<Shape, Shape, Shape, infer A> ? z.input<A> : never;
