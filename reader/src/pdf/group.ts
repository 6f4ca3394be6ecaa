// Group of adjacent lines of a page that form one block.
import type { BlockKind } from '../block.ts';
import type { Line } from './lines.ts';

export interface Group {
  lines: Line[];
  kind?: BlockKind;
  /** Cells of a table row. */
  cells?: string[];
  header?: boolean;
  /** Distance to the line before, in line heights. */
  apart: number;
}
