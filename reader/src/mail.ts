// Mails: the subject as title, sender and recipients, the text, then the attachments as parts. A mail inside of a mail is an attachment.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import PostalMime, { type Address, type Email } from 'postal-mime';
import { blocks, type FileToRead, type Parsed, plainText } from './block.ts';
import { damaged, Unreadable } from './failures.ts';
import { htmlBlocks } from './html.ts';
import { shownPart } from './part-names.ts';
import { linesOf } from './text/lines.ts';
import { Paragraphs } from './text/plain.ts';

/** Maximum size, since a mail is read into memory with its decoded attachments. */
const maxBytes = 200 * 1024 * 1024;

export async function* parseMail(file: FileToRead): AsyncGenerator<Parsed> {
  if (file.bytes > maxBytes)
    throw new Unreadable('unsupported', {
      kind: `a mail of more than ${maxBytes} bytes`,
      hint: 'send its attachments instead',
    });
  const mail = await parsed(file.path);
  const subject = plainText(mail.subject ?? '');
  if (subject) {
    yield { type: 'title', title: subject };
    yield* blocks({ kind: 'heading', level: 1, text: subject });
  }
  const head = [
    line('From', mail.from),
    line('To', mail.to),
    line('Cc', mail.cc),
    mail.date ? `Date: ${mail.date}` : '',
  ];
  yield* blocks({ kind: 'paragraph', text: head.filter(Boolean).join('\n') });
  if (mail.html) yield* body(htmlBlocks([mail.html]));
  else if (mail.text) yield* text(mail.text);
  yield* attachments(mail, file);
}

async function parsed(path: string): Promise<Email> {
  const bytes = await readFile(path);
  // An mbox with one mail begins with a separator line.
  const start = bytes.toString('latin1', 0, 5) === 'From ' ? bytes.indexOf('\n') + 1 : 0;
  try {
    return await PostalMime.parse(bytes.subarray(start), { maxNestingDepth: 50, forceRfc822Attachments: true });
  } catch (error) {
    throw damaged(error);
  }
}

/** Drops the title of an HTML mail, since the subject is the title. */
async function* body(found: AsyncIterable<Parsed>): AsyncGenerator<Parsed> {
  for await (const one of found) if (one.type !== 'title') yield one;
}

async function* text(words: string): AsyncGenerator<Parsed> {
  const reader = new Paragraphs();
  async function* whole() {
    yield words;
  }
  // Line numbers of the decoded text are not those of the file.
  for await (const lines of linesOf(whole()))
    for (const one of lines) for (const { line: _, ...block } of reader.line(one)) yield block;
  for (const { line: _, ...block } of reader.end()) yield block;
}

async function* attachments(mail: Email, file: FileToRead): AsyncGenerator<Parsed> {
  if (mail.attachments.length > file.limits.parts) throw new Unreadable('parts', { limit: file.limits.parts });
  for (const [index, { filename, mimeType, content }] of mail.attachments.entries()) {
    const bytes = typeof content === 'string' ? Buffer.from(content) : new Uint8Array(content as ArrayBuffer);
    // Skips inline pictures such as signatures and logos.
    if (mimeType.startsWith('image/')) continue;
    const path = join(file.scratch, `part-${index}`);
    await writeFile(path, bytes);
    yield {
      type: 'part',
      name: shownPart(filename ?? (mimeType === 'message/rfc822' ? 'message.eml' : 'attachment')),
      path,
      bytes: bytes.length,
    };
  }
}

function line(label: string, who: Address | Address[] | undefined): string {
  const people = (Array.isArray(who) ? who : who ? [who] : [])
    .slice(0, 50)
    .map(({ name, address }) => plainText(name ? `${name} <${address ?? ''}>` : (address ?? '')));
  return people.length > 0 ? `${label}: ${people.join(', ')}` : '';
}
