// The body and the refusals that moving a memory and moving a tuned model to another base share.
import { z } from 'zod';
import { optional } from './common.ts';
import type { ErrorCode } from './errors.ts';

export const movedTo = optional(z.string().min(1).max(200)).describe(
  'The base to move to: the same model in another precision, under this name. Without it, the base of the model, which was brought again in another precision.',
);

/** Nothing is queued that one of these is the answer to. */
export const moveErrors = [
  ...(['base_same', 'base_misfit', 'base_is_tuned', 'upstream_only', 'model_of_other_kind', 'out_of_memory'] as const),
  ...(['model_not_found', 'model_downloading', 'model_download_failed', 'engine_unavailable'] as const),
] satisfies ErrorCode[];
