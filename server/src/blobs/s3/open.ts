// Opens the object storage of the settings, and checks it before a server starts: the bucket exists, the keys may write, conditional
// writes work, and no other installation has data there.
import { join } from 'node:path';
import { Refusal } from '@lorekeep/contract';
import type { Storage, StorageSettings } from '../storage.ts';
import { Bucket } from './bucket.ts';
import { Credentials } from './credentials.ts';
import { S3Folders } from './folders.ts';
import type { HttpOptions } from './http.ts';
import { AnswerError, StorageProblem } from './problem.ts';
import { S3Blobs } from './s3-blobs.ts';
import { S3Tables } from './tables.ts';

const mark = 'installation.json';

export function openS3(settings: StorageSettings): Storage {
  const { home, storage, storage_endpoint, storage_region: region, storage_addressing: addressing } = settings;
  const [, bucketName = '', path = ''] = /^s3:\/\/([^/]+)\/?(.*?)\/?$/.exec(storage) ?? [];
  const prefix = path === '' ? '' : `${path}/`;
  const closing = new AbortController();
  const options: HttpOptions = {
    closing: closing.signal,
    ...{ bucket: bucketName, region },
    endpoint: new URL(storage_endpoint || `https://s3.${region}.amazonaws.com`),
    pathStyle: addressing === 'path' || (addressing === 'auto' && storage_endpoint !== ''),
    credentials: new Credentials(settings.storage_credentials),
  };
  const bucket = new Bucket(options, prefix);
  return {
    blobs: new S3Blobs(bucket, join(home, 'scratch/storage')),
    tables: new S3Tables(bucket, prefix, options),
    beyond: { tuned: new S3Folders(bucket, 'tuned', 'tuned model'), jobs: new S3Folders(bucket, 'jobs', 'job') },
    claim: async (installation) => await forOperator(claim(bucket, storage, installation)),
    close: () => closing.abort(new DOMException('the server stops', 'AbortError')),
    check: async () => void (await forOperator(Array.fromAsync(bucket.list(mark)))),
  };
}

/** Throws the detailed StorageProblem, for the operator, instead of the refusal for callers. */
async function forOperator<Result>(work: Promise<Result>): Promise<Result> {
  return await work.catch((error) => {
    throw error instanceof Refusal && error.cause instanceof StorageProblem ? error.cause : error;
  });
}

async function claim(bucket: Bucket, storage: string, installation: string): Promise<string[]> {
  const own = Buffer.from(JSON.stringify({ installation }));
  const isWritten = async () =>
    await bucket.putNew(mark, own).catch((error) => {
      throw error instanceof AnswerError ? unfitStorage(bucket, `it answered ${error.message}`) : error;
    });
  if ((await isWritten()) && (await isWritten())) throw unfitStorage(bucket, 'it overwrote an existing object');
  if (installationIn(await bucket.text(mark)) !== installation)
    throw new StorageProblem(
      'unfit',
      `LOREKEEP_STORAGE is "${storage}", which belongs to an installation with another database: each would remove the objects of the other. Use another prefix, or set LOREKEEP_DATABASE_URL to the database of that installation. If that installation no longer exists, remove the object ${mark} there.`,
    );
  return (await bucket.keepsVersions())
    ? [
        `the bucket ${bucket.asked.bucket} keeps earlier versions of objects: deleted and erased data stays in them until a rule of the bucket removes it`,
      ]
    : [];
}

/** The storage does not honour conditional writes. */
const unfitStorage = (bucket: Bucket, did: string): StorageProblem =>
  new StorageProblem(
    'unfit',
    `LOREKEEP_STORAGE_ENDPOINT: ${bucket.asked.endpoint} does not support conditional writes (If-None-Match): ${did}. Two servers could damage an index. Use a storage that supports them.`,
  );

/** The installation in the mark; undefined if another program wrote it. */
function installationIn(text: string): unknown {
  try {
    return (JSON.parse(text) as { installation?: unknown } | null)?.installation;
  } catch {
    return undefined;
  }
}
