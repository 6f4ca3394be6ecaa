// Secrets of keys: 256 random bits, stored only as a hash, compared in constant time.
import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

/** A plaintext key: "lk_" and 43 characters. It has 256 random bits, so an unsalted hash is safe against brute force. */
export function newSecret(): string {
  return `lk_${randomBytes(32).toString('base64url')}`;
}

export function hashOf(secret: string): string {
  return hash('sha256', secret, 'hex');
}

/** Prefix of the hash for the database lookup. The whole hash is then compared in constant time. */
export const hintOf = (hash: string): string => hash.slice(0, 16);

export function sameHash(a: string, b: string): boolean {
  return timingSafeEqual(Buffer.from(a, 'hex'), Buffer.from(b, 'hex'));
}

/** Prefix of the key for lists: enough to tell keys apart, too short to guess one. */
export const prefixOf = (secret: string): string => secret.slice(0, Math.min(8, Math.floor(secret.length / 3)));
