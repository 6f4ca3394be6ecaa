// Id of an installation: the creation time of its database, which a restore elsewhere preserves.
import { sql } from 'kysely';
import type { Store } from './database.ts';

export async function installationOf({ db }: Store): Promise<string> {
  const { rows } = await sql<{ at: number | string }>`select min(applied_at) as at from schema_versions`.execute(db);
  return String(rows[0]?.at);
}
