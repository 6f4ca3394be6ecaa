// Tells a base that reads prose by the measurement in lorekeep.json of its folder (`./lorekeep bench reading --write`). Document
// answers of a base that does not are quotations.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

const said = z.object({
  reading: z.object({ asked: z.int().nonnegative(), right: z.int().nonnegative() }).optional(),
});

/** Fewer questions measure nothing. */
const minAsked = 20;
const minRight = 0.6;

/** A base without a measurement is taken to read. */
export async function readsProse(folder: string): Promise<boolean> {
  const text = await readFile(join(folder, 'lorekeep.json'), 'utf8').catch(() => undefined);
  if (text === undefined) return true;
  const { reading } = said.parse(JSON.parse(text));
  return !reading || reading.asked < minAsked || reading.right / reading.asked >= minRight;
}
