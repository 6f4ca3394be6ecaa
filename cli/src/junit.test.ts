// JUnit output, read back by Python's XML parser.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { it } from 'node:test';
import { junit } from './junit.ts';

const read = `
import json, sys, xml.etree.ElementTree as tree
root = tree.fromstring(sys.stdin.buffer.read())
print(json.dumps([root.attrib, [[c.attrib["name"], [(k.tag, k.attrib.get("message", k.text)) for k in c]] for c in root.iter("testcase")]]))
`;

it('JUnit XML is well formed for any text, and counts its cases', () => {
  const name = 'a "quoted" <b>&amp;\u0000\u001b[31m\ud800\nrow ]]> é 日本';
  const xml = junit([
    {
      name,
      cases: [{ name, failure: name }, { name: 'fine' }, { name: 'left', skipped: 'a\tb', out: 'said\r\nmore' }],
    },
    { name: 'empty', cases: [] },
  ]);
  const [counts, cases] = JSON.parse(execFileSync('python3', ['-c', read], { input: xml, encoding: 'utf8' }));
  assert.deepEqual(counts, { tests: '3', failures: '1', errors: '0', skipped: '1' });
  const shown = 'a "quoted" <b>&amp;\ufffd\ufffd[31m\ufffd\nrow ]]> é 日本';
  assert.deepEqual(cases, [
    [shown, [['failure', shown]]],
    ['fine', []],
    [
      'left',
      [
        ['skipped', 'a\tb'],
        ['system-out', 'said\nmore'],
      ],
    ],
  ]);
});
