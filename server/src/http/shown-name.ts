/** The name of a file or a column, as whoever sent it calls it, in an error. */
export const shownName = (name: string): string => `"${name.replace(/\p{Cc}/gu, '?').slice(0, 100) || '(no name)'}"`;
