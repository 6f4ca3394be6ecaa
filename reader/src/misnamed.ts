// Files with a misleading name, such as a login page saved as report.pdf. They are read by their content, and a notice is added.
import { Unreadable } from './failures.ts';
import type { Kind } from './kind.ts';

const words: Record<Kind, string> = {
  pdf: 'a PDF',
  docx: 'a Word document',
  pptx: 'a presentation',
  xlsx: 'a workbook',
  html: 'HTML',
  xml: 'XML',
  markdown: 'Markdown',
  text: 'plain text',
  csv: 'CSV',
  json: 'JSON',
  jsonl: 'JSON lines',
  eml: 'a mail',
  zip: 'a ZIP archive',
};

const binary: Kind[] = ['pdf', 'docx', 'pptx', 'xlsx', 'zip'];
const inCharacters = (Object.keys(words) as Kind[]).filter((kind) => !binary.includes(kind));

/**
 * Kinds that a file name extension stands for; the first one is used in messages. Similar kinds of text are accepted for each other
 * if programs write them so.
 */
const kindsByExtension: Record<string, Kind[]> = {
  pdf: ['pdf'],
  docx: ['docx'],
  pptx: ['pptx'],
  xlsx: ['xlsx'],
  zip: binary.filter((kind) => kind !== 'pdf').reverse(),
  html: ['html', 'xml', 'text', 'markdown'],
  htm: ['html', 'xml', 'text', 'markdown'],
  xml: ['xml', 'html'],
  csv: ['csv'],
  tsv: ['csv'],
  json: ['json', 'jsonl'],
  jsonl: ['jsonl', 'json'],
  ndjson: ['jsonl', 'json'],
  eml: ['eml'],
  md: ['markdown', ...inCharacters],
  markdown: ['markdown', ...inCharacters],
  txt: ['text', ...inCharacters],
};

function promise(name: string): Kind[] | undefined {
  return kindsByExtension[/\.([a-z]+)$/i.exec(name)?.[1]?.toLowerCase() ?? ''];
}

/** Notice for a file of another kind than its name says. */
export function misnamed(name: string, kind: Kind): string | undefined {
  const kinds = promise(name);
  if (!kinds || kinds.includes(kind)) return undefined;
  return `${name} is not ${words[kinds[0]!]}: it begins like ${words[kind]} and was read as that`;
}

/** Failure message of a file, with the kind that its name suggests. */
export function misnamedReason(name: string, error: Unreadable): Unreadable {
  const kinds = promise(name);
  const { kind } = error.values;
  if (error.code !== 'unsupported' || !kinds) return error;
  return new Unreadable('misnamed', {
    ...error.values,
    name,
    promised: words[kinds[0]!],
    kind: kind ?? 'something else',
  });
}
