// CSV parser compared with Python's, on unusual and random texts, in chunks of every size.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { CsvProblem, csvRecords } from './csv-records.ts';

async function* pieces(text: string, size: number) {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
}

async function recordsOf(text: string, { size = text.length + 1, delimiter = ',', maxLength = 1000 } = {}) {
  const found = [];
  for await (const some of csvRecords(pieces(text, size), { delimiter, maxLength })) found.push(...some);
  return found;
}

/** Rows as Python reads each text, without empty rows like its DictReader. */
function pythonReads(texts: string[]): string[][][] {
  const program = `
import csv, io, json, sys
for text in json.load(sys.stdin):
    print(json.dumps([row for row in csv.reader(io.StringIO(text, newline='')) if row]))`;
  const { stdout, stderr, status } = spawnSync('python3', ['-c', program], {
    input: JSON.stringify(texts),
    encoding: 'utf8',
  });
  assert.equal(status, 0, stderr);
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

const byHand = [
  'a,b\n1,2\r\n3,4\r5,6',
  'a,b\r\n1,2\n3,4\r\n',
  '\n\r\n\ra,b\n\n\n1,2\n',
  'a,"b\nc"\r\n"d\r\ne","f\rg"\n',
  'a,"say ""hello"""\n"""",""\n',
  'a"b,c"d"\nx, "y"\n',
  '"a"b,"c" ,"d"e"f"\n',
  'a,\n,b\n,\n',
  '""\n"",""\n',
  'a\r\r\nb\n\rc',
  ' a , b \n\t,x\n',
  'nul\0here,"and\0here"\n',
  'é,日本語,😀\n"😀""",\u2028,\u0085\n',
  'a;b\tc|d\n',
  "it's,'quoted, by one'\n",
  'last',
  'last,',
  'last\r',
];

/** Random texts of the special characters, without unclosed quotes, which have their own test. */
function byChance(count: number): string[] {
  let seed = 1;
  const next = (below: number) => {
    seed = (seed * 48271) % 2147483647;
    return seed % below;
  };
  const signs = ['a', 'b', ',', ',', '"', '"', '\n', '\r', '\r\n', ' ', 'é', '\0'];
  return Array.from({ length: count }, () =>
    Array.from({ length: 1 + next(30) }, () => signs[next(signs.length)]).join(''),
  );
}

describe('records of CSV', () => {
  it("equal Python's, however the text is chunked", async () => {
    const texts = [...byHand, ...byChance(4000)];
    const expected = pythonReads(texts);
    let compared = 0;
    for (const [at, text] of texts.entries()) {
      for (const size of [1, 2, 3, 7, text.length + 1]) {
        let found: string[][];
        try {
          found = (await recordsOf(text, { size })).map(({ cells }) => cells);
        } catch (error) {
          assert.ok(error instanceof CsvProblem && error.code === 'quote', String(error));
          assert.ok(text.includes('"') && at >= byHand.length, JSON.stringify(text));
          continue;
        }
        assert.deepEqual(found, expected[at], `${JSON.stringify(text)} in pieces of ${size}`);
        compared++;
      }
    }
    assert.ok(compared > texts.length * 2);
  });

  it('have their first line number', async () => {
    for (const size of [1, 2, 5, 100]) {
      const found = await recordsOf('a\r\n\n"b\r\nc\nd\re"\rf\n\r\ng', { size });
      assert.deepEqual(
        found.map(({ line }) => line),
        [1, 3, 7, 9],
      );
    }
  });

  it('fail at an unclosed quote and at a maximum length', async () => {
    await assert.rejects(recordsOf('a,b\nc,"d\ne\nf'), { code: 'quote', line: 2 });
    await assert.rejects(recordsOf(`a\n"${'x'.repeat(1001)}`), { code: 'length', line: 2 });
    await assert.rejects(recordsOf(`a\n${','.repeat(2000)}`), { code: 'length', line: 2 });
  });

  it('support other separators', async () => {
    for (const delimiter of [';', '\t', '|'])
      assert.deepEqual((await recordsOf(`a${delimiter}"b${delimiter}c"\n`, { delimiter }))[0]!.cells, [
        'a',
        `b${delimiter}c`,
      ]);
  });
});
