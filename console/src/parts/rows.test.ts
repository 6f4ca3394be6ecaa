import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { duplicates, problemsOf, questionOf } from './rows.ts';

const row = (input: string, output: string) => ({ input, output });

describe('rows', () => {
  it('have equal questions if they differ only in white space and Unicode form, as in the engine', () => {
    const same = [row('Who runs  Café\tZor?', 'Ada'), row(' Who runs Cafe\u0301 Zor? ', 'Ben')];
    assert.equal(questionOf(same[0]!), questionOf(same[1]!));
    assert.notEqual(questionOf(same[0]!), questionOf(row('who runs Café Zor?', 'Cleo')));
    assert.deepEqual(duplicates(same), []);
    assert.deepEqual([...problemsOf(same)], [[1, 'Row 1 gives another answer to the same question.']]);
  });

  it('are duplicates if their answers are equal too', () => {
    const rows = [row('Who?', 'Ada'), row('When?', 'now'), row('Who?', ' Ada ')];
    assert.deepEqual(duplicates(rows), [rows[0], rows[2]]);
    assert.equal(problemsOf(rows).size, 0);
  });

  it('are reported by their visible number, even after empty rows', () => {
    const rows = [row('', ''), row('Who?', 'Ada'), row('', ' '), row('Who?', 'Ben'), row('When?', ''), row('', 'now')];
    assert.deepEqual(
      [...problemsOf(rows)],
      [
        [3, 'Row 2 gives another answer to the same question.'],
        [4, 'The answer is missing.'],
        [5, 'The question is missing.'],
      ],
    );
  });
});
