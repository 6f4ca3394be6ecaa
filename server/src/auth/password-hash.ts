// Password hashing with scrypt (memory-hard). Each hash has its own salt and is stored with its costs, so that costs can be
// raised later.
import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { Refusal } from '@lorekeep/contract';

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);

/**
 * 64 MiB and two passes, one of the scrypt settings that OWASP's Password Storage Cheat Sheet recommends. Only tests lower
 * them, each in its own process.
 */
export const passwordCosts = { N: 2 ** 16, r: 8, p: 2 };
const hashBytes = 32;

/** Hashes run one at a time, since each takes 64 MiB. Requests beyond this queue length are refused. */
const maxWaiting = 20;
let waiting = 0;
let last: Promise<unknown> = Promise.resolve();

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (waiting >= maxWaiting) throw new Refusal('busy', { state: 'busy with others who sign in' });
  waiting++;
  const turn = last.then(work);
  last = turn.catch(() => {});
  try {
    return await turn;
  } finally {
    waiting--;
  }
}

async function hashWith(password: string, salt: Buffer, { N, r, p }: typeof passwordCosts): Promise<Buffer> {
  return await inTurn(
    async () => await derive(password.normalize('NFKC'), salt, hashBytes, { N, r, p, maxmem: 256 * N * r }),
  );
}

export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const hash = await hashWith(password, salt, passwordCosts);
  const { N, r, p } = passwordCosts;
  return ['scrypt', N, r, p, salt.toString('base64url'), hash.toString('base64url')].join('$');
}

/** Verifies a password. Without a stored hash it fails after the same time, so that timing does not reveal which accounts exist. */
export async function isPassword(password: string, stored: string | undefined): Promise<boolean> {
  const [, N, r, p, salt = '', hash = ''] = stored?.split('$') ?? ['', ...Object.values(passwordCosts).map(String)];
  const expected = Buffer.from(hash, 'base64url');
  const found = await hashWith(password, Buffer.from(salt, 'base64url'), { N: Number(N), r: Number(r), p: Number(p) });
  return expected.length === hashBytes && timingSafeEqual(found, expected);
}
