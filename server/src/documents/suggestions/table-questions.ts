// Generates questions from table rows: the value in a column for the subject of the row.
import type { Suggestion } from './suggestion.ts';

const maxCellLength = 80;
/** First words of column names that make no sensible question. */
const noColumn =
  /^(?:is|are|has|can|does|do|the|a|an|no|not|why|how|what|when|where|who|if|of|in|on|at|for|by|to|with)\b/i;

export function rowQuestionsOf(lines: string[], header: string | undefined): Suggestion[] {
  return tablesOf(lines).flatMap((rows) => {
    const above = header && cellsOf(header);
    const known = above && above.length === rows[0]!.length;
    const [columns, ...body] = known ? [above, ...rows] : rows;
    if (!columns || body.length === 0 || columns.some((cell) => !/^\p{L}[\p{L} ]{1,30}$/u.test(cell))) return [];
    // The first row counts as a header if a column has figures below it.
    if (!known && !columns.some((_, at) => body.every((cells) => /\d/.test(cells[at]!)))) return [];
    const firsts = body.map(([first]) => first!.toLowerCase());
    return columns.slice(1).flatMap((column, at) =>
      noColumn.test(column) || /(?:ing|ed)\b/.test(column)
        ? []
        : body.flatMap((cells) => {
            const [first = ''] = cells;
            const cell = cells[at + 1]!;
            const alone = firsts.indexOf(first.toLowerCase()) === firsts.lastIndexOf(first.toLowerCase());
            if (!alone || !isUsable(first) || !isUsable(cell)) return [];
            const name = /\p{L}\p{Lu}/u.test(column) ? column : column.toLowerCase();
            const verb = /[^s]s$/i.test(column) && !/(?:status|address|us|is)$/i.test(column) ? 'are' : 'is';
            return [{ question: `What ${verb} the ${name} of ${first}?`, answer: cell }];
          }),
    );
  });
}

const isUsable = (cell: string) =>
  /[\p{L}\p{N}]/u.test(cell) && cell.length <= maxCellLength && !/^(?:n\/a|none)$/i.test(cell);

const cellsOf = (line: string) => line.split(' | ').map((cell) => cell.replace(/\s+/g, ' ').trim());

/** Consecutive lines with the same number of cells. */
function tablesOf(lines: string[]): string[][][] {
  const tables: string[][][] = [];
  let width = 0;
  for (const line of lines) {
    const cells = cellsOf(line);
    if (cells.length > 1 && cells.length === width) tables.at(-1)!.push(cells);
    else if (cells.length > 1) tables.push([cells]);
    width = cells.length;
  }
  return tables;
}
