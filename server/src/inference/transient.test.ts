// Refusals that are retried: by all codes of the contract, so that a new one is decided here.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type ErrorCode, errors, Refusal } from '@lorekeep/contract';
import { askedBase } from './asked-base.ts';
import type { ModelClient } from './model-client.ts';
import { isTransient, passesByItself } from './transient.ts';

const codes = Object.keys(errors) as ErrorCode[];
const passing = [
  'model_loading',
  'model_downloading',
  'engine_unavailable',
  'overloaded',
  'storage_unavailable',
  'busy',
];

it('refusals are retried a number of times if their reason may pass, and waited for if it does', () => {
  const having = (is: (refusal: { code: ErrorCode; status: number }) => boolean) =>
    codes.filter((code) => is({ code, status: errors[code].status })).sort();
  assert.deepEqual(having(passesByItself), passing.toSorted());
  assert.deepEqual(having(isTransient), [...passing, 'out_of_memory', 'upstream_unavailable'].sort());
});

it('a base that is asked in the background has no answer only after a refusal that may stay', async () => {
  const said = async (refusal: Refusal) => {
    const client = { answer: async () => await Promise.reject(refusal) } as unknown as ModelClient;
    const asked = { model: 'm', accountId: 1, keyId: 1 };
    return await askedBase(client)
      .ask(asked, {} as never, new AbortController().signal)
      .catch(() => 'waits');
  };
  for (const code of codes) {
    const refusal = new Refusal(code, {} as never) as Refusal;
    assert.equal(await said(refusal), passing.includes(code) ? 'waits' : '', code);
  }
});
