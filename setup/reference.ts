// docs/reference/api.md: every call of the contract with its parameters, answers and errors.
import { openApiDocument, type Route } from '@lorekeep/contract';
import { type Json, typeOf } from './client-types.ts';

const printing = { reference: (name: string) => name };

export function referencePage(routes: Route[], version: string): string {
  const { paths } = openApiDocument(routes, version) as { paths: Record<string, Record<string, Json>> };
  const tags = [...new Set(routes.map(({ tag }) => tag))];
  const parts = tags.map((tag) => {
    const own = routes.filter((route) => route.tag === tag);
    return `## ${tag}\n\n${own
      .map((route) => callOf(route, paths[route.path]![route.method.toLowerCase()] as Json))
      .join('\n')}`;
  });
  return `# Every call

Made from \`contract/\` by \`./lorekeep check --write\`; not edited by hand. The same with examples, to try, is at \`/docs\` of a running server; for programs it is
[\`contract/openapi.json\`](../../contract/openapi.json). Errors that every call may end with are not repeated: [errors](errors.md).

${tags.map((tag) => `- [${tag}](#${anchor(tag)})`).join('\n')}

${parts.join('\n')}`;
}

/** Anchor that Markdown makes of a heading. */
const anchor = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\w -]/g, '')
    .replaceAll(' ', '-');

function callOf(route: Route, operation: Json): string {
  const fields = [...parametersOf(operation), ...bodyOf(operation)];
  return [
    `### \`${route.method} ${route.path}\``,
    '',
    `${route.summary}. ${whoMay(route)} ${inClient(route)}`,
    ...(route.description ? ['', route.description] : []),
    ...(route.deprecated ? ['', `On its way out since ${route.deprecated.since}: ${route.deprecated.instead}`] : []),
    ...(fields.length > 0 ? ['', '| Field | Takes | |', '|---|---|---|', ...fields.map(row)] : []),
    '',
    answerOf(route, operation),
    ...(route.errors?.length ? ['', `Refused with ${route.errors.map((code) => `\`${code}\``).join(', ')}.`] : []),
    '',
  ].join('\n');
}

const inClient = ({ name }: Route) => (name.endsWith('InV1') ? '' : `In the client: \`${name}\`.`);

function whoMay({ access }: Route): string {
  if (access === 'public') return 'Needs no key.';
  if (access === 'key') return 'Any key.';
  return access === 'operator' ? 'A key of the operator with the scope `admin`.' : `Scope \`${access}\`.`;
}

interface Field {
  name: string;
  where: string;
  required: boolean;
  schema: Json;
  about: string | undefined;
}

function parametersOf({ parameters = [] }: Json): Field[] {
  return (parameters as { name: string; in: string; required?: boolean; schema: Json; description?: string }[]).map(
    ({ name, in: where, required = false, schema, description }) => ({
      name,
      where: where === 'path' ? '' : ' (query)',
      required,
      schema,
      about: description ?? (schema.description as string | undefined),
    }),
  );
}

function bodyOf({ requestBody }: Json): Field[] {
  const content = (requestBody as { content: Record<string, { schema: Json }> } | undefined)?.content;
  const schema = content && Object.values(content)[0]!.schema;
  const { properties = {}, required = [] } = (schema ?? {}) as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, property]) => ({
    name,
    where: '',
    required: required.includes(name),
    schema: property,
    about: aboutOf(property),
  }));
}

/** The description of an optional field is in its non-null alternative. */
function aboutOf({ description, anyOf }: Json): string | undefined {
  if (typeof description === 'string') return description;
  return (anyOf as Json[] | undefined)?.find((one) => typeof one.description === 'string')?.description as
    | string
    | undefined;
}

function row({ name, where, required, schema, about }: Field): string {
  const takes = short(typeOf(schema, printing)).replaceAll(' | null', '');
  return `| ${required ? `**${name}**` : name}${where} | \`${cell(takes)}\` | ${cell(about ?? '')} |`;
}

const cell = (text: string) => text.replace(/\s+/g, ' ').replaceAll('|', '\\|');
/** Long texts are read at /docs. */
const short = (type: string) => {
  const line = type.replace(/\/\*\*[\s\S]*?\*\//g, '').replace(/\s+/g, ' ');
  return line.length > 120 ? `${line.slice(0, 117)}...` : line;
};

function answerOf(route: Route, operation: Json): string {
  if (route.answerType) return `Answers \`${route.answerType}\`.`;
  const content = (operation.responses as { 200: { content: Record<string, { schema: Json }> } })[200].content;
  const schema = content['application/json']!.schema;
  const type = typeOf(schema, { ...printing, indent: '' }).replace(/ *\/\*\*[\s\S]*?\*\/\n/g, '');
  const stream = route.answerEvents ? ' With `stream` server-sent events instead.' : '';
  return type.includes('\n')
    ? `Answers${stream ? `.${stream}` : ''}\n\n\`\`\`\n${type}\n\`\`\``
    : `Answers \`${type}\`.${stream}`;
}
