// The rule for titles of commits, and the commits that it applies to, on real repositories.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { newCommits, titleProblem } from './commit-titles.ts';

describe('the title of a commit', () => {
  it('is an area and an imperative', () => {
    const right = ['router: reject unknown names', 'console, cli: embed the page', 'engine-layout: move files'];
    for (const title of right) assert.equal(titleProblem(title), undefined, title);
  });

  it('is refused without an area, without an imperative, with a full stop, or over 72 characters', () => {
    assert.match(titleProblem('Names are refused')!, /area: verb/);
    assert.match(titleProblem('router: Reject names')!, /area: verb/);
    assert.match(titleProblem('router: rejected names')!, /"rejected" is not an imperative/);
    assert.match(titleProblem('router: rejecting names')!, /"rejecting" is not an imperative/);
    assert.match(titleProblem('router: reject names.')!, /full stop/);
    assert.match(titleProblem(`router: reject ${'a'.repeat(60)}`)!, /75 characters/);
    assert.equal(titleProblem(`router: reject ${'a'.repeat(57)}`), undefined);
  });
});

describe('the commits that are checked', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lorekeep-titles-'));
  const origin = join(folder, 'origin');
  const git = (at: string, ...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.example', ...args], { cwd: at, encoding: 'utf8' });
  const commit = (at: string, title: string) => git(at, 'commit', '--quiet', '--allow-empty', '-m', title);
  const titles = (at: string, base?: string) => newCommits(at, base).map(({ title }) => title);
  let base = '';

  before(() => {
    mkdirSync(origin);
    git(origin, 'init', '--quiet', '--initial-branch=main');
    commit(origin, 'before the rule');
    base = git(origin, 'rev-parse', 'HEAD').trim();
    commit(origin, 'first: commit');
  });
  after(() => rmSync(folder, { recursive: true }));

  it('are those since the base commit where there is no upstream', () => {
    assert.deepEqual(titles(origin, base), ['first: commit']);
  });

  it('are those that the upstream lacks', () => {
    const clone = join(folder, 'clone');
    git(folder, 'clone', '--quiet', origin, clone);
    commit(clone, 'second: commit');
    assert.deepEqual(titles(clone, base), ['second: commit']);
  });

  it('are those that the upstream lacks in a shallow clone, which lacks the base commit', () => {
    const shallow = join(folder, 'shallow');
    git(folder, 'clone', '--quiet', '--depth=1', `file://${origin}`, shallow);
    assert.deepEqual(titles(shallow, base), []);
    commit(shallow, 'third: commit');
    assert.deepEqual(titles(shallow, base), ['third: commit']);
  });

  it('are none without a base to compare with', () => {
    const detached = join(folder, 'detached');
    git(folder, 'clone', '--quiet', '--depth=1', `file://${origin}`, detached);
    git(detached, 'remote', 'remove', 'origin');
    assert.deepEqual(titles(detached, base), []);
  });

  it('are none in a copy without a history, also inside another repository', () => {
    const copy = join(origin, 'copy');
    mkdirSync(copy);
    assert.deepEqual(titles(copy, base), []);
    const alone = join(folder, 'alone');
    mkdirSync(alone);
    assert.deepEqual(titles(alone, base), []);
  });
});
