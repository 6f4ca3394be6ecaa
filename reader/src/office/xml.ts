// Streaming XML parser for Office files: elements by local name. Entities of a document type are never expanded (XXE, billion laughs).
import { Parser } from 'htmlparser2';
import { Unreadable } from '../failures.ts';

export type Attributes = Record<string, string>;

export interface XmlHandler {
  open?(name: string, attributes: Attributes): void;
  text?(text: string): void;
  close?(name: string): void;
}

const maxDepth = 10_000;

/** Feeds the handler and pauses after each chunk, so that the caller can emit the results so far. */
export async function* readXml(bytes: AsyncIterable<Buffer>, handler: XmlHandler): AsyncGenerator<void> {
  let depth = 0;
  const parser = new Parser(
    {
      onopentag: (name, attributes) => {
        if (++depth > maxDepth) throw new Unreadable('nested', { limit: maxDepth });
        handler.open?.(localName(name), attributes);
      },
      ontext: (text) => handler.text?.(text),
      onclosetag: (name) => {
        depth--;
        handler.close?.(localName(name));
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  const decoder = new TextDecoder('utf-8');
  let declared = false;
  let decode = (chunk: Buffer) => decoder.decode(chunk, { stream: true });
  for await (const chunk of bytes) {
    if (!declared) {
      declared = true;
      const mark =
        chunk[0] === 0xff && chunk[1] === 0xfe
          ? 'utf-16le'
          : chunk[0] === 0xfe && chunk[1] === 0xff
            ? 'utf-16be'
            : undefined;
      if (mark) {
        const other = new TextDecoder(mark);
        decode = (part) => other.decode(part, { stream: true });
      }
    }
    parser.write(decode(chunk));
    yield;
  }
  parser.end();
}

/** Reads to the end without emitting anything. */
export async function readAllXml(bytes: AsyncIterable<Buffer>, handler: XmlHandler): Promise<void> {
  for await (const _ of readXml(bytes, handler));
}

export const localName = (name: string) => name.slice(name.indexOf(':') + 1);

/** An attribute by local name, since prefixes vary between programs. */
export function attribute(attributes: Attributes, name: string): string | undefined {
  if (attributes[name] !== undefined) return attributes[name];
  for (const key in attributes) if (localName(key) === name) return attributes[key];
  return undefined;
}
