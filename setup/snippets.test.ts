// Every program in a page of the documentation is run by a test, or the page says why not: <!-- not run: reason --> before it.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import { plainPages } from '../server/src/testing/pages.ts';

const root = resolve(import.meta.dirname, '..');

/** The test that runs the programs of each page, by language. */
const runs: { test: string; languages: string[]; pages: string[] }[] = [
  {
    test: 'server/src/pages.test.ts',
    languages: ['sh', 'python', 'ts'],
    pages: plainPages,
  },
  { test: 'client/src/engine.test.ts', languages: ['ts'], pages: ['client/README.md', 'docs/guide/typescript.md'] },
  { test: 'server/compat/tuning_guide_test.py', languages: ['sh'], pages: ['docs/guide/tuning.md'] },
  {
    test: 'server/compat/documents_test.py',
    languages: ['sh', 'python', 'json'],
    pages: ['docs/guide/documents.md'],
  },
  { test: 'engine/quill/shipped_test.py', languages: ['python'], pages: ['models/quill/README.md'] },
];

/** Languages of blocks that are not programs: output and drawings. */
const shown = new Set(['', 'text']);

function programsOf(page: string): { language: string; line: number; left: boolean }[] {
  const text = readFileSync(join(root, page), 'utf8');
  return [...text.matchAll(/(<!-- not run: .+ -->\n+)?^ *```(\S*)\n[\s\S]*?^ *```$/gm)].map((match) => ({
    language: match[2]!,
    line: text.slice(0, match.index).split('\n').length,
    left: match[1] !== undefined,
  }));
}

describe('the programs in the documentation', () => {
  const pages = globSync('**/*.md', {
    cwd: root,
    exclude: (name) => /(^|\/)(node_modules|dist|data|\.[^/]+)$/.test(String(name)),
  });

  it('are each run by a test, or marked with the reason why not', () => {
    assert.ok(pages.includes('README.md') && pages.length > 20, pages.join());
    const unrun = pages.flatMap((page) =>
      programsOf(page)
        .filter(({ language, left }) => !left && !shown.has(language))
        .filter(({ language }) => !runs.some((run) => run.pages.includes(page) && run.languages.includes(language)))
        .map(({ language, line }) => `${page}:${line} (${language})`),
    );
    assert.deepEqual(unrun, []);
  });

  it('are run by the tests listed here', () => {
    for (const { test, pages } of runs.filter(({ pages }) => pages !== plainPages)) {
      const text = readFileSync(join(root, test), 'utf8');
      for (const page of pages) assert.ok(text.includes(`${page}'`) || text.includes(`${page}"`), `${test}: ${page}`);
    }
  });
});
