// Every error of the server, as the command line prints it: with its own commands, and without calls, headers or paths of a request.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { InvalidRequestError } from '@lorekeep/client';
import { errors } from '../../../contract/src/errors.ts';
import { findCommand, hostWords } from '../commands.ts';
import { inCommands } from './in-commands.ts';

/** Commands of the host are no commands of this program. */
const isHost = (words: string) => hostWords.includes(words.split(' ')[0]!);

describe('errors of the server on the command line', () => {
  it('name commands that exist, and no calls', () => {
    for (const [code, { sentence, hint }] of Object.entries(errors)) {
      const detail = `${sentence} ${hint}`.replace(/\{\w+\}/g, '7');
      const said = inCommands(new InvalidRequestError({ code, detail, status: 400 }), './lorekeep');
      // The refusal of an unknown call is about the call.
      if (code === 'route_not_found' || code === 'path_mistaken') continue;
      assert.doesNotMatch(said, /\b(GET|POST|PATCH|PUT|DELETE) |\/v1|header "/, `${code}: ${said}`);
      assert.notEqual(said, '');
      for (const [, words] of said.matchAll(/\.\/lorekeep ([a-z]+(?: [a-z]+)?)/g))
        assert.ok(isHost(words!) || findCommand(words!.split(' ')), `${code}: ${words}`);
    }
  });

  it('are left as they are where they quote a text of the user, or come from the command line', () => {
    const own = new InvalidRequestError({
      code: 'contradiction',
      detail: 'row 1: GET /v1/keys\n  Ada.\nNothing was changed.',
    });
    assert.equal(inCommands(own, 'lorekeep'), own.detail);
    const mistakes = [{ loc: ['body', 'data', 1], msg: 'Row 2 answers "GET /v1/keys" with "from".', type: 'conflict' }];
    const refused = new InvalidRequestError({ code: 'facts_conflict', detail: '', status: 422, mistakes });
    assert.equal(inCommands(refused, 'lorekeep'), mistakes[0]!.msg);
  });
});
