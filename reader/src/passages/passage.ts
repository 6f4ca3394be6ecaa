// A passage: the unit of embedding, search and citation, with its headings and its place.
import { createHash } from 'node:crypto';
import type { Box } from '../block.ts';

export interface Passage {
  /** Number of the passage, counted from 0 in reading order. */
  number: number;
  /** The document's text from `start` to `end`. */
  text: string;
  /** Title of the document, where it has one. */
  title?: string;
  /** Title and headings as they are embedded with it. */
  context: string;
  /** The headings above it, outermost first. */
  headings: string[];
  /** The row that names the columns, when the passage is a later part of a table. */
  header?: string;
  /** Characters of the document's text, which is that of its blocks with a line break between. */
  start: number;
  end: number;
  page?: number;
  lastPage?: number;
  /** Places of its blocks on their pages. */
  boxes?: (Box & { page: number })[];
  /** Line of a text file or row of a sheet where it begins. */
  line?: number;
  /** Tokens of the text that is embedded. */
  tokens: number;
  /** The same for passages that say the same under the same headings. */
  hash: string;
}

/** The text that is embedded and searched, with title and headings: a passage alone says too little. */
export const embeddedText = ({
  context,
  header,
  text,
}: {
  context: string;
  header?: string | undefined;
  text: string;
}) => [context, header, text].filter(Boolean).join('\n');

export function passageHash(headings: string[], text: string): string {
  const words = [...headings, text].map((part) => part.replace(/\s+/g, ' ').trim());
  return createHash('sha256').update(words.join('\n')).digest('base64url').slice(0, 22);
}
