// Limits of generation: the routes check requests against them, and so do the messages between server and engine.
// engine/lorekeep/contract.py is made from here.
import { z } from 'zod';
import { optional } from './common.ts';

export const generationLimits = {
  /** Tokens of an answer. */
  max_tokens: 1_000_000,
  temperature: 100,
  repetition_penalty: 100,
  no_repeat_ngram_size: 1000,
  /** Strings that end an answer. */
  stop: 64,
  /** Maximum number of alternatives of each token (top_logprobs). */
  logprobs: 20,
  /** The largest whole number that both languages hold exactly. */
  seed: Number.MAX_SAFE_INTEGER,
} as const;

/** Tokens of an answer, at most. */
export const maxTokens = optional(z.int().min(1).max(generationLimits.max_tokens));
