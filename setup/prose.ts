// Checks of prose: files, folders, links and commands that Markdown pages and comments name exist, and a header or doc comment begins
// with its subject. `./lorekeep check` runs them.
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize, resolve } from 'node:path';

export interface Tree {
  files: string[];
  /** First words after `./lorekeep`, and names after `./lorekeep bench`. */
  commands: Set<string>;
  benches: Set<string>;
  /** Commands that need a second word from a list, such as `keys create`. */
  groups: Map<string, Set<string>>;
  read(file: string): string;
}

/** Names of these endings are files of the checkout wherever they stand. Other names may be files that a user has or that a job writes. */
const code = '(?:tsx?|py|sh|css|lock)';
const data = '(?:md|jsonl?|txt|html|safetensors|toml|png|svg|pdf|sql)';
const path = `(?:\\.{1,2}/)*(?:[\\w.@-]+/)*[\\w.@-]*\\w`;

export function unknownNames(tree: Tree): string[] {
  const folders = foldersOf(tree.files);
  const roots = new Set(tree.files.filter((file) => file.includes('/')).map((file) => file.split('/')[0]!));
  const ends = new Set(tree.files.flatMap(endsOf));
  const folderEnds = new Set([...folders].flatMap(endsOf));
  return tree.files.filter(hasProse).flatMap((file) => {
    const text = tree.read(file);
    const prose = file.endsWith('.md') ? text.replaceAll(/\]\([^)]*\)/g, ']') : comments(file, text);
    const exists = (name: string) => [name, join(dirname(file), name)].some((one) => ends.has(normalize(one)));
    const isFolder = (name: string) => [name, join(dirname(file), name)].some((one) => folderEnds.has(normalize(one)));
    const named = [
      ...matches(prose, `${path}\\.${code}`).filter((name) => !exists(name)),
      ...matches(prose, `${path}\\.${data}`).filter((name) => roots.has(name.split('/')[0]!) && !exists(name)),
      ...matches(prose, `(?:[\\w.-]+/)+`).filter(
        (name) => roots.has(name.split('/')[0]!) && !isFolder(name.slice(0, -1)),
      ),
      ...(file.endsWith('.md') ? deadLinks(tree, file, text) : []),
      ...wrongCommands(tree, prose),
    ];
    return [...new Set(named)].map((name) => `${file}: ${name}`);
  });
}

const clause = '(?:What(?:ever)?|Which|How|Where|Who|Whose|Why|When|That)\\b.*';
const header = new RegExp(`(?<=^(?:#!.*\\n)?\\s*(?://|#|/\\*\\*?|""")\\s*(?:\\* )?)(?:Whether\\b.*|${clause})`, 'g');
const prepositional = '(?:By|Of|With|To|On|At|From|Until|Behind|Beside) .*';
const docComment = new RegExp(`(?<=^[ \\t]*(?:/\\*\\*\\s*(?:\\* )?|"""))(?:${clause}|${prepositional})`, 'gm');

/** Headers and doc comments that begin with a clause or a preposition; "Whether" is left to doc comments of booleans. */
export function clauseOpenings({ files, read }: Tree): string[] {
  return files
    .filter((file) => /\.(tsx?|mjs|py|sh)$|^lorekeep$/.test(file))
    .flatMap((file) => {
      const text = read(file);
      const found = new Set([...text.matchAll(header), ...text.matchAll(docComment)].map(([one]) => one));
      return [...found].map((one) => `${file}: ${one}`);
    });
}

/** The checkout as git lists it, with new files; without git, as it lies on the disk. */
export function checkoutTree(root: string): Tree {
  const read = (file: string) => readFileSync(join(root, file), 'utf8');
  const launcher = read('lorekeep');
  const cases = launcher.slice(launcher.indexOf('case $command in'));
  const words = [...cases.matchAll(/^ {2}([a-z -|]+)\)/gm)].flatMap(([, list]) => list!.split(' | '));
  const files = listed(root).filter((file) => existsSync(join(root, file)));
  return {
    files,
    commands: new Set(words),
    benches: new Set(files.filter((file) => /^bench\/[\w-]+\.ts$/.test(file)).map((file) => basename(file, '.ts'))),
    groups: groupsOf(read('cli/help.txt')),
    read,
  };
}

