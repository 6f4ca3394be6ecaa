// The documents of `./lorekeep bench answers`, and the questions about them. PDF and Word documents are made from Markdown
// text; other files are sent unchanged. The choosing side was used to develop the choice of quotations, the reporting side is used
// for reported figures only. The unseen side is longer; it was measured before anybody worked on it (2026-11-24), and belongs to
// development since, as the various and the short side do. Nobody looks at single answers of the held-out side.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { docxFile, paragraph, tableOf } from '../../reader/src/testing/office-files.ts';
import { type Drawn, pdfFile } from '../../reader/src/testing/pdf-file.ts';

export const sides = ['choosing', 'reporting', 'unseen', 'various', 'short', 'held-out'] as const;
export type Side = (typeof sides)[number];

export interface Asked {
  file: string;
  question: string;
  /** The answer is right if it contains any of these; empty if the document does not contain the answer. */
  right: string[];
  /** The answer must not contain any of these: other cells of the table. */
  not?: string[];
}

export interface Document {
  name: string;
  bytes: Uint8Array<ArrayBuffer>;
}

export async function documentsOf(side: Side): Promise<Document[]> {
  const folder = join(import.meta.dirname, side);
  const names = (await readdir(folder)).filter((name) => name !== 'questions.jsonl').sort();
  return await Promise.all(
    names.map(async (name) => {
      const text = await readFile(join(folder, name), 'utf8');
      const [, made, kind] = /^(.*\.(docx|pdf|md))\.txt$/.exec(name) ?? [];
      const bytes = kind === 'docx' ? wordOf(text) : kind === 'pdf' ? pdfOf(text) : Buffer.from(text);
      return { name: made ?? name, bytes: new Uint8Array(bytes) };
    }),
  );
}

export async function questionsOf(side: Side): Promise<Asked[]> {
  const text = await readFile(join(import.meta.dirname, side, 'questions.jsonl'), 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Asked);
}

type Part = { heading: string; level: number } | { text: string } | { rows: string[][] };

/** Parser for the Markdown that these texts use: headings, paragraphs, tables. */
function partsOf(markdown: string): Part[] {
  return markdown
    .trim()
    .split(/\n\s*\n/)
    .map((block) => {
      const heading = /^(#+) (.*)$/.exec(block);
      if (heading) return { heading: heading[2]!, level: heading[1]!.length };
      if (!block.startsWith('|')) return { text: block.replace(/\n/g, ' ') };
      const lines = block.split('\n').filter((line) => !/^[|\s-]+$/.test(line));
      return {
        rows: lines.map((line) =>
          line
            .slice(1, -1)
            .split('|')
            .map((cell) => cell.trim()),
        ),
      };
    });
}

function wordOf(markdown: string): Buffer {
  const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  const parts = partsOf(markdown);
  const title = parts.find((part) => 'heading' in part)?.heading ?? '';
  return docxFile(
    escaped(title),
    parts.map((part) => {
      if ('heading' in part) return paragraph(escaped(part.heading), '<w:pStyle w:val="Heading1"/>');
      return 'rows' in part ? tableOf(part.rows.map((row) => row.map(escaped))) : paragraph(escaped(part.text));
    }),
  );
}

const [left, columnWidth, lineHeight, lineLength, pageEnd] = [72, 120, 14, 92, 700];

/** PDF pages with the layout of a word processor: bold headings, wrapped lines, tables in columns. */
function pdfOf(markdown: string): Buffer {
  const pages: Drawn[][] = [[]];
  let y = 72;
  const draw = (...drawn: Omit<Drawn, 'y'>[]) => {
    if (y > pageEnd) {
      pages.push([]);
      y = 72;
    }
    pages.at(-1)!.push(...drawn.map((one) => ({ ...one, y })));
    y += lineHeight;
  };
  for (const part of partsOf(markdown)) {
    y += lineHeight;
    if ('heading' in part) {
      y += lineHeight / 2;
      draw({ text: part.heading, x: left, size: part.level === 1 ? 20 : 14, font: 'bold' });
      y += lineHeight / 2;
    } else if ('rows' in part)
      for (const row of part.rows) draw(...row.map((text, at) => ({ text, x: left + at * columnWidth })));
    else for (const line of broken(part.text)) draw({ text: line, x: left });
  }
  return pdfFile(pages);
}

function broken(text: string): string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    if (lines.at(-1)!.length + word.length >= lineLength) lines.push('');
    lines[lines.length - 1] = `${lines.at(-1)} ${word}`.trim();
  }
  return lines;
}

/** Whether an answer contains the right text as a whole word, and no neighbouring text of the document (`not`). */
export function isRight({ right, not = [] }: Asked, said: string): boolean {
  const answer = flat(said);
  const holds = (part: string) => {
    const { length } = flat(part);
    for (let at = answer.indexOf(flat(part)); at >= 0; at = answer.indexOf(flat(part), at + 1)) {
      const around = `${answer[at - 1] ?? ' '}${answer[at + length] ?? ' '}`.replace(/(?<=^.)s$/u, ' ');
      if (!/[\p{L}\p{N}]/u.test(around)) return true;
    }
    return false;
  };
  return right.some(holds) && !not.some(holds);
}

const flat = (text: string) => text.toLowerCase().replace(/\s+/g, ' ');
