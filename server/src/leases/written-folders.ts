// Folders below one root, named by 64 hexadecimal digits, each with the instance id of its writer. A folder exists before its record,
// so a folder without a record (an orphan) is removed once its writer is dead.
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isAlive } from './instance-id.ts';

export const writerFile = 'writer';
const folderNamePattern = /^[0-9a-f]{64}$/;

export class WrittenFolders {
  readonly root: string;
  readonly #instance: string;
  #drafts = 0;

  constructor(root: string, instance: string) {
    this.root = root;
    this.#instance = instance;
  }

  path(name: string): string {
    return join(this.root, name);
  }

  async names(): Promise<string[]> {
    return (await readdir(this.root).catch(() => [] as string[])).filter((entry) => folderNamePattern.test(entry));
  }

  /** Creates a folder. It is swept if this process dies before its record exists. */
  async create(name: string): Promise<string> {
    const folder = this.path(name);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(join(folder, writerFile), this.#instance);
    return folder;
  }

  /** Creates a folder for data fetched from elsewhere. It is swept if this process dies before the folder is moved to its final place. */
  draft(): string {
    return join(this.root, `.${this.#instance}-${this.#drafts++}`);
  }

  async remove(name: string): Promise<void> {
    await rm(this.path(name), { recursive: true, force: true });
  }

  /** Removes orphaned folders: `recorded` does not know them and their writer is dead. */
  async sweep(recorded: (names: string[]) => Promise<Set<string>>, now?: number): Promise<number> {
    let swept = await this.#sweepDrafts(now);
    const names = await this.names();
    const records = await recorded(names);
    for (const name of names.filter((one) => !records.has(one))) {
      const written = await stat(this.path(name)).catch(() => undefined);
      const writer = await readFile(join(this.path(name), writerFile), 'utf8').catch(() => '');
      if (!written || (writer !== '' && isAlive(writer, this.#instance, written.mtimeMs, now))) continue;
      await this.remove(name);
      swept++;
    }
    return swept;
  }

  async #sweepDrafts(now?: number): Promise<number> {
    let swept = 0;
    for (const entry of await readdir(this.root).catch(() => [] as string[])) {
      const [, writer] = /^\.(.+)-\d+$/.exec(entry) ?? [];
      const written = writer && (await stat(join(this.root, entry)).catch(() => undefined));
      if (!writer || !written || isAlive(writer, this.#instance, written.mtimeMs, now)) continue;
      await this.remove(entry);
      swept++;
    }
    return swept;
  }
}
