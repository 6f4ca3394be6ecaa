// The refusals after which the same call may succeed later: the one definition for everything that retries or waits.
import type { ErrorCode, Refusal } from '@lorekeep/contract';

/** For a bounded number of retries: the engine is unavailable, full, short of memory or loading the model. */
export const isTransient = ({ status }: Pick<Refusal, 'status'>): boolean => status === 503 || status === 513;

/** Memory may never suffice for a request, and an upstream engine may be gone. */
const mayStay: readonly ErrorCode[] = ['out_of_memory', 'upstream_unavailable'];

/** For waits without a limit, which a reason that may stay would block for ever. */
export const passesByItself = (refusal: Pick<Refusal, 'status' | 'code'>): boolean =>
  isTransient(refusal) && !mayStay.includes(refusal.code);
