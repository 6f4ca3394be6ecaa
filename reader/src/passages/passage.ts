// A passage (chunk): the unit of embedding, search and citation, with its headings and its place.
import { createHash } from 'node:crypto';
import type { Box } from '../block.ts';

export interface Passage {
  /** Number of the passage in reading order, from 0. */
  number: number;
  /** Text of the document from `start` to `end`. */
  text: string;
  /** Title of the document, if it has one. */
  title?: string;
  /** Title and headings that are embedded with the text. */
  context: string;
  /** Headings above the passage, outermost first. */
  headings: string[];
  /** Header row, if the passage is a later part of a table. */
  header?: string;
  /** Character offsets in the document's text, which is made of its blocks joined by line breaks. */
  start: number;
  end: number;
  page?: number;
  lastPage?: number;
  /** Positions of its blocks on their pages. */
  boxes?: (Box & { page: number })[];
  /** Line of a text file or row of a sheet where the passage begins. */
  line?: number;
  /** Number of tokens of the embedded text. */
  tokens: number;
  /** Hash for deduplication: equal for equal texts under the same headings. */
  hash: string;
}

/** The embedded and searched text, with title and headings, since the text alone lacks context. */
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
