// Calls of the server itself to a base on behalf of an account: whether the base reads prose, and its answer to a request.
import { Refusal } from '@lorekeep/contract';
import type { Generation } from '../engine/protocol.ts';
import { defaultTimeoutMs, type ModelClient, type ModelRequest } from './model-client.ts';

/** Refusals that are retried. After any other refusal there is no answer. */
const retriedCodes = ['engine_unavailable', 'overloaded', 'model_loading'];

export const askedBase = (modelClient: ModelClient) => ({
  /** False if the base is not installed. */
  readsProse: async (model: string, accountId: number): Promise<boolean> => {
    const { signal } = new AbortController();
    return await modelClient.readsProse(model, { accountId, keyId: 0, signal }).catch((error) => {
      if (error instanceof Refusal) return false;
      throw error;
    });
  },

  ask: async (
    { model, accountId, keyId }: { model: string; accountId: number; keyId: number },
    request: ModelRequest<Generation>,
    signal: AbortSignal,
  ): Promise<string> => {
    try {
      const callContext = { accountId, keyId, signal, queue: 'later' as const, timeoutMs: defaultTimeoutMs };
      return (await modelClient.answer(model, request, callContext)).text;
    } catch (error) {
      if (error instanceof Refusal && !retriedCodes.includes(error.code)) return '';
      throw error;
    }
  },
});
