// Part of ./lorekeep check: the titles of the commits that a branch adds. Prints each wrong title with the reason and exits with 1.
import { spawnSync } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Titles up to this commit were written before the rule. A clone that lacks the commit is checked against its upstream alone. */
const ruleBegan = '3c9fa49ed69ce0154bf95307b5773650e341cd2f';
const upstream = 'refs/remotes/origin/HEAD';
const maxLength = 72;
const endsLikeVerb = [
  'bring',
  'embed',
  'exceed',
  'feed',
  'need',
  'proceed',
  'seed',
  'shed',
  'speed',
  'string',
  'swing',
];

/** The problem of a title, or undefined. The rule: `area: imperative`, for example `router: reject unknown names`. */
export function titleProblem(title: string): string | undefined {
  if (title.length > maxLength) return `${title.length} characters; at most ${maxLength} are allowed`;
  const [, verb] = /^[a-z][a-z0-9-]*(?:, [a-z][a-z0-9-]*)*: ([a-z]+)\b/.exec(title) ?? [];
  if (!verb) return 'does not begin with "area: verb" in lower case';
  if (/(ed|ing)$/.test(verb) && !endsLikeVerb.includes(verb)) return `"${verb}" is not an imperative`;
  return title.endsWith('.') ? 'ends with a full stop' : undefined;
}

/** Commits of a checkout that no base holds, newest first. Empty where there is no history or no base to compare with. */
export function newCommits(root: string, base = ruleBegan): { hash: string; title: string }[] {
  const top = git(root, 'rev-parse', '--show-toplevel');
  // A copy without a history may lie inside another repository.
  if (!top || resolve(top) !== realpathSync(root)) return [];
  const bases = [base, upstream].filter((one) => git(root, 'rev-parse', '--verify', '--quiet', `${one}^{commit}`));
  if (bases.length === 0) return [];
  const log = git(root, 'log', '--no-merges', '--format=%h %s', 'HEAD', '--not', ...bases) ?? '';
  return log
    .split('\n')
    .filter(Boolean)
    .map((line) => ({ hash: line.slice(0, line.indexOf(' ')), title: line.slice(line.indexOf(' ') + 1) }));
}

function git(root: string, ...args: string[]): string | undefined {
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}

if (process.argv[1] === import.meta.filename) {
  for (const { hash, title } of newCommits(join(import.meta.dirname, '..'))) {
    const problem = titleProblem(title);
    if (!problem) continue;
    process.stdout.write(`${hash} "${title}": ${problem}. Change it with git rebase --interactive.\n`);
    process.exitCode = 1;
  }
}
