// Tells whether a base reads prose, by the measurement in lorekeep.json of its folder (`./lorekeep bench reading --write`). Document
// answers of a base that does not are quotations.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

const schema = z.object({
  reading: z.object({ asked: z.int().nonnegative(), right: z.int().nonnegative() }).optional(),
});

/** Minimum number of questions of a valid measurement. */
const minAsked = 20;
const minRight = 0.6;

/** A base without a measurement counts as reading prose. */
export async function readsProse(folder: string): Promise<boolean> {
  const text = await readFile(join(folder, 'lorekeep.json'), 'utf8').catch(() => undefined);
  if (text === undefined) return true;
  const { reading } = schema.parse(JSON.parse(text));
  return !reading || reading.asked < minAsked || reading.right / reading.asked >= minRight;
}
