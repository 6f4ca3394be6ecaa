// Calls of the server itself to a base on behalf of an account: whether the base reads prose, and its answer to a request.
import { Refusal } from '@lorekeep/contract';
import type { Generation } from '../engine/protocol.ts';
import { defaultTimeoutMs, type ModelClient, type ModelRequest } from './model-client.ts';
import { passesByItself } from './transient.ts';

export const askedBase = (modelClient: ModelClient) => ({
  /** False if the base is not installed. */
  readsProse: async (model: string, accountId: number): Promise<boolean> => {
    const { signal } = new AbortController();
    return await modelClient.readsProse(model, { accountId, keyId: 0, signal }).catch((error) => {
      if (error instanceof Refusal) return false;
      throw error;
    });
  },

  /** Throws a refusal that passes, so that the caller asks again later. After any other one there is no answer. */
  ask: async (
    { model, accountId, keyId }: { model: string; accountId: number; keyId: number },
    request: ModelRequest<Generation>,
    signal: AbortSignal,
  ): Promise<string> => {
    try {
      const callContext = { accountId, keyId, signal, queue: 'later' as const, timeoutMs: defaultTimeoutMs };
      return (await modelClient.answer(model, request, callContext)).text;
    } catch (error) {
      if (error instanceof Refusal && !passesByItself(error)) return '';
      throw error;
    }
  },
});
