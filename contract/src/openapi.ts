// The OpenAPI 3.1 document, made from the routes and the table of errors. Committed as openapi.json; a test shows any difference.
import { z } from 'zod';
import { type ErrorCode, errors } from './errors.ts';
import { openaiErrorSchema, openaiStatus } from './openai-errors.ts';
import { type Route, scopes } from './route.ts';

type Json = Record<string, unknown>;

/** The promise of the version segments in paths. Shown at the top of /docs and in docs/reference/versions.md. */
export const versionPromise = `\
The first segment of a path says what it promises.

- **/v1, /v2, /v3**: kept. Fields and calls may be added; none is removed or changes its meaning. A higher number is a newer
  form of the same call, and the lower one goes on working.
- **/v1alpha, /alpha**: may change with notice. A part on its way out answers with the headers \`Deprecation\` (since when),
  \`Sunset\` (until when it works, at least 90 days later) and \`X-Warning\` (what to use instead).
- **/inf**: follows the API of OpenAI's clients, whose calls are below /v1 as well.

The version of the server itself is at \`/v1/version\`.`;

const description = `\
Lorekeep commits facts to open language models and answers from documents, on your own machines.

Every call but those of "Service" needs the header \`Authorization: Bearer <key>\`. Errors are \`{"detail", "code"}\`: a sentence that says
what to do, and a code that stays the same; to OpenAI's clients (below /inf, and at their calls below /v1) they have the shape that these know. Null in an optional field means that it is not given. A success is always 200 with JSON.

## Versions

${versionPromise}`;

export function openApiDocument(routes: Route[], version: string): Json {
  const components: Json = {};
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation(route, components) };
  }
  components.Error = errorSchema();
  return {
    openapi: '3.1.0',
    info: { title: 'Lorekeep', version, description, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    servers: [{ url: '/' }],
    tags: [...new Set(routes.map((route) => route.tag))].map((name) => ({ name })),
    paths,
    components: {
      schemas: Object.fromEntries(Object.entries(components).sort(([a], [b]) => (a < b ? -1 : 1))),
      securitySchemes: {
        key: {
          type: 'http',
          scheme: 'bearer',
          description: `An API key. Its scopes are any of ${scopes.join(', ')}; admin includes the others.`,
        },
      },
    },
  };
}

function operation(route: Route, components: Json): Json {
  const parameters = [
    ...parametersOf(route.params, 'path', components),
    ...parametersOf(route.query, 'query', components),
  ];
  return {
    operationId: route.name,
    tags: [route.tag],
    summary: route.summary,
    ...(route.description && { description: route.description }),
    ...(route.deprecated && { deprecated: true }),
    security: route.access === 'public' ? [] : [{ key: [] }],
    'x-access': route.access,
    ...(parameters.length > 0 && { parameters }),
    ...(route.body && {
      requestBody: {
        required: !route.bodyOptional,
        content: {
          [route.bodyKind === 'multipart' ? 'multipart/form-data' : 'application/json']: {
            schema: bodySchema(route, route.body, components),
          },
        },
      },
    }),
    responses: responses(route, components),
  };
}

/** A body that may be left out may be null as well. */
function bodySchema({ bodyOptional, twin }: Route, body: z.ZodType, components: Json): Json {
  if (twin?.body) return { anyOf: [body, twin.body].map((one) => jsonSchema(one, 'input', components)) };
  const schema = jsonSchema(body, 'input', components);
  return bodyOptional ? { ...schema, type: [schema.type, 'null'] } : schema;
}

function parametersOf(schema: z.ZodType | undefined, place: 'path' | 'query', components: Json): Json[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = jsonSchema(schema, 'input', components) as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...property }]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    ...(description !== undefined && { description }),
    schema: withoutNull(property),
  }));
}

/** A query parameter cannot be null: it is there or it is not. */
function withoutNull(schema: Json): Json {
  const kinds = (schema.anyOf as Json[] | undefined)?.filter((kind) => kind.type !== 'null');
  if (!kinds) return schema;
  const { anyOf: _, ...rest } = schema;
  return kinds.length === 1 ? { ...kinds[0], ...rest } : { ...rest, anyOf: kinds };
}

/** Content of a success. Events without a shape of their own are texts: they are described at their route. */
function content(route: Route, error: Json, components: Json): Json {
  const whole = either(route, ({ answer }) => jsonSchema(answer, 'output', components));
  const type = route.answerType ?? 'application/json';
  const answerEvents = route.answerEvents ?? route.twin?.answerEvents;
  const events = answerEvents && jsonSchema(answerEvents, 'output', components);
  if (type.startsWith('text/event-stream')) return { 'text/event-stream': { schema: event(events ?? {}, error) } };
  return { [type]: { schema: whole }, ...(events && { 'text/event-stream': { schema: event(events, error) } }) };
}

