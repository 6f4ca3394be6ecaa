// Parses tables in text form: the clipboard content of spreadsheets, and the header of a file.

/** Records of cells. A quoted cell may contain the separator, line breaks and doubled quotes. */
export function records(text: string, separator: string, maxRecords = Number.POSITIVE_INFINITY): string[][] {
  const found: string[][] = [];
  let record: string[] = [];
  let cell = '';
  let quoted = false;
  const endRecord = () => {
    found.push([...record, cell]);
    record = [];
    cell = '';
  };
  for (let at = 0; at < text.length && found.length < maxRecords; at++) {
    const letter = text[at]!;
    if (quoted) {
      if (letter !== '"') cell += letter;
      else if (text[at + 1] === '"') cell += text[at++];
      else quoted = false;
    } else if (letter === '"' && cell === '') quoted = true;
    else if (letter === separator) {
      record.push(cell);
      cell = '';
    } else if (letter === '\n' || letter === '\r') {
      if (letter === '\r' && text[at + 1] === '\n') at++;
      endRecord();
    } else cell += letter;
  }
  if (found.length < maxRecords && (cell !== '' || record.length > 0)) endRecord();
  return found;
}

const headerPattern = /^(input|question|prompt)s?$/i;

/**
 * Rows pasted from a table; undefined for pasted text, so that several lines, such as code, stay one answer. Spreadsheets add HTML with a
 * table; without it, all lines must have the same number of cells and none may begin with an empty one.
 */
export function pastedRows(text: string, html: string): string[][] | undefined {
  const rows = records(text, '\t').filter((row) => row.some((cell) => cell.trim() !== ''));
  const width = rows[0]?.length ?? 0;
  const even = rows.every((row) => row.length === width && row[0] !== '');
  const isTable = /<table\b/i.test(html) ? rows.length > 1 || width > 1 : width > 1 && even;
  if (!isTable) return undefined;
  return width > 1 && headerPattern.test(rows[0]![0]!.trim()) ? rows.slice(1) : rows;
}

/** The columns of a text file by its first bytes; undefined if only the server can read the format. */
export async function columnsOf(file: Blob): Promise<string[] | undefined> {
  const head = await file.slice(0, 256 * 1024).text();
  const text = head.replace(/^\ufeff/, '').trimStart();
  if (text.startsWith('PAR1') || text.includes('\0')) return undefined;
  if (text.startsWith('{') || text.startsWith('[')) return keysOf(text);
  const first = text.split(/\r?\n/, 1)[0]!.replace(/"[^"]*"/g, '');
  const count = (separator: string) => first.split(separator).length - 1;
  const separator = [',', ';', '\t'].reduce((best, next) => (count(next) > count(best) ? next : best));
  return records(text, separator, 1)[0]
    ?.map((name) => name.trim())
    .filter(Boolean);
}

/** The keys of the first objects of JSON lines or of a JSON list. */
function keysOf(text: string): string[] | undefined {
  const keys = new Set<string>();
  let depth = 0;
  let from = -1;
  let quoted = false;
  let objects = 0;
  for (let at = 0; at < text.length && objects < 20; at++) {
    const letter = text[at];
    if (quoted) {
      if (letter === '\\') at++;
      else if (letter === '"') quoted = false;
    } else if (letter === '"') quoted = true;
    else if (letter === '{') {
      if (depth++ === 0) from = at;
    } else if (letter === '}' && --depth === 0) {
      objects++;
      try {
        for (const key of Object.keys(JSON.parse(text.slice(from, at + 1)) as object)) keys.add(key);
      } catch {
        return undefined;
      }
    }
  }
  return objects > 0 ? [...keys] : undefined;
}

const equalsIgnoreCase = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();

/** The likely columns of questions and answers, by their names. */
export function likelyColumns(columns: string[]): { input: string; output: string } {
  const named = (names: RegExp, but?: string) => columns.find((name) => name !== but && names.test(name));
  const input =
    named(/^(input|question|prompt|instruction|q)$/i) ??
    named(/question|prompt|input|instruction/i) ??
    columns[0] ??
    '';
  const others = columns.filter((name) => name !== input);
  const output =
    named(/^(output|answer|response|completion|a)$/i, input) ??
    named(/answer|response|completion|output/i, input) ??
    others[0] ??
    '';
  return { input, output };
}

export const hasOurColumns = (columns: string[]) =>
  columns.some((name) => equalsIgnoreCase(name, 'input')) && columns.some((name) => equalsIgnoreCase(name, 'output'));
