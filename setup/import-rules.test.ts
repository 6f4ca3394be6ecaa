// The rules of imports: the code base keeps them, and each one detects a breach.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { problemsOf } from './import-rules.ts';
import { type Import, readCodeBase } from './imports.ts';

const value = (from: string, to: string): Import => ({ from, to, typesOnly: false });
const types = (from: string, to: string): Import => ({ from, to, typesOnly: true });
const problems = (...imports: Import[]) => problemsOf({ files: [], imports });

describe('the imports of the code base', () => {
  const base = readCodeBase();

  it('keep the rules', () => {
    assert.ok(base.files.length > 500 && base.imports.length > 2000, `${base.files.length} files`);
    assert.deepEqual(problemsOf(base), []);
  });

  it('are read with their kind', () => {
    const from = 'setup/import-rules.ts';
    assert.deepEqual(
      base.imports.filter((one) => one.from === from),
      [value(from, 'node'), value(from, 'setup/imports.ts')],
    );
    assert.ok(base.imports.some(({ to, typesOnly }) => to === 'npm:fastify' && typesOnly));
    assert.ok(base.imports.some(({ from, to }) => from.startsWith('console/') && to === 'client'));
  });
});

describe('a breach is found', () => {
  const breaches: Record<string, Import> = {
    'contract imports a package': value('contract/src/a.ts', 'npm:fastify'),
    'contract imports Node': value('contract/src/a.ts', 'node'),
    'cli imports the contract': value('cli/src/a.ts', 'contract'),
    'console imports the server': types('console/src/a.tsx', 'server/src/version.ts'),
    'server imports the console': value('server/src/http/a.ts', 'console/src/a.ts'),
    'a port imports its adapter': value('server/src/blobs/blobs.ts', 'server/src/blobs/folder.ts'),
    'the ground floor imports a shared folder': types('server/src/store/a.ts', 'server/src/http/serve.ts'),
    'a shared folder imports a domain': value('server/src/http/a.ts', 'server/src/tuning/jobs.ts'),
    'models import tuning': types('server/src/models/a.ts', 'server/src/tuning/jobs.ts'),
    'documents know openai': types('server/src/documents/a.ts', 'server/src/openai/models.ts'),
    'a domain imports the store of another': types(
      'server/src/evaluations/a.ts',
      'server/src/tuning/queue/job-store.ts',
    ),
    'a folder without a place': value('server/src/new/a.ts', 'server/src/http/serve.ts'),
  };
  for (const [name, breach] of Object.entries(breaches))
    it(name, () => {
      assert.equal(problems(breach).length, 1);
      assert.deepEqual(problems({ ...breach, from: breach.from.replace(/\.tsx?$/, '.test.ts') }), []);
    });

  it('files that import each other, also by their types', () => {
    const [a, b, c] = ['server/src/http/a.ts', 'server/src/http/b.ts', 'server/src/http/c.ts'] as const;
    assert.deepEqual(problems(value(a, b), types(b, c), value(c, a)), [
      `a circle of imports: ${[a, b, c, a].join(' -> ')}`,
    ]);
    assert.deepEqual(problems(value(a, b), value(b, c), value(a, c)), []);
  });

  it('a crowded folder', () => {
    const files = Array.from({ length: 21 }, (_, at) => `server/src/http/${at}.ts`);
    assert.equal(problemsOf({ files, imports: [] }).length, 1);
    assert.deepEqual(problemsOf({ files: [...files.slice(1), 'server/src/http/a.test.ts'], imports: [] }), []);
  });
});
