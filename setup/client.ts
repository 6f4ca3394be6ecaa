// The parts of client/ that are made from the contract: its types, a method for each route, a class for each error.
import { type ErrorCode, errors, openApiDocument, type Route } from '@lorekeep/contract';
import { clientTables } from './client-tables.ts';
import { comment, head, type Json, key, membersOf, typeOf } from './client-types.ts';

interface Operation {
  route: Route;
  operation: Json;
  /** The name with a capital: `CreateKey`. */
  Name: string;
  params: string[];
  query: string[];
  /** No argument is required. */
  allOptional: boolean;
  takesNothing: boolean;
}

type Property = { name: string; required: boolean; schema: Json; in: 'path' | 'query' };

export function clientFiles(routes: Route[], version: string): Record<string, string> {
  // The client uses only the native form of each call.
  const own = routes.filter(({ name }) => !name.endsWith('InV1')).map(({ twin: _, ...route }) => route);
  const document = openApiDocument(own, version) as {
    paths: Record<string, Record<string, Json>>;
    components: { schemas: Record<string, Json> };
  };
  const operations = own.map((route) =>
    operationOf(route, document.paths[route.path]![route.method.toLowerCase()] as Json),
  );
  return {
    'client/src/generated/types.ts': types(operations, document.components.schemas),
    'client/src/generated/calls.ts': calls(operations),
    'client/src/generated/errors.ts': errorClasses(),
    'client/src/generated/tables.ts': clientTables(),
    'client/src/generated/version.ts': `${head}export const version = ${JSON.stringify(version)};\n`,
  };
}

function operationOf(route: Route, operation: Json): Operation {
  const parameters = (operation.parameters ?? []) as Property[];
  const body = bodySchema(operation);
  return {
    route,
    operation,
    Name: capital(route.name),
    params: parameters.filter((one) => one.in === 'path').map(({ name }) => name),
    query: parameters.filter((one) => one.in === 'query').map(({ name }) => name),
    takesNothing: parameters.length === 0 && !body,
    allOptional:
      !parameters.some(({ required }) => required) &&
      (!body || (body.type === 'object' && ((body.required as string[] | undefined) ?? []).length === 0)),
  };
}

const capital = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);

function bodySchema({ requestBody }: Json): Json | undefined {
  const content = (requestBody as { content: Record<string, { schema: Json }> } | undefined)?.content;
  const schema = content && Object.values(content)[0]!.schema;
  // A nullable field is optional for the caller.
  return Array.isArray(schema?.type) ? { ...schema, type: schema.type[0] } : schema;
}

function answerSchema({ responses }: Json, type: string): Json | undefined {
  return (responses as { 200: { content: Record<string, { schema: Json }> } })[200].content[type]?.schema;
}

// Types

/** Components that the client does not need: its errors are classes. */
const unwanted = new Set(['Error', 'OpenAIError']);
/** A component without a name is an alias of another one. */
const others: Record<string, string> = {};
const printing = { reference: (name: string) => others[name] ?? name };

function types(operations: Operation[], components: Record<string, Json>): string {
  for (const [name, { $ref }] of Object.entries(components))
    if (name.startsWith('__') && typeof $ref === 'string') others[name] = $ref.split('/').at(-1)!;
  const named = Object.entries(components)
    .filter(([name]) => !unwanted.has(name) && !(name in others))
    .map(([name, schema]) => declared(name, schema, schema.description as string | undefined));
  const own = operations.flatMap((one) => [
    ...(one.takesNothing ? [] : [argsOf(one)]),
    ...(one.route.answerType ? [] : [answerOf(one)]),
  ]);
  return `${head}import type { Rows, Upload } from '../bodies.ts';\n\n${[...named, ...own].join('\n')}`;
}

function declared(name: string, schema: Json, about?: string): string {
  const plain = schema.type === 'object' && schema.properties && Object.keys(schema.properties).length > 0;
  return `${comment(about, '')}${
    plain
      ? `export interface ${name} {\n${membersOf(schema, { ...printing, indent: '  ' })}}\n`
      : `export type ${name} = ${typeOf(schema, printing)};\n`
  }`;
}

