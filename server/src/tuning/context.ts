// Context length of a base, read from its folder. If the folder does not state it plainly, the engine decides.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

export async function contextOf(folder: string): Promise<number> {
  try {
    const config = JSON.parse(await readFile(join(folder, 'config.json'), 'utf8'));
    const scaled = config.rope_scaling ?? config.rope_parameters;
    // Dynamic rope scalings have a shorter effective context than the configuration states.
    if (scaled && /longrope|dynamic/.test(String(scaled.rope_type ?? scaled.type))) return 0;
    return Number(config.max_position_embeddings) || 0;
  } catch {
    return 0;
  }
}
