// Splits text into numbered lines. A line longer than a block comes in pieces, so that a file of one huge line needs little memory.
import { cutBefore, maxBlockLength } from '../block.ts';

export interface Line {
  text: string;
  /** Number of the line, counted from 1. */
  number: number;
  /** True if the line continues in the next piece. */
  goesOn: boolean;
}

export async function* linesOf(chunks: AsyncIterable<string>): AsyncGenerator<Line[]> {
  let carry = '';
  let number = 1;
  for await (const chunk of chunks) {
    const found: Line[] = [];
    // A trailing carriage return waits for a possible line feed.
    const text = carry + chunk;
    const held = text.endsWith('\r') ? 1 : 0;
    const lines = text.slice(0, text.length - held).split(/\r\n|[\n\r\u2028\u2029\u0085]/);
    carry = lines.pop()! + '\r'.repeat(held);
    for (const line of lines) {
      found.push(...pieces(line, number, false));
      number++;
    }
    if (carry.length > 4 * maxBlockLength) {
      const cut = cutBefore(carry, carry.length - maxBlockLength);
      found.push(...pieces(carry.slice(0, cut), number, true));
      carry = carry.slice(cut);
    }
    yield found;
  }
  const last = carry.replace(/\r$/, '');
  if (last) yield pieces(last, number, false);
}

function pieces(text: string, number: number, goesOn: boolean): Line[] {
  const found: Line[] = [];
  let rest = text;
  while (rest.length > maxBlockLength) {
    const cut = cutBefore(rest, maxBlockLength);
    found.push({ text: rest.slice(0, cut), number, goesOn: true });
    rest = rest.slice(cut);
  }
  found.push({ text: rest, number, goesOn });
  return found;
}
