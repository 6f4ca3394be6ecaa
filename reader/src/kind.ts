// Detects the kind of a file by its content. The name only decides between similar kinds of text.
import { open } from 'node:fs/promises';
import { damaged, Unreadable } from './failures.ts';
import { foreignKind } from './looks-like.ts';
import { openZip } from './office/zip.ts';
import { csvShape } from './text/csv-shape.ts';
import { encodingOf, firstBytes } from './text/encoding.ts';

export type Kind =
  | 'pdf'
  | 'docx'
  | 'pptx'
  | 'xlsx'
  | 'html'
  | 'xml'
  | 'markdown'
  | 'text'
  | 'csv'
  | 'json'
  | 'jsonl'
  | 'eml'
  | 'zip';

const headSize = 64 * 1024;
const zipStarts = ['PK\x03\x04', 'PK\x05\x06', 'PK\x07\x08'];

export async function kindOf(path: string, name: string): Promise<Kind> {
  const head = await firstBytes(path, headSize);
  if (head.length === 0) throw new Unreadable('empty');
  const start = head.toString('latin1', 0, 1024);
  if (start.includes('%PDF-')) return 'pdf';
  if (zipStarts.some((sign) => start.startsWith(sign))) return await zipKind(path);
  if (start.startsWith('\xd0\xcf\x11\xe0')) throw await oldOffice(path);
  const foreign = foreignKind(start);
  if (foreign) throw new Unreadable('unsupported', { kind: foreign, hint: 'send it as PDF, DOCX, HTML or text' });
  const encoding = await encodingOf(path);
  if (encoding.startsWith('utf-16') === false && isBinary(head))
    throw new Unreadable('unsupported', {
      kind: 'a binary file of an unknown kind',
      hint: 'send documents as PDF, DOCX, PPTX, XLSX, HTML, Markdown, text, CSV, JSON, EML or ZIP',
    });
  return textKind(new TextDecoder(encoding).decode(head), name, head.length < headSize);
}

/** Decides between kinds of text. `whole`: the text is the complete file. */
export function textKind(head: string, name: string, whole = true): Kind {
  const text = head.replace(/^\ufeff/, '').trimStart();
  const ending = /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? '';
  if (/^(<!--[\s\S]{0,5000}?-->\s*)*<(!doctype html|html[\s>]|head[\s>]|body[\s>])/i.test(text)) return 'html';
  if (/^<\?xml[\s\S]{0,5000}?<html[\s>]/i.test(text)) return 'html';
  if (text.startsWith('<?xml')) return 'xml';
  if (isMail(text)) return 'eml';
  const json = jsonKind(text, whole);
  if (json) return json;
  if (/^<(!--|[a-z][a-z0-9]*[\s>/])/i.test(text) && tags(text) > 2) return ending === 'md' ? 'markdown' : 'html';
  if (ending === 'md' || ending === 'markdown') return 'markdown';
  if (csvShape(text, ending, whole)) return 'csv';
  if (ending !== 'txt' && looksLikeMarkdown(text)) return 'markdown';
  if (ending === 'html' || ending === 'htm') return tags(text) > 0 ? 'html' : 'text';
  return 'text';
}

const tags = (text: string) =>
  (text.match(/<\/(p|div|h[1-6]|ul|ol|li|table|tr|td|a|span|b|i|em|strong|pre|section|article)>/gi) ?? []).length;

