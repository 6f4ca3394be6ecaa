// Routes of the contract: each is a plain value with everything a server, a client and a page of documentation need.
import type { z } from 'zod';
import type { ErrorCode } from './errors.ts';

export const scopes = ['read', 'infer', 'tune', 'admin'] as const;
export type Scope = (typeof scopes)[number];

/** Allowed callers: anybody, any valid key, a key with a scope, or an admin key of the operator's account. */
export type Access = 'public' | 'key' | Scope | 'operator';

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** Form of a body. `json` is small and parsed whole; `json-stream` and `multipart` are read as they come, with flat memory. */
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
  /**
   * Set for a GET that creates something: a browser needs the token of its session for it, as for every other call
   * that changes anything.
   */
  makes?: boolean;
  /** Idempotent: a client may retry it after a lost answer. GET and PATCH are idempotent without this. */
  repeatable?: boolean;
  answer: Answer;
  /** The content type of an answer that is no JSON. */
  answerType?: string;
  /** Content of each event, if the answer may come as server-sent events instead. */
  answerEvents?: Shape;
  /** Errors in the shape that OpenAI's clients know, or in both shapes at once where clients of both kinds call. */
  errorShape?: 'openai' | 'both';
  /** The route of OpenAI's clients that the same path serves: a body that names `model`, and no `model_name`, is meant for it. */
  twin?: Route;
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

/** Whether a body is meant for the twin of a route. Null means that a field is not given. */
export function isForTwin(body: unknown): boolean {
  if (typeof body !== 'object' || body === null) return false;
  const { model, model_name } = body as { model?: unknown; model_name?: unknown };
  return (model ?? null) !== null && (model_name ?? null) === null;
}

export type ParamsOf<R> = R extends Route<infer P, Shape, Shape, Shape> ? z.output<P> : never;
export type QueryOf<R> = R extends Route<Shape, infer Q, Shape, Shape> ? z.output<Q> : never;
export type BodyOf<R> = R extends Route<Shape, Shape, infer B, Shape> ? z.output<B> : never;
export type AnswerOf<R> = R extends Route<Shape, Shape, Shape, infer A> ? z.input<A> : never;
