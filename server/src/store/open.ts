// Opens the database of a URL and migrates its schema.
import type { Store } from './database.ts';
import { checkVersion, migrate } from './migrate.ts';
import { openPostgres } from './postgres.ts';
import { openSqlite } from './sqlite.ts';

/** Opens the store without migrating its schema. */
export async function openUnmigrated(url: string): Promise<Store> {
  return url.startsWith('sqlite:') ? openSqlite(url.slice('sqlite:'.length)) : await openPostgres(url);
}

export async function openStore(url: string): Promise<Store> {
  const store = await openUnmigrated(url);
  try {
    await migrate(store.db, store.engine);
  } catch (error) {
    await store.close();
    throw error;
  }
  return store;
}

/** Throws what a start with this database would throw. Creates and migrates nothing. */
export async function checkStore(url: string): Promise<void> {
  const store = await openUnmigrated(url);
  await checkVersion(store.db).finally(() => store.close());
}