/** One of a stream, which is what the schema of a stream describes before OpenAPI 3.2. A failure in its middle is its last event. */
function event(data: Json, error: Json): Json {
  return {
    type: 'object',
    properties: {
      data: {
        anyOf: [
          { type: 'string', contentMediaType: 'application/json', contentSchema: { anyOf: [data, error] } },
          { const: '[DONE]', description: 'The last one.' },
        ],
      },
    },
    required: ['data'],
  };
}

/** The parts of one kind from a route and its twin. */
function either(route: Route, part: (one: Route) => Json): Json {
  return route.twin ? { anyOf: [part(route), part(route.twin)] } : part(route);
}

function errorOf({ errorShape, twin }: Route, components: Json): Json {
  const own = { $ref: '#/components/schemas/Error' };
  if (!errorShape && !twin) return own;
  const openai = jsonSchema(openaiErrorSchema, 'output', components);
  if (errorShape === 'openai') return openai;
  return errorShape === 'both' ? { allOf: [own, openai] } : { anyOf: [own, openai] };
}

function responses(route: Route, components: Json): Json {
  const error = errorOf(route, components);
  const answer = {
    description: 'Success',
    content: content(route, error, components),
  };
  const byStatus = new Map<number, ErrorCode[]>();
  const refusals = [route, ...(route.twin ? [route.twin] : [])].flatMap((one) =>
    refusalsOf(one).map((code) => ({
      code,
      status: one.errorShape ? openaiStatus(errors[code].status) : errors[code].status,
    })),
  );
  for (const { code, status } of refusals) byStatus.set(status, [...new Set([...(byStatus.get(status) ?? []), code])]);
  return Object.fromEntries([
    ['200', answer],
    ...(route.answerAlso ?? []).map((status) => [String(status), { ...answer, description: 'Not ready' }]),
    ...[...byStatus]
      .sort(([a], [b]) => a - b)
      .filter(([status]) => !route.answerAlso?.includes(status))
      .map(([status, codes]) => [
        String(status),
        {
          description: codes.map((code) => `\`${code}\``).join(', '),
          content: { 'application/json': { schema: error } },
        },
      ]),
  ]);
}

/** Every refusal that a route can answer with: those that follow from what it is, and its own. */
export function refusalsOf(route: Route): ErrorCode[] {
  const codes: ErrorCode[] = [];
  if (route.params || route.query || route.body) codes.push('validation');
  // A part of the path that is longer than any name.
  if (route.params) codes.push('request_malformed');
  if (route.body) {
    codes.push(
      'json_invalid',
      'body_too_large',
      'body_too_slow',
      'content_type_unsupported',
      'content_encoding_unsupported',
      'storage_full',
      'storage_unavailable',
    );
    if (!route.bodyOptional) codes.push('body_missing');
  }
  if (route.access !== 'public')
    codes.push(
      'key_missing',
      'session_over',
      'key_unknown',
      'key_expired',
      'key_revoked',
      'account_disabled',
      'rate_limited',
    );
  if (route.access !== 'public' && route.access !== 'key') codes.push('scope_missing');
  if (route.access === 'operator') codes.push('operator_only');
  codes.push(...(route.errors ?? []), 'busy', 'internal');
  return [...new Set(codes)];
}

/** A zod schema as JSON Schema; named ones go to the components. */
function jsonSchema(schema: z.ZodType, io: 'input' | 'output', components: Json): Json {
  const {
    $schema: _,
    $defs = {},
    ...rest
  } = z.toJSONSchema(schema, { target: 'draft-2020-12', io, override: plain }) as Json & { $defs?: Json };
  for (const [name, definition] of Object.entries($defs)) components[name] ??= relocated(definition);
  return relocated(rest) as Json;
}

/** Leaves out what is noise to a reader of another language: JavaScript's own bounds of integers, patterns that a format says already. */
function plain({ jsonSchema }: { jsonSchema: Json }): void {
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER && jsonSchema.minimum !== 0) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
  delete jsonSchema.id;
}

function relocated(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(relocated);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      key === '$ref' && typeof inner === 'string'
        ? inner.replace('#/$defs/', '#/components/schemas/')
        : relocated(inner),
    ]),
  );
}

function errorSchema(): Json {
  return {
    type: 'object',
    required: ['detail', 'code'],
    properties: {
      detail: {
        description:
          'A sentence that says what happened and what to do; for mistakes in the request a list of them by place.',
        anyOf: [
          { type: 'string' },
          {
            type: 'array',
            items: {
              type: 'object',
              required: ['loc', 'msg', 'type'],
              properties: {
                loc: { type: 'array', items: { type: ['string', 'integer'] } },
                msg: { type: 'string' },
                type: { type: 'string' },
              },
            },
          },
        ],
      },
      code: { type: 'string', enum: Object.keys(errors) },
    },
  };
}
