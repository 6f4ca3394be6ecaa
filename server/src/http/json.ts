// Strict parser for JSON bodies: UTF-8 only, no duplicate keys, bounded depth. Ambiguous input is refused with the reason.
import { isUtf8 } from 'node:buffer';
import { Refusal } from '@lorekeep/contract';

const maxDepth = 64;

export function parseJson(bytes: Buffer): unknown {
  if (bytes.length === 0) throw new Refusal('body_missing');
  if (!isUtf8(bytes)) throw new Refusal('json_invalid', { reason: 'it is not UTF-8 text' });
  const { depth, members } = outline(bytes);
  if (depth > maxDepth) throw new Refusal('json_invalid', { reason: `it is nested more than ${maxDepth} levels deep` });
  let value: unknown;
  try {
    value = JSON.parse(withoutMark(bytes).toString('utf8'));
  } catch (error) {
    throw new Refusal('json_invalid', { reason: jsonErrorText((error as Error).message) });
  }
  if (countMembers(value) !== members)
    throw new Refusal('json_invalid', { reason: 'an object holds the same key twice' });
  // Only an escape can produce a lone surrogate, and few bodies have escapes.
  if (bytes.includes('\\u') && !isWellFormed(value))
    throw new Refusal('json_invalid', { reason: 'it holds half of a character (a lone surrogate)' });
  return value;
}

function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.every(isWellFormed);
  return Object.entries(value).every(([key, inner]) => key.isWellFormed() && isWellFormed(inner));
}

/** V8's message about invalid JSON without its excerpt of the body. The position counts UTF-16 units. */
export function jsonErrorText(message: string): string {
  if (/Unexpected end|Unterminated/.test(message)) return 'it ends too early';
  const position = /at position (\d+)/.exec(message)?.[1];
  const what = message.replace(/,? ?(\.\.\.)?".*$/s, '').replace(/ in JSON.*$/s, '');
  return position ? `${what} at character ${position}` : what;
}

const quote = 0x22;
const backslash = 0x5c;

/** Depth and number of object members, counted by brackets and colons outside of strings. Works on invalid JSON too. */
export function outline(bytes: Uint8Array): { depth: number; members: number } {
  let depth = 0;
  let deepestSeen = 0;
  let members = 0;
  for (let at = 0; at < bytes.length; at++) {
    switch (bytes[at]) {
      case quote:
        for (at++; at < bytes.length && bytes[at] !== quote; at++) if (bytes[at] === backslash) at++;
        break;
      case 0x7b: // {
      case 0x5b: // [
        if (++depth > deepestSeen) deepestSeen = depth;
        break;
      case 0x7d: // }
      case 0x5d: // ]
        depth--;
        break;
      case 0x3a: // :
        members++;
        break;
    }
  }
  return { depth: deepestSeen, members };
}

/** Detects duplicate keys: JSON.parse keeps only the last one, so the result has fewer members than the text has colons. */
export function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + countMembers(item), 0);
  const inner = Object.values(value);
  return inner.reduce((sum: number, item) => sum + countMembers(item), inner.length);
}

/** Strips a byte order mark. */
function withoutMark(bytes: Buffer): Buffer {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}
