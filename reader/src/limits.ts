// Resource limits for reading one uploaded file, with all files inside it. The budget grows with the size of the upload, so
// a zip bomb, or a small file that lists thousands of pages or takes minutes to parse, fails early, while a large legitimate
// file is read.
import type { ParserLimits } from './block.ts';

/** Ceilings for a file of any size. */
export interface Limits extends ParserLimits {
  /** Total memory of the parsing process in megabytes. */
  memory: number;
  /** CPU seconds without a message from the parser. */
  silence: number;
  /** CPU seconds in total. */
  time: number;
  /** Characters of text in total. */
  characters: number;
  /** Nesting depth of files in files: a ZIP in a mail in a ZIP is 3. */
  depth: number;
}

const megabyte = 1024 * 1024;

export const defaultLimits: Limits = {
  memory: 1024,
  silence: 60,
  time: 3600,
  characters: 2000 * megabyte,
  depth: 4,
  pages: 100_000,
  parts: 10_000,
  expanded: 4096 * megabyte,
};

/** Quantities that are bounded in proportion to the upload, over the whole tree of files in it. */
export type Budgeted = 'expanded' | 'characters' | 'parts' | 'pages' | 'time';
export type Budget = Record<Budgeted, number>;

/**
 * Minimum, and the allowance per uploaded byte. Text compresses 5 to 30 times, log files up to 60 times; deflate can reach 1,032. The
 * smallest entry of a ZIP and the smallest page of a PDF take more than 100 bytes. Dense PDF pages and tables take 2 to 6 seconds per
 * megabyte.
 */
const allowance: Record<Budgeted, { minimum: number; perByte: number }> = {
  expanded: { minimum: 64 * megabyte, perByte: 100 },
  characters: { minimum: 64 * megabyte, perByte: 100 },
  parts: { minimum: 1000, perByte: 1 / 100 },
  pages: { minimum: 2000, perByte: 1 / 100 },
  time: { minimum: 120, perByte: 20 / megabyte },
};

export function budgetOf(bytes: number, limits: Limits): Budget {
  const of = (what: Budgeted) => {
    const { minimum, perByte } = allowance[what];
    return Math.min(limits[what], Math.max(minimum, Math.floor(bytes * perByte)));
  };
  return {
    expanded: of('expanded'),
    characters: of('characters'),
    parts: of('parts'),
    pages: of('pages'),
    time: of('time'),
  };
}
