// Validates requests against the contract. A refusal lists the place, the reason and the kind of each mistake.
import { type Mistake, Refusal } from '@lorekeep/contract';
import type { FastifySchemaCompiler } from 'fastify';
import type { z } from 'zod';

const maxNamed = 50;

export const validatorCompiler: FastifySchemaCompiler<z.ZodType> = ({ schema, httpPart }) => {
  const place = httpPart === 'querystring' ? 'query' : httpPart === 'params' ? 'path' : (httpPart ?? 'body');
  return (value) => {
    const refused = place === 'path' ? withNul(value as Record<string, string>) : undefined;
    if (refused) return { error: refused };
    const result = schema.safeParse(value);
    return result.success ? { value: result.data } : { error: invalid(result.error.issues, place, value) };
  };
};

/** Databases do not store NUL, so nothing has such a name. */
function withNul(params: Record<string, string>): Refusal | undefined {
  for (const [name, value] of Object.entries(params))
    if (typeof value === 'string' && value.includes('\0')) {
      const mistake = { loc: ['path', name], msg: 'must not hold a NUL character', type: 'custom' };
      return new Refusal('validation', { summary: `path.${name}: ${mistake.msg}` }, { mistakes: [mistake] });
    }
  return undefined;
}

/** A part of a request that is parsed apart from the others, such as the fields beside the rows of an upload. */
export function parsed<Schema extends z.ZodType>(schema: Schema, value: unknown, place = 'body'): z.output<Schema> {
  const result = schema.safeParse(value);
  if (!result.success) throw invalid(result.error.issues, place, value);
  return result.data;
}

/** `value` is what was parsed. */
function invalid(issues: z.core.$ZodIssue[], place: string, value: unknown): Refusal {
  const mistakes = issues.flatMap((issue) => mistakesOf(issue, [place], value)).slice(0, maxNamed);
  const [first] = mistakes;
  const summary = first ? `${first.loc.join('.')}: ${first.msg}` : place;
  return new Refusal('validation', { summary }, { mistakes });
}

function mistakesOf(issue: z.core.$ZodIssue, base: Mistake['loc'], value: unknown): Mistake[] {
  const loc = [...base, ...issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part))];
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      loc: [...loc, key],
      msg: `"${cut(key)}" is not a field of this call`,
      type: 'unknown_field',
    }));
  }
  const given = valueAt(value, loc.slice(1));
  if (given === undefined && isAboutType(issue)) return [{ loc, msg: missing(issue), type: issue.code }];
  if (issue.code !== 'invalid_union' || issue.errors.length === 0)
    return [{ loc, msg: issue.message, type: issue.code }];
  // The alternative that matched furthest gives the best message.
  const forms = issue.errors.filter(
    (form) => !form.every((inner) => inner.code === 'invalid_type' && inner.path.length === 0),
  );
  const furthest = forms.sort((one, other) => depth(other) - depth(one))[0];
  if (furthest) return eachOnce(furthest.flatMap((inner) => mistakesOf(inner, loc, value)));
  return [{ loc, msg: ofNoType(issue.message, issue.errors.flat(), given), type: issue.code }];
}

const isAboutType = ({ code }: z.core.$ZodIssue) =>
  code === 'invalid_type' || code === 'invalid_value' || code === 'invalid_union';

function missing({ message }: z.core.$ZodIssue): string {
  const choices = /expected (one of .*)$/.exec(message)?.[1];
  return choices ? `is missing: expected ${choices}` : 'is missing';
}

/** A value that has none of the types of a union. */
function ofNoType(message: string, types: z.core.$ZodIssue[], given: unknown): string {
  if (message !== 'Invalid input') return message; // the schema says it in its own words
  const expected = types.flatMap((type) =>
    type.code === 'invalid_type' ? [shownTypes[type.expected] ?? type.expected] : [],
  );
  const received = given === null ? 'null' : Array.isArray(given) ? 'array' : typeof given;
  return `${message}: expected ${[...new Set(expected)].join(' or ')}, received ${received}`;
}

const shownTypes: Record<string, string> = { record: 'object', int: 'number' };

/** The first of several elements of a list with the same mistake. */
const eachOnce = (mistakes: Mistake[]): Mistake[] =>
  mistakes.filter(({ loc, msg }, at) => {
    const before = mistakes[at - 1];
    const siblings = typeof loc.at(-1) === 'number' && before?.loc.length === loc.length;
    return !siblings || before.msg !== msg;
  });

function valueAt(value: unknown, path: Mistake['loc']): unknown {
  return path.reduce<unknown>(
    (inside, part) => (inside as Record<string | number, unknown> | null | undefined)?.[part],
    value,
  );
}

const depth = (form: z.core.$ZodIssue[]): number =>
  Math.max(
    ...form.map(
      (issue) => issue.path.length + (issue.code === 'invalid_union' ? Math.max(0, ...issue.errors.map(depth)) : 0),
    ),
  );

const cut = (text: string) => (text.length > 100 ? `${text.slice(0, 100)}…` : text);
