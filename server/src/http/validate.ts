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
    return result.success ? { value: result.data } : { error: invalid(result.error.issues, place) };
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

export function invalid(issues: z.core.$ZodIssue[], place: string): Refusal {
  const mistakes = issues.flatMap((issue) => mistakesOf(issue, [place])).slice(0, maxNamed);
  const [first] = mistakes;
  const summary = first ? `${first.loc.join('.')}: ${first.msg}` : place;
  return new Refusal('validation', { summary }, { mistakes });
}

function mistakesOf(issue: z.core.$ZodIssue, base: (string | number)[]): Mistake[] {
  const loc = [...base, ...issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part))];
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      loc: [...loc, key],
      msg: `"${cut(key)}" is not a field of this call`,
      type: 'unknown_field',
    }));
  }
  // The alternative that matched furthest gives the best message.
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    const forms = issue.errors.filter(
      (form) => !form.every((inner) => inner.code === 'invalid_type' && inner.path.length === 0),
    );
    const furthest = forms.sort((one, other) => depth(other) - depth(one))[0];
    if (furthest) return furthest.flatMap((inner) => mistakesOf(inner, loc));
  }
  return [{ loc, msg: issue.message, type: issue.code }];
}

const depth = (form: z.core.$ZodIssue[]): number =>
  Math.max(
    ...form.map(
      (issue) => issue.path.length + (issue.code === 'invalid_union' ? Math.max(0, ...issue.errors.map(depth)) : 0),
    ),
  );

const cut = (text: string) => (text.length > 100 ? `${text.slice(0, 100)}…` : text);
