// Markdown parser: headings, paragraphs, lists, tables and code, without markup. Long files are read section by section.
import { marked, type Token, type Tokens } from 'marked';
import { type Block, blocks, type FileToRead, type Parsed, plainText, rowText } from '../block.ts';
import { htmlText } from '../html.ts';
import { decodedFile } from './encoding.ts';
import { areKeyed, isQuestionWithAnswer, keyedBlocks } from './keyed.ts';
import { type Line, linesOf } from './lines.ts';
import { Paragraphs } from './plain.ts';

const sectionSize = 64 * 1024;

export async function* parseMarkdown(file: FileToRead): AsyncGenerator<Parsed> {
  let lines: Line[] = [];
  let size = 0;
  let fence: string | undefined;
  let first = true;
  for await (const batch of linesOf(decodedFile(file))) {
    for (const line of batch) {
      const mark = /^ {0,3}(```+|~~~+)/.exec(line.text)?.[1];
      if (mark && !fence) fence = mark;
      else if (mark && fence && mark[0] === fence[0] && mark.length >= fence.length) fence = undefined;
      // Splits only after a blank line outside of code, so that no Markdown element is torn apart.
      const boundary = !fence && /^#{1,6} /.test(line.text) && lines.at(-1)?.text.trim() === '';
      if (lines.length > 0 && ((size > sectionSize && boundary) || size > 16 * sectionSize)) {
        yield* section(lines, first);
        first = false;
        lines = [];
        size = 0;
      }
      lines.push(line);
      size += line.text.length + 1;
    }
  }
  if (lines.length > 0) yield* section(lines, first);
}

function* section(lines: Line[], first: boolean): Generator<Parsed> {
  const start = lines[0]!.number;
  const text = lines.map((line) => line.text.replaceAll('\0', '') + (line.goesOn ? '' : '\n')).join('');
  const matter = first ? /^---\n([\s\S]{0,20000}?)\n---\n/.exec(text) : null;
  const title = matter && /^title:\s*["']?(.*?)["']?\s*$/m.exec(matter[1]!)?.[1];
  if (title) yield { type: 'title', title: plainText(title) };
  let tokens: Token[];
  try {
    tokens = marked.lexer(matter ? '\n'.repeat(matter[0].split('\n').length - 1) + text.slice(matter[0].length) : text);
  } catch {
    // Excessively nested markup is treated as plain text.
    const reader = new Paragraphs();
    for (const line of lines) yield* reader.line(line);
    yield* reader.end();
    return;
  }
  yield* walk(tokens, start, 1);
}

function* walk(tokens: Token[], start: number, depth: number): Generator<Block> {
  let line = start;
  for (const token of tokens) {
    // The token includes blank lines before it; its line is where the text starts.
    const lead = /^\n*/.exec(token.raw)![0].length;
    yield* blocksOf(token as Tokens.Generic, line + (token.type === 'space' ? 0 : lead), depth);
    line += token.raw.split('\n').length - 1;
  }
}

function* blocksOf(token: Tokens.Generic, line: number, depth: number): Generator<Block> {
  switch (token.type) {
    case 'heading':
      yield* blocks({ kind: 'heading', level: token.depth, text: inline(token), line });
      return;
    case 'code':
      yield* blocks({ kind: 'code', text: token.text, line });
      return;
    case 'blockquote':
      yield* walk(token.tokens ?? [], line, depth);
      return;
    case 'list':
      yield* list(token as Tokens.List, line, depth);
      return;
    case 'table':
      yield* table(token as Tokens.Table, line);
      return;
    case 'html':
      yield* blocks({ kind: 'paragraph', text: htmlText(token.text), line });
      return;
    case 'space':
    case 'hr':
    case 'def':
      return;
    default: {
      const lines = words(token).split('\n');
      const [first, ...rest] = lines;
      const asked =
        token.tokens?.[0]?.type === 'strong' && isQuestionWithAnswer(lines) && words(token.tokens[0]).trim() === first;
      if (areKeyed(lines)) yield* keyedBlocks(lines, line);
      else if (asked) yield* keyedBlocks([first!, rest.join(' ')], line);
      else yield* blocks({ kind: 'paragraph', text: inline(token), line });
    }
  }
}

function* list(token: Tokens.List, start: number, depth: number): Generator<Block> {
  let line = start;
  for (const [index, item] of token.items.entries()) {
    const mark = token.ordered ? `${Number(token.start || 1) + index}. ` : '';
    const own = item.tokens.filter(({ type }) => type === 'text' || type === 'paragraph' || type === 'heading');
    const first = own[0];
    if (first) yield* blocks({ kind: 'item', level: depth, text: mark + inline(first as Tokens.Generic), line });
    yield* walk(
      item.tokens.filter((child) => child !== first),
      line,
      depth + 1,
    );
    line += item.raw.split('\n').length - 1;
  }
}

function* table(token: Tokens.Table, line: number): Generator<Block> {
  const text = (row: Tokens.TableCell[]) => rowText(row.map((cell) => inline(cell as unknown as Tokens.Generic)));
  yield* blocks({ kind: 'row', header: true, text: text(token.header), line });
  for (const [index, row] of token.rows.entries())
    yield* blocks({ kind: 'row', text: text(row), line: line + 2 + index });
}

/** Text of a token without markup, as one line. */
const inline = (token: Tokens.Generic): string => plainText(words(token));

function words(token: Tokens.Generic): string {
  if (!token.tokens) return token.text ?? '';
  return token.tokens
    .map((part) => {
      const { type, text, tokens: inner } = part as Tokens.Generic;
      if (type === 'br') return '\n';
      if (type === 'html') return htmlText(text);
      if (type === 'codespan' || type === 'escape') return text;
      return inner ? words(part as Tokens.Generic) : htmlText(text ?? '');
    })
    .join('');
}
