// Puts test files of Node together that run in one process after each other: a process of its own would import the same modules for each.
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const root = resolve(import.meta.dirname, '..');
/** Workspaces whose files leave nothing behind in a process. Those of the server do: after candidates.test.ts of its search, the engine of
 * search.test.ts in the same process never ends. */
const together = new Set(['contract', 'reader', 'client']);
/** Seconds of all files of a group: short enough to share the cores out evenly at the end. */
const groupSeconds = 80;
/** Seconds of a file that nobody has measured. */
const unknownSeconds = 3;

export interface TestGroups {
  /** Absolute paths, of which the longest come first. */
  files: string[];
  end(): Promise<void>;
}

/** A group imports its files, so hooks outside of suites are those of the group. With `apart`, each file is a group. */
export async function makeGroups(
  files: string[],
  seconds: (file: string) => number | undefined,
  apart: boolean,
): Promise<TestGroups> {
  const folder = join(root, `.setup/test-groups-${process.pid}`);
  await mkdir(folder, { recursive: true });
  const groups = grouped(files, (file) => seconds(file) ?? unknownSeconds, apart ? 0 : groupSeconds);
  const paths = groups.map(async (group, index) => {
    const path = join(folder, `${index}.test.mjs`);
    const imports = group.map((file) => `import ${JSON.stringify(pathToFileURL(join(root, file)).href)};\n`);
    await writeFile(path, imports.join(''));
    return path;
  });
  return { files: await Promise.all(paths), end: async () => await rm(folder, { recursive: true, force: true }) };
}

/** Files of one workspace import the same modules. */
function grouped(files: string[], seconds: (file: string) => number, most: number): string[][] {
  const groups: { workspace: string; seconds: number; files: string[] }[] = [];
  for (const file of [...files].sort((one, other) => seconds(other) - seconds(one) || (one < other ? -1 : 1))) {
    const workspace = file.split('/')[0]!;
    const fits =
      together.has(workspace) &&
      groups.find((group) => group.workspace === workspace && group.seconds + seconds(file) <= most);
    if (fits) {
      fits.files.push(file);
      fits.seconds += seconds(file);
    } else groups.push({ workspace, seconds: seconds(file), files: [file] });
  }
  return groups.sort((one, other) => other.seconds - one.seconds).map((group) => group.files);
}
