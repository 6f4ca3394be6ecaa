// Secrets of keys: 256 random bits, stored only as a hash, compared in constant time.
import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

/** A key as its owner holds it: "lk_" and 43 characters. The random part has 256 bits, so a plain hash cannot be searched. */
export function newSecret(): string {
  return `lk_${randomBytes(32).toString('base64url')}`;
}

export function hashOf(secret: string): string {
  return hash('sha256', secret, 'hex');
}

/** The part of the hash that is looked up in the database; the whole is then compared in constant time. */
export const hintOf = (hash: string): string => hash.slice(0, 16);

export function sameHash(a: string, b: string): boolean {
  return timingSafeEqual(Buffer.from(a, 'hex'), Buffer.from(b, 'hex'));
}

/** The prefix that lists show: enough to tell keys apart, too little to guess one. */
export const prefixOf = (secret: string): string => secret.slice(0, Math.min(8, Math.floor(secret.length / 3)));
