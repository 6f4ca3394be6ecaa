// Rows of a dataset: validation and stored form. Answers are stored word for word, numbers as they were written.
import type { Mistake } from '@lorekeep/contract';
import { countMembers, jsonErrorText, outline } from '../http/json.ts';

/** A row found by a reader, or the reason why there is none. Rows count from 1. */
export interface FoundRow {
  number: number;
  value: unknown;
  problem?: string;
  /** Line in the file, if it differs from the row's number. */
  line?: number;
}

export const maxRowLength = 1 << 20;
const maxRowDepth = 32;

/** Stands for a row that is too long to be held in memory. Nothing after it is read. */
export const tooLong = (number: number): FoundRow => ({
  number,
  value: undefined,
  problem: `is longer than ${maxRowLength} bytes`,
});

/** Parses one row from its JSON text. Never throws: `problem` holds the reason. */
export function rowFromJson(number: number, bytes: Buffer): FoundRow {
  const wrong = (problem: string): FoundRow => ({ number, value: undefined, problem });
  const text = bytes.toString('utf8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return wrong(`is not valid JSON: ${jsonErrorText((error as Error).message)}`);
  }
  const { depth, members } = outline(bytes);
  if (depth > maxRowDepth) return wrong(`is nested more than ${maxRowDepth} levels deep`);
  if (countMembers(value) !== members) return wrong('names the same field twice');
  return { number, value: hasNumber(value) ? withNumbersAsText(value, text) : value };
}

function hasNumber(value: unknown): value is Record<string, unknown> {
  const { input, output } = (value ?? {}) as Record<string, unknown>;
  return typeof input === 'number' || typeof output === 'number';
}

/** Keeps the source text of numbers, not their JavaScript value: 1.10 stays "1.10", and a number of 30 digits keeps all of them. */
function withNumbersAsText(value: Record<string, unknown>, text: string): unknown {
  const written = JSON.parse(text, (_key, inner, context?: { source: string }) =>
    typeof inner === 'number' ? (context?.source ?? String(inner)) : inner,
  );
  const fields = ['input', 'output'].filter((field) => typeof value[field] === 'number');
  return { ...value, ...Object.fromEntries(fields.map((field) => [field, written[field]])) };
}

/** The stored form of a row. */
export interface KeptRow {
  input: string;
  output: string;
  [field: string]: unknown;
}

/** The stored line of a row, or its mistakes. Fields besides input and output are kept as they are. */
export function storedRow(
  row: FoundRow,
  place: (string | number)[],
): { line: string; kept: KeptRow } | { mistakes: Mistake[] } {
  const where = row.line === undefined ? `row ${row.number}` : `row ${row.number} (line ${row.line})`;
  const mistake = (msg: string, type: string, ...field: string[]): Mistake => ({
    loc: [...place, row.number - 1, ...field],
    msg: `${where}${msg}`,
    type,
  });
  if (row.problem) return { mistakes: [mistake(` ${row.problem}`, 'row_invalid')] };
  if (typeof row.value !== 'object' || row.value === null || Array.isArray(row.value)) {
    return { mistakes: [mistake(' is not an object with "input" and "output"', 'row_type')] };
  }
  const { input, output, ...rest } = row.value as Record<string, unknown>;
  const fields = { input, output };
  const mistakes = Object.entries(fields).flatMap(([field, value]) => {
    const problem = textProblem(value);
    return problem ? [mistake(`: ${field} ${problem}`, 'row_field', field)] : [];
  });
  if (mistakes.length > 0) return { mistakes };
  const kept = { input: String(input), output: String(output), ...rest };
  return { line: `${JSON.stringify(kept)}\n`, kept };
}

function textProblem(value: unknown): string | undefined {
  if (value === undefined) return 'is missing';
  if (value === null) return 'is null';
  if (typeof value === 'boolean' || typeof value === 'number') return undefined;
  if (typeof value !== 'string') return `is ${Array.isArray(value) ? 'a list' : 'an object'}, not text`;
  if (value.trim() === '') return 'is empty';
  if (value.includes('\0')) return 'holds a NUL character';
  if (!value.isWellFormed()) return 'holds half of a character (a lone surrogate)';
  return undefined;
}
