// Rows of uploaded CSV files: mixed line endings in one file, and files of other formats.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Refusal } from '@lorekeep/contract';
import { fileRows } from './file-rows.ts';
import type { FoundRow } from './row.ts';

/** The rows of a file that arrives in pieces of a length. */
async function rowsOf(content: string | Buffer, name = 'facts.csv', length = content.length): Promise<FoundRow[]> {
  const whole = Buffer.from(content);
  async function* bytes() {
    for (let start = 0; start < whole.length; start += length) yield whole.subarray(start, start + length);
  }
  const spool = async () => ({ byteLength: 0, slice: async () => new ArrayBuffer(0) });
  const found: FoundRow[] = [];
  for await (const batch of fileRows({ name, bytes: bytes(), spool }, { input: 'input', output: 'output' }))
    found.push(...batch);
  return found;
}

const pairs = async (content: string) =>
  (await rowsOf(content)).map(({ value, problem }) => {
    const { input, output } = (value ?? {}) as Record<string, unknown>;
    return problem ?? [input, output];
  });

describe('a CSV file', () => {
  it('may mix line endings', async () => {
    for (const [first, second, third] of [
      ['\n', '\r\n', '\r'],
      ['\r\n', '\n', '\r'],
      ['\r', '\n', '\r\n'],
    ])
      assert.deepEqual(await pairs(`input,output${first}a,1${second}b,2${third}"c\r\nd\ne",3${first}${second}f,4`), [
        ['a', '1'],
        ['b', '2'],
        ['c\r\nd\ne', '3'],
        ['f', '4'],
      ]);
  });

  it('may arrive in pieces of any length', async () => {
    for (const separator of [',', ';', '\t'])
      for (let length = 1; length < 12; length++) {
        const found = await rowsOf(`\ufeffinput${separator}output\nä${separator}1\n`, 'facts.csv', length);
        assert.deepEqual(
          found.map(({ value }) => value),
          [{ input: 'ä', output: '1' }],
          `${length} bytes`,
        );
      }
  });

  it('may have quotes inside values, a byte order mark and a NUL', async () => {
    assert.deepEqual(await pairs('\ufeffinput;output\na 5" pipe;"say ""hi"""\n"x"y;z\0\n'), [
      ['a 5" pipe', 'say "hi"'],
      ['xy', 'z\0'],
    ]);
  });

  it('is refused with the row that has too many values, or the line of an unclosed quote', async () => {
    assert.deepEqual(await pairs('input,output\na,1\r\nb,2,3\n'), [['a', '1'], 'has 3 values where the header has 2']);
    await assert.rejects(rowsOf('input,output\na,1\nb,"2\n'), /a quote opened near line 3 is not closed/);
  });

  it('is refused with the detected format if its content has another one', async () => {
    const refused = async (content: string | Buffer, name: string) => {
      const error = (await rowsOf(content, name).catch((error) => error)) as Refusal;
      assert.equal(error.code, 'file_type_unsupported', String(error));
      return error.message;
    };
    assert.match(
      await refused('<!DOCTYPE html><p>Sign in</p>', 'facts.csv'),
      /facts\.csv"? is not CSV: it begins like HTML/,
    );
    assert.match(await refused('%PDF-1.7\n', 'facts.jsonl'), /is not JSON lines: it begins like a PDF/);
    assert.match(await refused('PK\x03\x04', 'facts.parquet'), /is not Parquet: it begins like a ZIP or Office file/);
    assert.match(await refused(Buffer.from('input,output', 'utf16le'), 'facts.csv'), /begins like a binary file/);
    assert.match(await refused('%PDF-1.7\n', 'facts'), /begins like a PDF/);
  });
});
