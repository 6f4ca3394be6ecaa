// Variety of suggested questions: "What is the remedy of E01?" and "What is the remedy of E02?" are one form, of which a caller wants one.

/** The form of a question: its words without names, numbers and quoted headings. */
export const formOf = (question: string): string =>
  question
    .replace(/"[^"]*"/gu, '*')
    .replace(/(?<=\s)(?:\p{Lu}|\S*\d)[^\s?]*/gu, '*')
    .replace(/\*(?:\s+\*)+/g, '*')
    .toLowerCase();

/** The first of each form, then the others; otherwise in the given order. */
export function varied<One extends { question: string }>(all: One[]): One[] {
  const seen = new Set<string>();
  const isFirst = all.map(({ question }) => !seen.has(formOf(question)) && seen.add(formOf(question)) !== undefined);
  return [...all.filter((_, at) => isFirst[at]), ...all.filter((_, at) => !isFirst[at])];
}
