// The base of a memory, asked about documents.
import { Refusal } from '@lorekeep/contract';
import type { ModelClient } from '../../inference/model-client.ts';
import type { ReadsProse } from './readings.ts';
import type { AskModel } from './worker.ts';

export const readingProse =
  (modelClient: ModelClient): ReadsProse =>
  async ({ base_model, account_id }) => {
    const { signal } = new AbortController();
    return await modelClient.readsProse(base_model, { accountId: account_id, keyId: 0, signal }).catch((error) => {
      // A base that is not here is not asked.
      if (error instanceof Refusal) return false;
      throw error;
    });
  };

/** Refusals after which the same is asked again; after any other one the base states nothing of the passage. */
const passing = ['engine_unavailable', 'overloaded', 'model_loading'];

export const askingBase =
  (modelClient: ModelClient): AskModel =>
  async ({ model, accountId, keyId }, request, signal) => {
    try {
      return (await modelClient.answer(model, request, { accountId, keyId, signal, queue: 'later' })).text;
    } catch (error) {
      if (error instanceof Refusal && !passing.includes(error.code)) return '';
      throw error;
    }
  };