function listed(root: string): string[] {
  if (existsSync(join(root, '.git')))
    return execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
      cwd: root,
      encoding: 'utf8',
    })
      .split('\n')
      .filter(Boolean);
  const skipped = /(^|\/)(node_modules|dist|data|\.setup|__pycache__)$/;
  return globSync('**/*', { cwd: root, exclude: (name) => skipped.test(String(name)) });
}

/** `  lorekeep keys create     make a key` makes `create` a second word of `keys`, unless `lorekeep keys` is a command by itself. */
function groupsOf(help: string): Map<string, Set<string>> {
  const groups = new Map<string, Set<string>>();
  const alone = new Set<string>();
  for (const [, first, second] of help.matchAll(/^ {2}lorekeep ([a-z]+) ?([a-z]*) /gm)) {
    if (second) groups.set(first!, (groups.get(first!) ?? new Set()).add(second));
    else alone.add(first!);
  }
  for (const word of alone) groups.delete(word);
  return groups;
}

const hasProse = (file: string) => /\.(md|tsx?|py|sh)$|^lorekeep$/.test(file);

function comments(file: string, text: string): string {
  if (/\.tsx?$/.test(file)) return [...text.matchAll(/\/\*[\s\S]*?\*\/|(?<![:"'`\w/])\/\/ [^\n]*/g)].join('\n');
  if (file.endsWith('.py')) return [...text.matchAll(/"""[\s\S]*?"""|(?<!\S)# [^\n]*/g)].join('\n');
  return [...text.matchAll(/(?<!\S)# [^\n]*/g)].join('\n');
}

function matches(text: string, pattern: string): string[] {
  return [...text.matchAll(new RegExp(`(?<![\\w/.$~@-])${pattern}(?![\\w/-])`, 'g'))].map(([name]) => name);
}

/** Names that a path may be referred to by: itself, and each shorter suffix of it. */
function endsOf(file: string): string[] {
  const parts = file.split('/');
  return parts.map((_, at) => parts.slice(at).join('/'));
}

function foldersOf(files: string[]): Set<string> {
  const folders = new Set<string>();
  for (const file of files) for (let at = dirname(file); at !== '.'; at = dirname(at)) folders.add(at);
  return folders;
}

function deadLinks(tree: Tree, file: string, text: string): string[] {
  const files = new Set(tree.files);
  const folders = foldersOf(tree.files);
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link]) => link!)
    .filter((link) => !/^(https?:|mailto:)/.test(link))
    .filter((link) => {
      const [to = '', anchor] = link.split('#');
      const target = to === '' ? file : normalize(join(dirname(file), to)).replace(/\/$/, '');
      if (!files.has(target)) return !folders.has(target);
      return anchor !== undefined && target.endsWith('.md') && !anchorsOf(tree.read(target)).has(anchor);
    });
}

/** Anchors as GitHub makes them of headings. */
function anchorsOf(page: string): Set<string> {
  const headings = [...page.matchAll(/^#+ (.*)$/gm)].map(([, heading]) => heading!);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

function wrongCommands(tree: Tree, prose: string): string[] {
  return [...prose.matchAll(/\.\/lorekeep ([a-z]+)(?: ([a-z][a-z-]*))?/g)]
    .filter(([, command, next]) => {
      if (!tree.commands.has(command!)) return true;
      if (next === undefined) return false;
      if (command === 'bench') return !tree.benches.has(next);
      return tree.groups.get(command!)?.has(next) === false;
    })
    .map(([command]) => command);
}

if (process.argv[1] === import.meta.filename) {
  const tree = checkoutTree(resolve(import.meta.dirname, '..'));
  const problems = [
    ...unknownNames(tree).map((name) => `${name} does not exist`),
    ...clauseOpenings(tree).map((opening) => `${opening}\n  A comment names its subject first.`),
  ];
  process.stdout.write(problems.map((problem) => `${problem}\n`).join(''));
  process.exitCode = problems.length > 0 ? 1 : 0;
}
