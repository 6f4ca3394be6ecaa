// Neighbouring lines of a page that make one block.
import type { BlockKind } from '../block.ts';
import type { Line } from './lines.ts';

export interface Group {
  lines: Line[];
  kind?: BlockKind;
  /** Rows of a table come with their cells. */
  cells?: string[];
  header?: boolean;
  /** Distance to the line before, in lines. */
  apart: number;
}
