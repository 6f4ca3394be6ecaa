// Runs the programs in a page of the documentation in order against a server: shell, Python and TypeScript, in one folder and one shell, so
// that each sees the results of the earlier ones. A "text" block after a program is its output ("..." stands for anything); a comment
// <!-- not run: reason --> before it skips it. The page's address and key are replaced by the server's.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkout } from '../config/settings.ts';
import { adminKey, type TestServer } from './server.ts';

/** Pages that show answers of the shipped base itself. README.md prints the number of the first account that is made. */
export const pagesOfBase = ['README.md', 'docs/guide/generation.md'];
/** Other pages that need nothing but a product. docs/guide/evaluation.md prints the number of the first evaluation. */
export const pagesOfProduct = [
  'docs/guide/evaluation.md',
  'docs/guide/quick-start.md',
  'docs/guide/cli.md',
  'docs/guide/operating.md',
];
/** The pages that run on a new product; others need more, and have their own tests. */
export const plainPages = [...pagesOfBase, ...pagesOfProduct];

const tools = join(checkout, '.setup/tools/bin');
const node = `"${process.execPath}" --disable-warning=ExperimentalWarning`;

interface Block {
  language: string;
  text: string;
  /** The line of the page on which it begins. */
  line: number;
  /** Expected output, if the page shows it. */
  prints?: string;
}

const runs: Record<string, (file: string) => string> = {
  // In the page's own shell: variables and aliases persist.
  sh: (file) => `. ./${file}`,
  python: (file) => `"${join(tools, 'python')}" ${file}`,
  ts: (file) => `${node} ${file}`,
};
const fileSuffix: Record<string, string> = { sh: 'sh', python: 'py', ts: 'ts' };

export async function blocksOf(page: string): Promise<Block[]> {
  const text = await readFile(join(checkout, page), 'utf8');
  const found: Block[] = [];
  for (const match of text.matchAll(/(<!-- not run: .+ -->\n+)?^```(\w+)\n([\s\S]*?)^```/gm)) {
    const [, left, language, content] = match as unknown as [string, string | undefined, string, string];
    if (left !== undefined) continue;
    const line = text.slice(0, match.index).split('\n').length;
    if (language === 'text' && found.length > 0) found.at(-1)!.prints = content;
    else if (language in runs) found.push({ language, text: content, line });
  }
  return found;
}

/** Runs a page; throws with the location, the program and its output. */
export async function runPage(server: TestServer, page: string, key = adminKey): Promise<number> {
  const blocks = await blocksOf(page);
  assert.ok(blocks.length > 0, `${page} has nothing to run`);
  const folder = await mkdtemp(join(tmpdir(), 'lorekeep-page-'));
  try {
    const home = join(folder, 'home');
    const place = join(folder, 'place');
    for (const needed of [home, place, join(place, 'node_modules')]) await mkdir(needed);
    for (const name of ['@lorekeep', '@types', 'openai'])
      await symlink(join(checkout, 'node_modules', name), join(place, 'node_modules', name));
    await writeFile(join(place, 'package.json'), '{"type": "module"}');
    await symlink(join(checkout, 'demo'), join(place, 'demo'));
    await program(join(place, 'lorekeep'), hostCommand);
    await mkdir(join(folder, 'bin'));
    await program(join(folder, 'bin/lorekeep'), hostCommand);
    await program(join(folder, 'bin/python'), `exec "${join(tools, 'python')}" "$@"`);
    const lines = ['set -eu'];
    for (const [at, { language, text }] of blocks.entries()) {
      const file = `block-${at}.${fileSuffix[language]}`;
      await writeFile(join(place, file), concrete(text, server, key));
      lines.push(`${runs[language]!(file)} > said-${at} 2>&1`);
    }
    const shell = spawn('sh', ['-c', lines.join('\n')], {
      cwd: place,
      env: {
        PATH: `${join(folder, 'bin')}:${process.env.PATH}`,
        HOME: home,
        LOREKEEP_BASE_URL: server.url,
        LOREKEEP_API_KEY: key,
        LOREKEEP_HOME: server.home,
        // Programs of the checkout are started as ./lorekeep test starts them.
        ...(process.env.NODE_OPTIONS && { NODE_OPTIONS: process.env.NODE_OPTIONS }),
      },
      stdio: 'ignore',
    });
    const code = await new Promise<number | null>((done) => shell.once('close', done));
    for (const [at, { text, prints, line }] of blocks.entries()) {
      const content = await readFile(join(place, `said-${at}`), 'utf8').catch(() => undefined);
      const next = await readFile(join(place, `said-${at + 1}`), 'utf8').catch(() => undefined);
      const failed = code !== 0 && content !== undefined && next === undefined;
      assert.ok(!failed, `${page}:${line} ended with ${code}\n${text}\n--- it said\n${content}`);
      if (prints !== undefined)
        assert.match(content ?? '', pattern(concrete(prints, server, key)), `${page}:${line} printed something else`);
    }
    assert.equal(code, 0);
    return blocks.length;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The launcher `./lorekeep` for a running product: its host commands use the server's own data. */
export const hostCommand = `
export NODE_COMPILE_CACHE="${join(checkout, '.setup/compiled')}"
case $1 in
  up | setup) exit 0 ;;
  accounts | config | keys) exec ${node} "${join(checkout, 'server/src/main.ts')}" "$@" ;;
esac
export LOREKEEP_PROGRAM=./lorekeep
case $1 in
  login) printf %s "$LOREKEEP_API_KEY" | exec ${node} "${join(checkout, 'cli/src/main.ts')}" "$@" ;;
  *) exec ${node} "${join(checkout, 'cli/src/main.ts')}" "$@" ;;
esac`;

export async function program(path: string, text: string): Promise<void> {
  await writeFile(path, `#!/bin/sh\n${text}\n`);
  await chmod(path, 0o755);
}

/** Replaces a page's example address and key. */
const concrete = (text: string, server: TestServer, key: string) =>
  text.replaceAll('http://127.0.0.1:8080', server.url).replaceAll('lk_...', key);

function pattern(prints: string): RegExp {
  const escaped = prints.trim().replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^\\s*${escaped.replaceAll('\\.\\.\\.', '[\\s\\S]*?')}\\s*$`);
}
