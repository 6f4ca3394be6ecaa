// The tables of people who sign in: passwords, sessions, links.
import type { Generated } from 'kysely';

export interface PasswordRow {
  account_id: number;
  hash: string;
  changed_at: number;
}

/** A browser that is signed in. */
export interface SessionRow {
  id: Generated<number>;
  account_id: number;
  key_id: number;
  /** SHA-256 of what the cookie holds. */
  hash: string;
  browser: string;
  created_at: number;
  expires_at: number;
}

/** Links that each set the password of an account once. */
export interface SignInLinkRow {
  hash: string;
  account_id: number;
  created_at: number;
  expires_at: number;
}
