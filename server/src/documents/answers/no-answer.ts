// The reply when the documents hold nothing about a question.

/** The refusal that the shipped model was trained on. */
export const notFound = 'The documents do not say.';

/** The shape that was asked for, with as little in it as its types allow: clients read it before they look whether anything was found. */
export const nothingIn = (outputType: object): string => JSON.stringify(leastOf(outputType));

function leastOf(type: unknown): unknown {
  if (Array.isArray(type)) return isListOf(type) ? [] : type.includes(null) ? null : type[0];
  if (typeof type === 'object' && type !== null)
    return Object.fromEntries(Object.entries(type).map(([key, value]) => [key, leastOf(value)]));
  const name = String(type).trim().toLowerCase();
  if (name.startsWith('str')) return notFound;
  return name.startsWith('bool') ? false : 0;
}

/** One type alone in a list means a list of it; anything else in a list is there to be chosen from. */
const isListOf = (type: unknown[]) =>
  type.length === 1 &&
  (typeof type[0] === 'object' ||
    /^(str|string|int|integer|float|number|bool|boolean)$/.test(String(type[0]).toLowerCase())) &&
  type[0] !== null;
