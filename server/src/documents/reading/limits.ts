// How much the reading of one file may cost. Beyond a limit it fails with a reason that names the limit.
import type { ParserLimits } from './block.ts';

export interface Limits extends ParserLimits {
  /** Megabytes of the process that parses, all kinds of memory together. */
  memory: number;
  /** Seconds of the processor without any word from the parser. */
  silence: number;
  /** Seconds of the processor in all. */
  time: number;
  /** Characters of text in all. */
  characters: number;
  /** How deep files may lie in files: a ZIP in a mail in a ZIP is 3. */
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
