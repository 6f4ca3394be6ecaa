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

/** With each of these, once, the password of an account can be set. */
export interface SignInLinkRow {
  hash: string;
  account_id: number;
  created_at: number;
  expires_at: number;
}
