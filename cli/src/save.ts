// Saves a downloaded file under a name that must not exist yet, or writes it to standard output.
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Context } from './command.ts';
import { UsageError } from './exit.ts';

export async function saveTo(context: Context, response: Response, file: string | undefined): Promise<void> {
  const source = Readable.fromWeb(response.body as import('node:stream/web').ReadableStream);
  if (file === undefined) return await context.terminal.pass(source);
  try {
    await pipeline(source, createWriteStream(file, { flags: 'wx' }), { signal: context.signal });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST')
      throw new UsageError(`There is "${file}" already. Choose another name.`);
    // An incomplete file is removed, since it would look like a complete one.
    await rm(file, { force: true });
    throw error;
  }
  context.show({ file }, () => file);
}
