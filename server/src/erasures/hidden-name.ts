// The name that a failed erasure was about, as a hash. Its facts hold the name, so that a retry finds it in them again.
import { createHash, randomBytes } from 'node:crypto';
import { type ErasedFact, normal } from './erased-text.ts';

export interface HiddenName {
  salt: string;
  hash: string;
  length: number;
}

const hashOf = (salt: string, name: string) =>
  createHash('sha256')
    .update(salt + name)
    .digest('hex');

export function hiddenName(facts: ErasedFact[]): HiddenName | undefined {
  const about = facts.find((fact) => fact.about !== undefined)?.about;
  if (about === undefined) return undefined;
  const salt = randomBytes(32).toString('hex');
  const name = normal(about);
  return { salt, hash: hashOf(salt, name), length: name.length };
}

/** The name in its normal form; undefined if no fact holds it any more. */
export function foundName(facts: ErasedFact[], { salt, hash, length }: HiddenName): string | undefined {
  for (const { input, output, subject } of facts)
    for (const text of [input, output, subject ?? ''].map(normal))
      for (let at = 0; at + length <= text.length; at++) {
        const name = text.slice(at, at + length);
        if (hashOf(salt, name) === hash) return name;
      }
  return undefined;
}
