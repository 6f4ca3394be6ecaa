// What a model says to us of how it reads, in lorekeep.json of its folder. Most say nothing, and are taken for able to read all that their context holds.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

const said = z.object({ passage_characters: z.int().min(100).optional() });

/** So many characters of passages a model makes sense of at once. */
export async function passageCharacters(folder: string): Promise<number> {
  const text = await readFile(join(folder, 'lorekeep.json'), 'utf8').catch(() => undefined);
  if (text === undefined) return Number.POSITIVE_INFINITY;
  return said.parse(JSON.parse(text)).passage_characters ?? Number.POSITIVE_INFINITY;
}
