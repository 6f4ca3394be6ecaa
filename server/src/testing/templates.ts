// Migrated databases that ./lorekeep test has made once for all test files (databases.ts), and a folder of other shared files.
// Without them, each start makes its own.
import { chmod, copyFile } from 'node:fs/promises';

export interface Templates {
  /** A file. */
  sqlite?: string;
  /** The name of a database. */
  postgres?: string;
  /** A folder of the test run. Its files appear atomically, under their final names. */
  shared?: string;
}

export function templates(): Templates {
  return JSON.parse(process.env.LOREKEEP_TEST_TEMPLATES ?? '{}');
}

/** Copies the database that a first start would make, if there is a template of it. */
export async function copyMigrated(path: string): Promise<void> {
  const { sqlite } = templates();
  if (sqlite === undefined) return;
  await copyFile(sqlite, path);
  await chmod(path, 0o600);
}
