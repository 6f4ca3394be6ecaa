// The token counter compared with the tokenizer of the engine.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { embedderTokenizer, enginePython } from '../testing/embedder.ts';
import { checkout } from '../testing/reading.ts';
import { tokenCounter } from './tokens.ts';

const script = `
import json, sys
from tokenizers import Tokenizer
tokenizer = Tokenizer.from_file(sys.argv[1])
tokenizer.no_truncation()
tokenizer.no_padding()
texts = json.load(sys.stdin)
print(json.dumps([len(one.ids) for one in tokenizer.encode_batch(texts, add_special_tokens=False)]))
`;

test('counts the same tokens as the engine', {
  skip: embedderTokenizer ? false : 'the embedder is not set up',
}, (context) => {
  const counter = tokenCounter(readFileSync(embedderTokenizer!, 'utf8'));
  const own = [
    ...readdirSync(`${checkout}/docs/experiments`).map((name) => `docs/experiments/${name}`),
    'contract/openapi.json',
    'engine/lorekeep/infer/generate.py',
    'package-lock.json',
  ].flatMap((path) => readFileSync(`${checkout}/${path}`, 'utf8').split('\n'));
  const odd = [
    '',
    ' ',
    'Größe ΣΑΣ naïve İstanbul',
    '漢字かな交じり文 한국어',
    'x'.repeat(101),
    `${'y'.repeat(100)}z`,
    'a\u200bb\u00adc',
    '👨‍👩‍👧‍👦🙂',
    'שלום עולם مرحبا',
    '-'.repeat(50),
  ];
  const letters = Array.from({ length: 0x3000 }, (_, at) => `a${String.fromCharCode(at + 33)}b`);
  const texts = [...own, ...odd, ...letters];
  const expected = JSON.parse(
    execFileSync(enginePython, ['-c', script, embedderTokenizer!], {
      input: JSON.stringify(texts),
      maxBuffer: 64 * 1024 * 1024,
    }).toString(),
  ) as number[];
  const different = texts.filter((text, at) => counter.count(text) !== expected[at]);
  const fewer = texts.filter((text, at) => counter.count(text) < expected[at]!);
  context.diagnostic(`${texts.length} texts, ${different.length} counted otherwise`);
  assert.deepEqual(fewer, []);
  assert.deepEqual(
    different.filter((text) => own.includes(text)),
    [],
  );
  assert.ok(different.length < 100, different.join('\n'));
});
