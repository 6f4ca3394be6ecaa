// Messages for failures of the storage: for the operator the cause, the wrong value and the remedy; for callers a short reason without
// address and bucket.
import { Refusal } from '@lorekeep/contract';

const reasons = {
  away: 'it does not answer',
  busy: 'it is busy',
  keys: 'it refuses the keys of this server',
  bucket: 'its bucket does not exist',
  region: 'it is asked in the wrong region',
  clock: 'the clock of this server is wrong',
  full: 'it is full',
  unfit: 'it lacks a required feature',
  failed: 'it answered with an error',
};

export type Kind = keyof typeof reasons;

export class StorageProblem extends Error {
  readonly kind: Kind;

  constructor(kind: Kind, message: string, cause?: unknown) {
    super(message, { cause });
    this.kind = kind;
  }
}

export const unavailable = (problem: StorageProblem): Refusal =>
  new Refusal(
    'storage_unavailable',
    { reason: reasons[problem.kind] },
    { cause: problem, headers: { 'Retry-After': '5' } },
  ) as Refusal;

/** An error answer of the storage. */
export class AnswerError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(`${status} ${code}${message && `: ${message}`}`);
    this.status = status;
    this.code = code;
  }
}

export interface Asked {
  /** Address of the storage for messages, without secrets. */
  endpoint: string;
  bucket: string;
  region: string;
  /** Source of the keys, for messages. */
  keys: string;
}

const busyCodes = [
  ...['SlowDown', 'ServiceUnavailable', 'RequestTimeout', 'InternalError', 'OperationAborted'],
  // Another request for the same object was in flight.
  'ConditionalRequestConflict',
];
/** Refusals of keys that S3 answers with 400. */
const keyCodes = ['ExpiredToken', 'InvalidToken', 'TokenRefreshRequired'];

/** Whether a failure is transient, so that a retry may succeed. */
export function isTransientError(error: unknown): boolean {
  if (!(error instanceof AnswerError)) return !(error instanceof StorageProblem);
  return [408, 429, 500, 502, 503, 504].includes(error.status) || busyCodes.includes(error.code);
}

/** Whether the keys were refused, so that other keys may succeed. An answer to HEAD has no code. */
export const isCredentialError = (error: unknown): boolean =>
  error instanceof AnswerError &&
  ([401, 403].includes(error.status) || keyCodes.includes(error.code) || (error.status === 400 && error.code === ''));

export function problemOf(error: unknown, { endpoint, bucket, region, keys }: Asked): StorageProblem {
  if (error instanceof StorageProblem) return error;
  if (!(error instanceof AnswerError)) {
    const { cause = error } = error as { cause?: unknown };
    const { code, message, name } = cause as NodeJS.ErrnoException;
    const why = name === 'TimeoutError' ? 'no answer in time' : (code ?? message);
    return new StorageProblem(
      'away',
      `LOREKEEP_STORAGE_ENDPOINT: ${endpoint} does not answer (${why}). Does the storage run, and is the address right?`,
      error,
    );
  }
  const { status, code } = error;
  const saying = `${endpoint} says ${error.message.slice(0, 300)}`;
  if (code === 'NoSuchBucket')
    return new StorageProblem(
      'bucket',
      `LOREKEEP_STORAGE: there is no bucket "${bucket}" at ${endpoint}. Create it, or name another one.`,
      error,
    );
  if (code === 'RequestTimeTooSkewed')
    return new StorageProblem('clock', `The clock of this machine is wrong: ${saying}. Set it.`, error);
  if (
    ['AuthorizationHeaderMalformed', 'PermanentRedirect', 'IllegalLocationConstraintException'].includes(code) ||
    status === 301
  )
    return new StorageProblem(
      'region',
      `LOREKEEP_STORAGE_REGION is "${region}", which is not that of the bucket "${bucket}": ${saying}.`,
      error,
    );
  if (isCredentialError(error))
    return new StorageProblem(
      'keys',
      `The keys from ${keys} may not do this in the bucket "${bucket}": ${saying}. Are they right, and do they allow to list, read, write and delete?`,
      error,
    );
  if (status === 507 || /Quota|StorageFull|InsufficientStorage/i.test(code))
    return new StorageProblem('full', `The storage is full: ${saying}.`, error);
  return new StorageProblem(isTransientError(error) ? 'busy' : 'failed', `${saying}.`, error);
}
