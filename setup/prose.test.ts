// Files, folders, links and commands that prose names exist, and comments begin with their subject.
import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { describe, it } from 'node:test';
import { checkoutTree, clauseOpenings, type Tree, unknownNames } from './prose.ts';

describe('prose', () => {
  it('names files, folders, links and commands that exist', () => {
    const tree = checkoutTree(resolve(import.meta.dirname, '..'));
    assert.ok(tree.files.includes('README.md') && tree.files.length > 500, `${tree.files.length}`);
    assert.ok(tree.commands.has('up') && tree.benches.has('tune') && tree.groups.get('keys')?.has('create'));
    assert.deepEqual(unknownNames(tree), []);
  });

  const texts: Record<string, string> = { 'src/a.ts': '', 'src/deep/b.py': '' };
  const treeWith = (page: string, text: string): Tree => {
    const files = { ...texts, [page]: text };
    return {
      files: Object.keys(files),
      commands: new Set(['up', 'keys', 'bench']),
      benches: new Set(['api']),
      groups: new Map([['keys', new Set(['create'])]]),
      read: (file) => files[file as keyof typeof files]!,
    };
  };
  const found = (page: string, text: string) =>
    unknownNames(treeWith(page, text)).map((line) => line.replace(`${page}: `, ''));

  it('may shorten a path from its left, and name files that only a user has', () => {
    assert.deepEqual(found('docs/p.md', '`src/a.ts`, `a.ts`, `deep/b.py`, src/deep/, facts.jsonl, data/plan.json'), []);
  });

  it('is reported where it names a file or folder that is gone', () => {
    assert.deepEqual(found('docs/p.md', '`gone.ts`, src/gone.py, docs/gone.md, src/gone/'), [
      'gone.ts',
      'src/gone.py',
      'docs/gone.md',
      'src/gone/',
    ]);
  });

  it('is read in comments and not in code', () => {
    assert.deepEqual(found('src/c.ts', `import x from './gone.ts'; ${'//'} as in lost.ts\n${'/'}** See away.py. */`), [
      'lost.ts',
      'away.py',
    ]);
    assert.deepEqual(found('src/c.py', `"""Held by lost_test.py."""\nopen("gone.py")  ${'#'} see away.py`), [
      'lost_test.py',
      'away.py',
    ]);
  });

  it('is reported where a link leads nowhere, also within a page', () => {
    const page = '# The head\n[a](#the-head) [b](../src/a.ts) [c](p.md#gone) [d](gone.md) [e](https://x.example/y.md)';
    assert.deepEqual(found('docs/p.md', page), ['p.md#gone', 'gone.md']);
  });

  it('is reported where a command, its second word or a bench does not exist', () => {
    assert.deepEqual(
      found(
        'docs/p.md',
        './lorekeep up, ./lorekeep keys create, ./lorekeep bench api, ./lorekeep fly, ./lorekeep keys eat, ./lorekeep bench b',
      ),
      ['./lorekeep fly', './lorekeep keys eat', './lorekeep bench b'],
    );
  });

  it('begins with its subject in headers and doc comments', () => {
    assert.deepEqual(clauseOpenings(checkoutTree(resolve(import.meta.dirname, '..'))), []);
    const opening = (page: string, text: string) =>
      clauseOpenings(treeWith(page, text)).map((one) => one.replace(`${page}: `, ''));
    assert.deepEqual(opening('src/c.ts', '// Which words are quoted.\n'), ['Which words are quoted.']);
    assert.deepEqual(opening('src/c.sh', '#!/bin/sh\n# How it starts.\n'), ['How it starts.']);
    assert.deepEqual(opening('src/c.py', '"""Whether it fits.\n'), ['Whether it fits.']);
    assert.deepEqual(opening('src/c.py', '"""Fits."""\ndef a():\n    """What fits.\n'), ['What fits.']);
    assert.deepEqual(opening('src/c.ts', `for (;;) {\n  ${'/'}**\n   * Where it ends.\n`), ['Where it ends.']);
    assert.deepEqual(opening('src/c.ts', `${'/'}** By question. */\n`), ['By question. */']);
    assert.deepEqual(
      opening('src/c.ts', `// Words of a\n// Whole.\n${'/'}** Whether it fits.\n// What follows.\n`),
      [],
    );
  });
});
