// The reply if the documents hold nothing about a question.

/** The sentence that the shipped model was trained on. */
export const notFound = 'The documents do not say.';

/** An object of the requested output type with empty values, since clients parse it before they check whether anything was found. */
export const emptyValue = (outputType: object): string => JSON.stringify(emptyValueOf(outputType));

function emptyValueOf(type: unknown): unknown {
  if (Array.isArray(type)) return isListOf(type) ? [] : type.includes(null) ? null : type[0];
  if (typeof type === 'object' && type !== null)
    return Object.fromEntries(Object.entries(type).map(([key, value]) => [key, emptyValueOf(value)]));
  const name = String(type).trim().toLowerCase();
  if (name.startsWith('str')) return notFound;
  return name.startsWith('bool') ? false : 0;
}

/** A list with one type means an array of it; any other list is an enumeration. */
const isListOf = (type: unknown[]) =>
  type.length === 1 &&
  (typeof type[0] === 'object' ||
    /^(str|string|int|integer|float|number|bool|boolean)$/.test(String(type[0]).toLowerCase())) &&
  type[0] !== null;
