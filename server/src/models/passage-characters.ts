// A model's own description of how much it reads, in lorekeep.json of its folder. Most models have none and are assumed
// to read their whole context.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

const schema = z.object({ passage_characters: z.int().min(100).optional() });

/** Number of characters of passages that a model can use at once. */
export async function passageCharacters(folder: string): Promise<number> {
  const text = await readFile(join(folder, 'lorekeep.json'), 'utf8').catch(() => undefined);
  if (text === undefined) return Number.POSITIVE_INFINITY;
  return schema.parse(JSON.parse(text)).passage_characters ?? Number.POSITIVE_INFINITY;
}
