// Two collections of manuals of other authors, found on the machine when the bench runs: Markdown of the packages in node_modules, and pages of
// the system's documentation. Everybody who is measured gets the same Markdown, so that it is the finding that is measured and not the reading.
import { createHash } from 'node:crypto';
import { globSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { type Block, DocumentReader } from '@lorekeep/reader';

export interface Manual {
  name: string;
  text: string;
}

export interface Collection {
  name: string;
  manuals: Manual[];
}

const root = join(import.meta.dirname, '../..');
const maxPageBytes = 1 << 20;
const minPageCharacters = 1_500;

/**
 * As many files of each collection as fit into so many characters, taken in an order that does not depend on their
 * contents.
 */
export async function collections(scratch: string, characters: number): Promise<Collection[]> {
  const packages = paths(join(root, 'node_modules'), ['**/*.md', '**/*.markdown'])
    .filter(
      (path) => !/change|history|licen[cs]e|conduct|contribut|\.github|[._-][a-z]{2}(-[A-Z]{2})?\.md$/i.test(path),
    )
    .map((path) => ({ path, text: async () => readFileSync(path, 'utf8') }));
  const reader = new DocumentReader({ scratch });
  const system = paths('/usr/share/doc', ['**/*.html']).map((path) => ({
    path,
    text: async () => await markdownOf(reader, path),
  }));
  try {
    return [
      { name: 'packages', manuals: await chosen(packages, characters) },
      { name: 'system', manuals: await chosen(system, characters) },
    ];
  } finally {
    await reader.close();
  }
}

function paths(folder: string, patterns: string[]): string[] {
  return globSync(patterns, { cwd: folder })
    .map((path) => join(folder, path))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile() && statSync(path).size <= maxPageBytes);
}

async function chosen(found: { path: string; text(): Promise<string> }[], characters: number): Promise<Manual[]> {
  const order = found.map((one) => ({ ...one, name: nameOf(one.path) })).sort(by(({ name }) => digest(name)));
  const manuals: Manual[] = [];
  const seen = new Set<string>();
  let left = characters;
  for (const { name, text: read } of order) {
    const text = await read().catch(() => '');
    if (text.length < minPageCharacters || text.length > left || !isEnglish(text) || seen.has(digest(text))) continue;
    seen.add(digest(text));
    manuals.push({ name, text });
    left -= text.length;
    if (left < minPageCharacters) break;
  }
  return manuals.sort(by(({ name }) => name));
}

/** Path without the folders outside the collection, so that a file has the same name on every machine. */
const nameOf = (path: string) =>
  `${relative(path.startsWith(root) ? join(root, 'node_modules') : '/usr/share/doc', path)
    .replaceAll('node_modules/', '')
    .replace(/\.\w+$/, '')
    .replace(/[^\w.-]+/g, '_')}.md`;

export const digest = (text: string) => createHash('sha256').update(text).digest('hex');

export function by<Value>(key: (value: Value) => string): (one: Value, other: Value) => number {
  return (one, other) => (key(one) < key(other) ? -1 : 1);
}

/** English prose contains these words on any topic; lists of names and other languages do not. */
function isEnglish(text: string): boolean {
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? [];
  const common = words.filter((word) => /^(?:the|of|to|and|is|a|in|for|that|it|be|with)$/.test(word));
  return common.length > words.length * 0.1;
}

async function markdownOf(reader: DocumentReader, path: string): Promise<string> {
  const blocks: string[] = [];
  for await (const one of reader.read({ path, name: path })) {
    if (one.type === 'title') blocks.push(`# ${one.title}`);
    if (one.type === 'block') blocks.push(markdown(one));
  }
  return `${blocks.join('\n\n')}\n`;
}

function markdown({ kind, level, text }: Block): string {
  const line = text.replace(/\s+/g, ' ').trim();
  if (kind === 'heading') return `${'#'.repeat(Math.min(6, level ?? 1))} ${line}`;
  if (kind === 'item') return `- ${line}`;
  if (kind === 'code') return `\`\`\`\n${text}\n\`\`\``;
  return line;
}