/** Parts of the path, of the query and of the body in one object. */
function argsOf({ route, operation, Name }: Operation): string {
  const parameters = (operation.parameters ?? []) as (Property & { description?: string })[];
  const body = bodySchema(operation);
  const about = `Arguments of \`${route.name}\`.`;
  const properties: Record<string, Json> = Object.fromEntries(
    parameters.map(({ name, schema, description }) => [name, { ...schema, ...(description && { description }) }]),
  );
  const required = parameters.filter((one) => one.required).map(({ name }) => name);
  if (!body) return declared(`${Name}Args`, { type: 'object', properties, required }, about);
  if (body.type !== 'object') {
    const others =
      parameters.length > 0 ? `{\n${membersOf({ properties, required }, { ...printing, indent: '  ' })}} & ` : '';
    return `${comment(about, '')}export type ${Name}Args = ${others}(${typeOf(body, printing)});\n`;
  }
  const members = body.properties as Record<string, Json>;
  const twice = Object.keys(members).filter((name) => name in properties);
  if (twice.length > 0) throw new Error(`${route.name}: ${twice.join(', ')} is in the body and elsewhere.`);
  const whole = {
    ...body,
    properties: { ...properties, ...members },
    required: [...required, ...((body.required as string[] | undefined) ?? [])],
  };
  const text = declared(`${Name}Args`, whole, about);
  return route.bodyKind === 'json-stream'
    ? text.replace(/: (\w+)\[\]( \| null \| undefined)?;/g, ': Rows<$1>$2;')
    : loosened(text, route);
}

/** A form holds only text, so booleans may be given as such. */
function loosened(text: string, route: Route): string {
  return route.bodyKind === 'multipart'
    ? text.replaceAll('"true" | "false"', 'boolean').replaceAll('Upload[]', 'Upload | Upload[]')
    : text;
}

function answerOf({ operation, Name, route }: Operation): string {
  const events = route.answerEvents && answerSchema(operation, 'text/event-stream');
  const data = (events as { properties: { data: { anyOf: Json[] } } } | undefined)?.properties.data.anyOf[0];
  return [
    declared(`${Name}Answer`, answerSchema(operation, 'application/json')!, `Answer of \`${route.name}\`.`),
    // An error event is thrown, so that readers of events need not handle it.
    ...(data
      ? [
          declared(
            `${Name}Event`,
            (data.contentSchema as { anyOf: [Json] }).anyOf[0],
            `An event of \`${route.name}\` as a stream.`,
          ),
        ]
      : []),
  ].join('\n');
}

// Methods

function calls(operations: Operation[]): string {
  return `${head}import type { CallOptions, RouteOf } from '../call.ts';
import type { ServerEvent } from '../events.ts';
import type * as t from './types.ts';

/** Every route as what a call needs to know of it. */
export const routes = {
${operations.map(routeLine).join('')}} as const satisfies Record<string, RouteOf>;

/** A method for each route, named and described as in the contract. */
export abstract class Calls {
  protected abstract call<Answer>(route: RouteOf, args: object, options?: CallOptions): Promise<Answer>;
  protected abstract events<Event>(route: RouteOf, args: object, options?: CallOptions): AsyncGenerator<Event, void>;
  protected abstract serverEvents(route: RouteOf, args: object, options?: CallOptions): AsyncGenerator<ServerEvent, void>;
  protected abstract pages<Item>(
    route: RouteOf,
    list: string,
    args: object,
    options?: CallOptions,
  ): AsyncGenerator<Item, void>;

${operations.map(methods).join('\n')}}
`;
}

function routeLine({ route, operation, params, query }: Operation): string {
  const files = route.bodyKind === 'multipart' ? filesOf(bodySchema(operation)!) : [];
  const value = {
    name: route.name,
    method: route.method,
    path: route.path,
    ...(params.length > 0 && { params }),
    ...(query.length > 0 && { query }),
    ...(route.body && { body: route.bodyKind ?? 'json' }),
    ...(files.length > 0 && { files }),
    ...(route.answerType && { raw: true }),
    ...(route.answerAlso && { answerAlso: route.answerAlso }),
    ...((route.repeatable || route.method === 'GET' || route.method === 'PATCH') && { repeatable: true }),
  };
  const text = Object.entries(value).map(([name, one]) => `${key(name)}: ${JSON.stringify(one)}`);
  return `  ${route.name}: { ${text.join(', ')} },\n`;
}

/** The parts of a form that are files. */
function filesOf({ properties = {} }: { properties?: Record<string, Json> }): string[] {
  return Object.entries(properties)
    .filter(([, schema]) => typeOf(schema, printing).startsWith('Upload'))
    .map(([name]) => name);
}

