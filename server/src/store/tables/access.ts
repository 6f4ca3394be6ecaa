// Tables of sign-in: passwords, sessions, links.
import type { Generated } from 'kysely';

export interface PasswordRow {
  account_id: number;
  hash: string;
  changed_at: number;
}

/** The session of a signed-in browser. */
export interface SessionRow {
  id: Generated<number>;
  account_id: number;
  key_id: number;
  /** SHA-256 of the secret in the cookie. */
  hash: string;
  browser: string;
  created_at: number;
  expires_at: number;
}

/** A single-use link that sets the password of an account. */
export interface SignInLinkRow {
  hash: string;
  account_id: number;
  created_at: number;
  expires_at: number;
}
