// JSON Schema as TypeScript: the types of the published client, which has no zod. Supports only what the contract's schemas use.
export const head = '// Made from contract/ by `./lorekeep check --write`; not edited by hand.\n';

export type Json = { [key: string]: unknown };

export interface Printing {
  /** Reference to a component type. */
  reference(name: string): string;
  indent?: string;
}

export function typeOf(schema: Json, printing: Printing): string {
  const { $ref, anyOf, oneOf, allOf, type, contentMediaType } = schema;
  if (typeof $ref === 'string') return printing.reference($ref.split('/').at(-1)!);
  if ('const' in schema) return JSON.stringify(schema.const);
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (Array.isArray(anyOf ?? oneOf)) return union(((anyOf ?? oneOf) as Json[]).map((one) => typeOf(one, printing)));
  if (Array.isArray(allOf)) return allOf.map((one) => inList(typeOf(one, printing))).join(' & ');
  if (Array.isArray(type)) return union(type.map((one) => typeOf({ ...schema, type: one }, printing)));
  switch (type) {
    case 'string':
      return contentMediaType === 'application/octet-stream' ? 'Upload' : 'string';
    case 'integer':
    case 'number':
      return 'number';
    case 'boolean':
    case 'null':
      return type;
    case 'array':
      return arrayType(schema, printing);
    case 'object':
      return objectType(schema, printing);
    default:
      return 'unknown';
  }
}

function arrayType({ items, prefixItems }: Json, printing: Printing): string {
  if (Array.isArray(prefixItems)) return `[${prefixItems.map((item) => typeOf(item, printing)).join(', ')}]`;
  return `${inList(typeOf((items ?? {}) as Json, printing))}[]`;
}

function objectType(schema: Json, printing: Printing): string {
  const body = membersOf(schema, { ...printing, indent: `${printing.indent ?? ''}  ` });
  const rest = restOf(schema, printing);
  if (body === '') return rest ? `{ [key: string]: ${rest} }` : 'Record<string, never>';
  return `{\n${body}${printing.indent ?? ''}}`;
}

/** Members of an object, one per line, with their descriptions. */
export function membersOf(schema: Json, printing: Printing): string {
  const indent = printing.indent ?? '';
  const { properties = {}, required = [] } = schema as { properties?: Record<string, Json>; required?: string[] };
  const lines = Object.entries(properties).map(([name, property]) => {
    const optional = required.includes(name) ? '' : '?';
    const type = typeOf(property, printing);
    return `${comment(describe(property), indent)}${indent}${key(name)}${optional}: ${type}${optional ? ' | undefined' : ''};\n`;
  });
  const rest = restOf(schema, printing);
  if (rest && lines.length > 0) lines.push(`${indent}[field: string]: unknown;\n`);
  return lines.join('');
}

function restOf({ additionalProperties }: Json, printing: Printing): string | undefined {
  if (additionalProperties === undefined || additionalProperties === false) return undefined;
  return additionalProperties === true ? 'unknown' : typeOf(additionalProperties as Json, printing);
}

/** A JSDoc comment. */
export function comment(text: string | undefined, indent: string): string {
  if (!text) return '';
  const lines = text.replaceAll('*/', '* /').split('\n');
  return lines.length === 1
    ? `${indent}/** ${lines[0]} */\n`
    : `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`;
}

function describe({ description, anyOf }: Json): string | undefined {
  if (typeof description === 'string') return description;
  // The description of an optional field is in its non-null alternative.
  const inner = (anyOf as Json[] | undefined)?.filter(({ type }) => type !== 'null');
  return inner?.length === 1 ? (inner[0]!.description as string | undefined) : undefined;
}

export const key = (name: string) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));
const union = (types: string[]) => [...new Set(types)].join(' | ');
const inList = (type: string) => (/ [|&] /.test(outermost(type)) ? `(${type})` : type);

/** Removes text in braces. */
function outermost(type: string): string {
  const without = type.replace(/\{[^{}]*\}/g, '');
  return without === type ? type : outermost(without);
}
