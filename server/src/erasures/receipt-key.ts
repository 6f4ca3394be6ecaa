// Key pair of the installation for signing receipts. It is stored in the home and created on first use.
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';
import { link, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Receipt, ReceiptBody } from '@lorekeep/contract';
import { canonical } from '../audit/chain.ts';
import { syncFolder } from '../files/durable.ts';

const keyFile = 'receipt-key.pem';

export class ReceiptKey {
  readonly #home: string;
  #key: Promise<KeyObject> | undefined;

  constructor(home: string) {
    this.#home = home;
  }

  async #private(): Promise<KeyObject> {
    this.#key ??= readOrCreateKey(this.#home);
    return await this.#key.catch((error) => {
      this.#key = undefined;
      throw error;
    });
  }

  async public(): Promise<{ public_key: string; fingerprint: string }> {
    const key = createPublicKey(await this.#private());
    return { public_key: key.export({ type: 'spki', format: 'pem' }) as string, fingerprint: fingerprintOf(key) };
  }

  async sign(receipt: ReceiptBody): Promise<Receipt> {
    const key = await this.#private();
    const signature = sign(null, Buffer.from(canonical(receipt)), key).toString('base64');
    return { receipt, signature, fingerprint: fingerprintOf(createPublicKey(key)) };
  }

  async isOurs({ receipt, signature, fingerprint }: Receipt): Promise<boolean> {
    const key = createPublicKey(await this.#private());
    const bytes = Buffer.from(canonical(receipt));
    return fingerprint === fingerprintOf(key) && verify(null, bytes, key, Buffer.from(signature, 'base64'));
  }
}

const fingerprintOf = (key: KeyObject): string =>
  createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('hex');

/** Servers that share the home agree on one key: each writes a complete file, and only one of them can link it to the final name. */
async function readOrCreateKey(home: string): Promise<KeyObject> {
  const path = join(home, keyFile);
  const there = await readFile(path, 'utf8').catch(() => undefined);
  if (there !== undefined) return createPrivateKey(there);
  const { privateKey } = generateKeyPairSync('ed25519');
  const draft = `${path}.${crypto.randomUUID()}`;
  const written = await open(draft, 'wx', 0o600);
  try {
    await written.writeFile(privateKey.export({ type: 'pkcs8', format: 'pem' }));
    await written.sync();
  } finally {
    await written.close();
  }
  await link(draft, path).catch((error) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await rm(draft);
  await syncFolder(home);
  return createPrivateKey(await readFile(path, 'utf8'));
}
