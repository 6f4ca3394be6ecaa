// The tables as the queries see them. The same on SQLite and PostgreSQL: moments are milliseconds, lists are JSON text.
import type { Generated } from 'kysely';

export interface AccountRow {
  id: Generated<number>;
  name: string;
  role: 'operator' | 'member';
  /** JSON of the limits that differ from the installation's: `{name: number | null}`. */
  limits: string;
  created_at: number;
  disabled_at: number | null;
}

export interface KeyRow {
  id: Generated<number>;
  account_id: number;
  name: string;
  /** SHA-256 of the key; its first 16 digits stand in `hint`, which is what is looked up. */
  hash: string;
  hint: string;
  prefix: string;
  scopes: string;
  created_at: number;
  expires_at: number | null;
  revoked_at: number | null;
  last_used_at: number | null;
}

export interface DatasetRow {
  id: Generated<number>;
  account_id: number;
  /** SHA-256 of the stored rows: the id that the API shows. */
  hash: string;
  name: string | null;
  rows: number;
  bytes: number;
  is_public: number;
  /** The name of the file with the rows; never used again for another one. */
  blob: string;
  created_at: number;
}

export interface Tables {
  accounts: AccountRow;
  keys: KeyRow;
  datasets: DatasetRow;
}
