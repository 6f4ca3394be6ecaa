// Context length of a base, as its folder says. If it does not say so plainly, the engine decides.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

export async function contextOf(folder: string): Promise<number> {
  try {
    const config = JSON.parse(await readFile(join(folder, 'config.json'), 'utf8'));
    const scaled = config.rope_scaling ?? config.rope_parameters;
    // Scalings that move have a shorter context than is written.
    if (scaled && /longrope|dynamic/.test(String(scaled.rope_type ?? scaled.type))) return 0;
    return Number(config.max_position_embeddings) || 0;
  } catch {
    return 0;
  }
}