function jsonKind(text: string, whole: boolean): 'json' | 'jsonl' | undefined {
  if (!/^[[{]/.test(text)) return undefined;
  const first = text.split('\n', 1)[0]!;
  const complete = isJson(first);
  if (complete && text.length > first.length && /^[[{]/.test(text.slice(first.length).trimStart())) return 'jsonl';
  if (complete) return text.startsWith('{') && !whole && first.length < text.length ? 'jsonl' : 'json';
  // Not complete in the first line: checks that it begins like JSON. "[note] some text" and "{placeholder}" do not.
  return /^\{\s*("(?:[^"\\]|\\.)*"\s*:|\}|"[^"]*$)|^\[\s*([[{"\d\-\]]|true|false|null|$)/.test(text) &&
    !/^\[\d+\]\s+\w/.test(text)
    ? 'json'
    : undefined;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const mailHeaders =
  /^(from|to|subject|date|received|message-id|mime-version|return-path|delivered-to|cc|reply-to|content-type|dkim-signature|x-[\w-]+)$/i;

/** A mail begins with headers, including two that only mails have. */
function isMail(text: string): boolean {
  const lines = text.replace(/^From \S+ .*\n/, '').split(/\r?\n/);
  let known = 0;
  for (const line of lines) {
    if (line === '') break;
    if (/^[ \t]/.test(line)) continue;
    const name = /^([!-9;-~]+):/.exec(line)?.[1];
    if (!name) return false;
    if (mailHeaders.test(name)) known++;
  }
  return known >= 2 && /^(from|received|return-path|message-id|delivered-to|subject|date):/im.test(text);
}

function looksLikeMarkdown(text: string): boolean {
  const marks = [
    /^#{1,6} \S/m,
    /^(```|~~~)/m,
    /\[[^\]\n]+\]\([^)\s]+\)/,
    /^[^\n]+\n(={3,}|-{3,})[ \t]*$/m,
    /^\|.+\|[ \t]*\n\|[ :|-]+\|/m,
    /\*\*[^*\n]+\*\*/,
  ];
  const found = marks.filter((mark) => mark.test(text)).length;
  return found >= 2 || /^#{1,3} \S[^\n]*\n\s*\n/.test(text) || (text.match(/^#{1,6} \S/gm) ?? []).length >= 3;
}

function isBinary(head: Buffer): boolean {
  let odd = 0;
  for (const byte of head) if (byte < 9 || (byte > 13 && byte < 32 && byte !== 27)) odd++;
  return head.includes(0) || odd > head.length * 0.05;
}

/** The kind of a ZIP file by its entries. */
async function zipKind(path: string): Promise<Kind> {
  let names: Set<string>;
  try {
    const zip = await openZip(path, { parts: 100_000, expanded: Number.MAX_SAFE_INTEGER });
    names = new Set(zip.entries.map(({ fileName }) => fileName));
    zip.close();
  } catch (error) {
    throw damaged(error);
  }
  if (names.has('[Content_Types].xml')) {
    const holds = (folder: string) => [...names].some((name) => name.startsWith(folder));
    if (holds('word/')) return 'docx';
    if (holds('ppt/')) return 'pptx';
    if (names.has('xl/workbook.bin'))
      throw new Unreadable('unsupported', { kind: 'a binary workbook (XLSB)', hint: 'save it as XLSX' });
    if (holds('xl/')) return 'xlsx';
  }
  if (names.has('mimetype') && names.has('META-INF/manifest.xml') && names.has('content.xml'))
    throw new Unreadable('unsupported', { kind: 'an OpenDocument file', hint: 'save it as DOCX, PPTX, XLSX or PDF' });
  return 'zip';
}

/** Kind of an OLE container: an old Office file, or a new one with a password. Its directory names the streams in UTF-16. */
async function oldOffice(path: string): Promise<Unreadable> {
  const holds = async (name: string) => await contains(path, Buffer.from(name, 'utf16le'));
  if (await holds('EncryptedPackage')) return new Unreadable('encrypted');
  if (await holds('WordDocument'))
    return new Unreadable('unsupported', { kind: 'an old Word document (DOC)', hint: 'save it as DOCX or PDF' });
  if ((await holds('Workbook')) || (await holds('Book')))
    return new Unreadable('unsupported', { kind: 'an old Excel workbook (XLS)', hint: 'save it as XLSX or CSV' });
  if (await holds('PowerPoint Document'))
    return new Unreadable('unsupported', { kind: 'an old presentation (PPT)', hint: 'save it as PPTX or PDF' });
  return new Unreadable('unsupported', { kind: 'an old Office or Outlook file', hint: 'save it in a current format' });
}

async function contains(path: string, needle: Buffer): Promise<boolean> {
  const file = await open(path);
  try {
    const buffer = Buffer.alloc(1024 * 1024);
    for (let at = 0; ; at += buffer.length - needle.length) {
      const { bytesRead } = await file.read(buffer, 0, buffer.length, at);
      if (buffer.subarray(0, bytesRead).includes(needle)) return true;
      if (bytesRead < buffer.length) return false;
    }
  } finally {
    await file.close();
  }
}
