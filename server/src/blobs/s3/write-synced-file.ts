// Writes bytes to a new local file, syncs it, and returns their hash.
import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';

export async function writeSyncedFile(
  path: string,
  content: AsyncIterable<Uint8Array>,
): Promise<{ bytes: number; sha256: string }> {
  const digest = createHash('sha256');
  const file = await open(path, 'wx', 0o600);
  let bytes = 0;
  try {
    for await (const chunk of content) {
      digest.update(chunk);
      bytes += chunk.length;
      await file.writeFile(chunk);
    }
    await file.sync();
  } finally {
    await file.close();
  }
  return { bytes, sha256: digest.digest('hex') };
}
