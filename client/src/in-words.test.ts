// Errors in words: no path of a request and no call is left in them.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { errorInWords, InvalidRequestError, mistakeInWords, withoutCalls } from './index.ts';

const mistake = (loc: (string | number)[], msg = 'is missing', type = 'invalid_type') => ({ loc, msg, type });

describe('an error in words', () => {
  it('names the place of a mistake without the path of the request', () => {
    for (const [loc, expected] of [
      [['body', 'facts', 0, 'input'], 'fact 1, question: is missing'],
      [['body', 'add', 2, 'valid_until'], 'fact 3, valid until: is missing'],
      [['body', 'custom_model_name'], 'name: is missing'],
      [['body', 'finetune_args', 'max_steps'], 'max_steps: is missing'],
      [['query', 'limit'], 'limit: is missing'],
      [['body'], 'is missing'],
    ] as const)
      assert.equal(mistakeInWords(mistake([...loc])), expected);
    const row = mistake(['body', 'file', 1, 'input'], 'row 2 (line 3): input is empty', 'row_field');
    assert.equal(mistakeInWords(row), row.msg);
    const mistakes = [mistake(['body', 'facts', 0, 'input']), row];
    const error = new InvalidRequestError({ code: 'validation', detail: 'body.facts.0.input: is missing', mistakes });
    assert.equal(errorInWords(error), 'fact 1, question: is missing; row 2 (line 3): input is empty');
    assert.equal(errorInWords(new Error('It is gone.')), 'It is gone.');
  });

  it('has no sentence about a call, unless the program has other words for it', () => {
    const message = 'There is no key 7 in this account. GET /v1/keys lists them.';
    assert.equal(withoutCalls(message), 'There is no key 7 in this account.');
    const command = (method: string, path: string) =>
      `${method} ${path}` === 'GET /v1/keys' ? 'keys list' : undefined;
    assert.equal(withoutCalls(message, command), 'There is no key 7 in this account. keys list lists them.');
    assert.equal(withoutCalls('The model "a_b" is gone. Send "data" with rows.'), 'The model "a_b" is gone.');
    assert.equal(withoutCalls('There was no answer to GET /v1/none.'), '');
  });
});