function methods(one: Operation): string {
  const { route, Name, takesNothing, allOptional } = one;
  const args = takesNothing ? '' : `args: t.${Name}Args${allOptional ? ' = {}' : ''}, `;
  const given = takesNothing ? '{}' : 'args';
  const called = (about: string, name: string, answer: string, body: string) =>
    `${comment(about, '  ')}  ${name}(${args}options?: CallOptions): ${answer} {\n    return ${body};\n  }\n`;
  const answer = route.answerType ? 'Response' : `t.${Name}Answer`;
  const parts = [
    isEventStream(route)
      ? called(
          aboutOf(route),
          route.name,
          'AsyncGenerator<ServerEvent, void>',
          `this.serverEvents(routes.${route.name}, ${given}, options)`,
        )
      : called(
          aboutOf(route, route.answerType ? 'Its body has not been read when this resolves.' : undefined),
          route.name,
          `Promise<${answer}>`,
          `this.call(routes.${route.name}, ${given}, options)`,
        ),
  ];
  if (route.answerEvents)
    parts.push(
      called(
        `The same as a stream of events. Leaving the loop ends the work for it.`,
        `${route.name}Events`,
        `AsyncGenerator<t.${Name}Event, void>`,
        `this.events(routes.${route.name}, { ...${given}, stream: true }, options)`,
      ),
    );
  const list = paged(one);
  if (list && /^list[A-Z]/.test(route.name))
    parts.push(
      called(
        `Every one of \`${route.name}\`, page after page.`,
        route.name.replace(/^list/, 'all'),
        `AsyncGenerator<t.${Name}Answer['${list}'][number], void>`,
        `this.pages(routes.${route.name}, '${list}', ${given}, options)`,
      ),
    );
  return parts.join('\n');
}

/** Whether the route answers only with a stream of named events. */
const isEventStream = ({ answerType }: Route) => answerType?.startsWith('text/event-stream') === true;

/** The list of a paged answer; `data` repeats it for OpenAI's clients. */
function paged({ query, operation, route }: Operation): string | undefined {
  if (!query.includes('after') || route.answerType) return undefined;
  const { properties = {} } = answerSchema(operation, 'application/json') as { properties?: Record<string, Json> };
  const lists = Object.entries(properties).filter(([name, { type }]) => type === 'array' && name !== 'data');
  return 'next' in properties && lists.length === 1 ? lists[0]![0] : undefined;
}

function aboutOf(route: Route, more?: string): string {
  const who =
    route.access === 'public' ? 'no key needed' : route.access === 'key' ? 'any key' : `scope ${route.access}`;
  return [
    `${route.summary}.`,
    ...(route.description ? [route.description] : []),
    ...(more ? [more] : []),
    `${route.method} ${route.path}, ${route.access === 'operator' ? "the operator's key" : who}.`,
    ...(route.deprecated ? [`@deprecated since ${route.deprecated.since}: ${route.deprecated.instead}`] : []),
  ].join('\n');
}

// Errors

/** The family of errors that a status belongs to. */
function familyOf(status: number): string {
  if (status === 401) return 'AuthenticationError';
  if (status === 403) return 'PermissionError';
  if (status === 404 || status === 594) return 'NotFoundError';
  if (status === 429) return 'LimitError';
  if (status === 503 || status === 513) return 'UnavailableError';
  return status >= 500 ? 'ServerError' : 'InvalidRequestError';
}

function errorClasses(): string {
  const rows = Object.entries(errors) as [ErrorCode, { status: number; sentence: string; hint: string }][];
  const families = [...new Set(rows.map(([, { status }]) => familyOf(status)))].sort();
  const nameOf = (code: string) => `${code.split('_').map(capital).join('')}Error`;
  const classes = rows.map(
    ([code, { status, sentence, hint }]) =>
      `${comment(`${status}: ${sentence} ${hint}`, '')}export class ${nameOf(code)} extends ${familyOf(status)} {\n  declare readonly code: '${code}';\n}\n`,
  );
  const table = rows.map(([code]) => `  ${code}: ${nameOf(code)},\n`).join('');
  return `${head}import {\n${families.map((name) => `  ${name},\n`).join('')}} from '../errors.ts';

${classes.join('\n')}
/** Classes by the codes of the table of errors. */
export const errorClasses = {
${table}};
export type ErrorCode = keyof typeof errorClasses;
`;
}
