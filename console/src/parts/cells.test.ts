import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { columnsOf, hasOurColumns, likelyColumns, pastedRows, records } from './cells.ts';

const table = '<meta><table><tr><td>a</td></tr></table>';

describe('pasted text', () => {
  it('from a spreadsheet becomes rows, including multi-line and quoted cells', () => {
    const text = 'Who runs it?\tAda\r\n"Print\n""a"""\t"one\ttwo"\r\n';
    assert.deepEqual(pastedRows(text, table), [
      ['Who runs it?', 'Ada'],
      ['Print\n"a"', 'one\ttwo'],
    ]);
    assert.deepEqual(pastedRows('Who?\tAda\nWhen?\tnow', ''), [
      ['Who?', 'Ada'],
      ['When?', 'now'],
    ]);
    assert.deepEqual(pastedRows('one\ntwo\n', table), [['one'], ['two']]);
  });

  it('is stripped of a header and of empty rows', () => {
    assert.deepEqual(pastedRows('Question\tAnswer\nWho?\tAda\n\t\n', table), [['Who?', 'Ada']]);
  });

  it('from a text stays one text, even with lines and tabs', () => {
    for (const text of ['def a():\n\treturn 1\n', 'one line', 'two\nlines', 'a\tb\nc', '\tx\ty\n\tz\tw'])
      assert.equal(pastedRows(text, ''), undefined, text);
    assert.equal(pastedRows('one cell', table), undefined);
  });
});

describe('the columns of a file', () => {
  const of = async (text: string) => await columnsOf(new Blob([text]));

  it('are detected from its first lines, for every format', async () => {
    assert.deepEqual(await of('\ufeffNo, Question ,"The; answer"\n1,2,3\n'), ['No', 'Question', 'The; answer']);
    assert.deepEqual(await of('a;b;c\n1;2;3'), ['a', 'b', 'c']);
    assert.deepEqual(await of('{"q": "a {", "r": {"x": 1}}\n{"q": "b", "s": 2}\n{"q'), ['q', 'r', 's']);
    assert.deepEqual(await of(' [{"q": "\\"}", "r": 1}, '), ['q', 'r']);
    for (const text of ['PAR1abc', 'a\0b', '[1, 2]', '{broken}\n']) assert.equal(await of(text), undefined, text);
    assert.deepEqual(await of(''), undefined);
  });

  it('are guessed by name, else by order', () => {
    assert.deepEqual(likelyColumns(['No', 'The answer', 'My question']), {
      input: 'My question',
      output: 'The answer',
    });
    assert.deepEqual(likelyColumns(['x', 'y', 'z']), { input: 'x', output: 'y' });
    assert.ok(hasOurColumns(['Output', 'more', 'INPUT']) && !hasOurColumns(['input']));
  });

  it('are unknown if a quote is never closed', () => {
    assert.deepEqual(records('"a,b\nc', ','), [['a,b\nc']]);
  });
});
