// Messages between the server and the parsing process, one JSON message per line.
import { z } from 'zod';
import type { Budget } from '../limits.ts';
import type { PassageLimits } from '../passages/cut.ts';

export interface ReadRequest {
  path: string;
  name: string;
  scratch: string;
  limits: Budget;
  /** Whether blocks are sent. */
  blocks: boolean;
  /** Path of the tokenizer for passages. */
  passages?: { tokenizer: string; limits: PassageLimits };
}

const place = z.number().int().min(0);
const box = z.object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() });

const blockMessage = z.object({
  type: z.literal('block'),
  kind: z.enum(['heading', 'paragraph', 'item', 'row', 'code']),
  text: z.string(),
  level: z.number().optional(),
  header: z.literal(true).optional(),
  page: place.optional(),
  box: box.optional(),
  line: place.optional(),
});

const passageMessage = z.object({
  type: z.literal('passage'),
  number: place,
  text: z.string(),
  title: z.string().optional(),
  context: z.string(),
  headings: z.array(z.string()),
  header: z.string().optional(),
  start: place,
  end: place,
  page: place.optional(),
  lastPage: place.optional(),
  boxes: z.array(box.extend({ page: place })).optional(),
  line: place.optional(),
  tokens: place,
  hash: z.string(),
});

/** The file's use of the budget: unpacked bytes, CPU seconds. */
const spent = { expanded: place, seconds: z.number().min(0) };

/** The process is untrusted, since a file may have compromised it. Its messages are validated like network input. */
export const messageSchema = z.discriminatedUnion('type', [
  blockMessage,
  passageMessage,
  z.object({ type: z.literal('kind'), kind: z.string() }),
  z.object({ type: z.literal('title'), title: z.string() }),
  z.object({ type: z.literal('page'), page: place, pages: place.optional() }),
  z.object({ type: z.literal('wordless'), page: place }),
  /** Position in the file, of formats that are read from beginning to end. */
  z.object({ type: z.literal('read'), bytes: place }),
  z.object({ type: z.literal('part'), name: z.string(), path: z.string(), bytes: place }),
  z.object({ type: z.literal('notice'), text: z.string() }),
  /** `characters` is the length of the document's text. */
  z.object({ type: z.literal('end'), characters: place, ...spent }),
  z.object({ type: z.literal('failed'), code: z.string(), reason: z.string(), ...spent }),
]);

export type Message = z.infer<typeof messageSchema>;
