// The same rows are read however a body is split into chunks, and they equal the result of JSON.parse.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Refusal } from '@lorekeep/contract';
import { JsonRows } from './json-rows.ts';
import { type FoundRow, maxRowLength } from './row.ts';

interface Read {
  rows: FoundRow[];
  fields: Record<string, unknown>;
}

function read(chunks: Buffer[]): Read | { refused: string } {
  const reader = new JsonRows();
  try {
    const rows = chunks.flatMap((chunk) => reader.feed(chunk));
    reader.finish();
    return { rows, fields: reader.fields };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { refused: error.message };
  }
}

const readText = (text: string) => read([Buffer.from(text)]);
const problems = (text: string) => (readText(text) as Read).rows.map(({ problem }) => problem);

/** A seeded generator of numbers below a bound, the same in every run. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function cutAnywhere(bytes: Buffer, next: (below: number) => number): Buffer[] {
  const chunks: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = at + next(9);
    chunks.push(bytes.subarray(at, end));
    at = end;
  }
  return chunks;
}

const whole = [
  '{"upload_base_path":"local","data":[{"input":"a","output":"b"},{"input":"c","output":"d"}],"is_public":true}',
  '\ufeff { "data" : [ { "input" : "a]},{[" , "output" : "\\"\\\\" } ] , "name" : "x" } \r\n',
  '[{"input":"Zoë 🙂 \\ud83d\\ude42","output":"\\u0000 \\n \u2028"},\t{"input":1.10,"output":123456789012345678901234567890}]',
  '{"d\\u0061ta":[{"input":"x","output":{"deep":[[1,{"a":"]"}]]}}, 7, "text", null, [1, 2]],"a\\"b":{"c":[1,"}"]}}',
  '{"data":[],"name":null}',
  '{}',
  '[]',
  '{"data":null}',
  '{"name":"é","data":[{"input":"a","output":"b","input":"c"},{"input":"a","output":NaN},{"input":"a" "output":1}]}',
];
const broken = [
  '',
  ' \n',
  '"text"',
  '7',
  '{',
  '{"data":[{"input":"a","output":"b"}',
  '{"data":[{"input":"a","output":"b"},]}',
  '{"data":[,]}',
  '{"data":[{"input":"a"}}',
  '{"data":{"input":"a"}}',
  '{"data":"text"}',
  '{"data":[] "name":"x"}',
  '{"data":[],"data":[]}',
  '{"data":[]}x',
  '{"name":,"data":[]}',
  '{"name" "x"}',
  '{name:"x"}',
  '{"name":"x",}',
  '{"a":1]',
  '[{"input":"a"}]]',
];

describe('rows of a JSON body', () => {
  for (const text of [...whole, ...broken]) {
    it(`are the same however it is split: ${JSON.stringify(text).slice(0, 70)}`, () => {
      const bytes = Buffer.from(text);
      const expected = read([bytes]);
      for (let cut = 0; cut <= bytes.length; cut++)
        assert.deepEqual(read([bytes.subarray(0, cut), bytes.subarray(cut)]), expected, `cut at ${cut}`);
      assert.deepEqual(read([...bytes].map((byte) => Buffer.from([byte]))), expected, 'byte by byte');
      const next = numbers(1);
      for (let round = 0; round < 20; round++) assert.deepEqual(read(cutAnywhere(bytes, next)), expected);
    });
  }

  it('are refused as a whole if the body is malformed', () => {
    for (const text of broken) assert.ok('refused' in readText(text), text);
    for (const text of whole) assert.ok('rows' in readText(text), text);
  });

  it('equal the result of JSON.parse in random documents', () => {
    const next = numbers(2026);
    for (let round = 0; round < 500; round++) {
      const rows = Array.from({ length: next(4) }, () => randomRow(next));
      const document = next(2) === 0 ? rows : shuffled({ data: rows, name: 'x', is_public: next(2) === 0 }, next);
      const text = JSON.stringify(document, null, next(3));
      const found = read(cutAnywhere(Buffer.from(text), next)) as Read;
      assert.deepEqual(
        found.rows.map(({ value }) => value),
        rows,
        text,
      );
      assert.deepEqual(
        found.rows.map(({ number }) => number),
        rows.map((_, index) => index + 1),
      );
      if (!Array.isArray(document)) assert.deepEqual({ ...found.fields, data: rows }, document);
    }
  });

  it('report each error by row', () => {
    assert.deepEqual(problems('[{"input":"a","output":"b","input":"c"}]'), ['names the same field twice']);
    assert.match(problems('[{"input":"a","output":NaN}]')[0]!, /^is not valid JSON: Unexpected token/);
    assert.match(problems(`[${'['.repeat(33)}${']'.repeat(33)}]`)[0]!, /nested more than 32 levels/);
    const [notText] = (read([Buffer.from('["'), Buffer.from([0xff]), Buffer.from('"]')]) as Read).rows;
    assert.equal(notText?.problem, 'is not UTF-8 text');
  });

  it('keep the text of numbers in input and output, and only there', () => {
    const { rows } = readText('[{"input":1.10,"n":1.10,"output":1e400,"more":{"input":-0}}]') as Read;
    assert.deepEqual(rows[0]?.value, { input: '1.10', n: 1.1, output: '1e400', more: { input: -0 } });
  });

  it('end at the first row over the length limit', () => {
    const long = `[{"input":"a","output":"b"},{"input":"${'x'.repeat(maxRowLength)}","output":"b"},{}]`;
    for (const size of [long.length, 65_536, 1000]) {
      const chunks: Buffer[] = [];
      for (let at = 0; at < long.length; at += size) chunks.push(Buffer.from(long.slice(at, at + size)));
      const { rows } = read(chunks) as Read;
      assert.equal(rows.length, 2);
      assert.equal(rows[1]?.problem, 'is longer than 1048576 bytes');
    }
  });

  it('are refused if other fields are too long or too many', () => {
    const field = readText(`{"name":"${'x'.repeat(70_000)}","data":[]}`);
    assert.match((field as { refused: string }).refused, /the field "name" is longer than 65536 bytes/);
    const many = readText(`{${Array.from({ length: 200 }, (_, n) => `"f${n}":1`).join()}}`);
    assert.match((many as { refused: string }).refused, /more than 100 fields/);
  });

  it('are refused after an incomplete byte order mark', () => {
    assert.ok('rows' in read([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from('[]')]));
    for (const start of [[0xef], [0xbb], [0xef, 0xbb], [0xef, 0xbb, 0xbf, 0xef]])
      assert.ok('refused' in read([Buffer.from([...start, 0x5b, 0x5d])]), String(start));
  });
});

function randomRow(next: (below: number) => number): unknown {
  const texts = ['', 'a', '"', '\\', '[{,}]', 'é🙂', '\n\t', '\u2028', 'data'];
  const text = () => Array.from({ length: next(4) }, () => texts[next(texts.length)]).join('');
  const value = (depth: number): unknown => {
    const kinds = [
      text,
      () => null,
      () => next(2) === 0,
      () => [text(), value(depth + 1)],
      () => ({ [text()]: text() }),
    ];
    return kinds[next(depth > 3 ? 3 : kinds.length)]!();
  };
  return next(5) === 0 ? value(0) : { input: text(), output: text(), extra: value(0), n: next(1000) / 8 };
}

function shuffled<T extends object>(value: T, next: (below: number) => number): T {
  const keys = Object.entries(value).map((entry) => ({ entry, order: next(1000) }));
  return Object.fromEntries(keys.sort((a, b) => a.order - b.order).map(({ entry }) => entry)) as T;
}
