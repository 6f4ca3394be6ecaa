// Limits of size: lines of a file, of a function and of a component, columns of a comment. setup/sizes.json lists what is larger today: nothing
// on it may grow, what is small again leaves it, and nothing new is added. --write lowers and shortens the list.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Node, SyntaxKind } from 'typescript/unstable/ast';
import { API } from 'typescript/unstable/sync';

const root = resolve(import.meta.dirname, '..');
const maxLines = { file: 400, function: 60, component: 100 };
const maxColumns = 140;
const python = join(root, '.setup/engine/bin/python');

/** Sizes by the name of what is too large: lines, or, for comments, the number of lines that are too wide. */
export type Sizes = Record<string, number>;

export interface Measured {
  name: string;
  lines: number;
}

const functions = new Set([
  SyntaxKind.FunctionDeclaration,
  SyntaxKind.FunctionExpression,
  SyntaxKind.ArrowFunction,
  SyntaxKind.MethodDeclaration,
  SyntaxKind.Constructor,
  SyntaxKind.GetAccessor,
  SyntaxKind.SetAccessor,
]);

/** Suites of tests hold functions, as files do. */
const isSuite = ({ parent }: Node, text: string) =>
  parent?.kind === SyntaxKind.CallExpression &&
  /^\s*(describe|onEveryDatabase|onDatabase)\b/.test(text.slice(parent.pos, parent.end));

/** A test is named by its title. */
function titleOf({ parent }: Node): string | undefined {
  if (parent?.kind !== SyntaxKind.CallExpression) return undefined;
  const [first] = (parent as Node & { arguments: readonly (Node & { text?: string })[] }).arguments;
  return first?.kind === SyntaxKind.StringLiteral ? first.text : undefined;
}

export function functionsOf(file: Node, text: string): Measured[] {
  const found: Measured[] = [];
  const visit = (node: Node, outer: string): void => {
    const own = (node as { name?: { text?: string } }).name?.text;
    const name = own ?? titleOf(node) ?? outer;
    if (functions.has(node.kind) && !isSuite(node, text))
      found.push({ name, lines: withoutComment(text.slice(node.pos, node.end)).split('\n').length });
    node.forEachChild((child) => {
      visit(child, name);
    });
  };
  visit(file, '');
  return found;
}

/** A comment before a function is part of its text, but not of its line count. */
const withoutComment = (text: string) => text.replace(/^(\s*(\/\*[\s\S]*?\*\/|\/\/[^\n]*\n))*\s*/, '');

function typescriptSizes(files: string[]): Sizes {
  const config = join(root, 'tsconfig.sizes.json');
  const options = { noLib: true, noResolve: true, types: [], jsx: 'preserve', module: 'nodenext' };
  const api = new API({
    cwd: root,
    fs: {
      readFile: (path) => (path === config ? JSON.stringify({ compilerOptions: options, files }) : undefined),
      fileExists: (path) => (path === config ? true : undefined),
    },
  });
  try {
    const [project] = api.updateSnapshot({ openProjects: [config] }).getProjects();
    return Object.assign(
      {},
      ...files.map((file) => {
        const source = project!.program.getSourceFile(join(root, file));
        if (!source) throw new Error(`${file} could not be parsed.`);
        return large(file, functionsOf(source, readFileSync(join(root, file), 'utf8')));
      }),
    );
  } finally {
    api.close();
  }
}

function pythonSizes(files: string[]): Sizes {
  const out = execFileSync(python, ['-I', join(root, 'setup/sizes.py'), ...files], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  const found = JSON.parse(out) as Record<string, { functions: Measured[]; wide: number }>;
  return Object.assign(
    {},
    ...Object.entries(found).map(([file, { functions, wide }]) => ({
      ...large(file, functions),
      ...(wide > 0 && { [`${file} comments`]: wide }),
    })),
  );
}

function large(file: string, found: Measured[]): Sizes {
  const sizes: Sizes = {};
  for (const { name, lines } of found) {
    const isComponent = file.endsWith('.tsx') && /^[A-Z]/.test(name);
    if (lines > (isComponent ? maxLines.component : maxLines.function)) {
      const key = `${file} ${name}`;
      sizes[key] = Math.max(sizes[key] ?? 0, lines);
    }
  }
  return sizes;
}

const isComment = (line: string) => /^\s*(\/\/|\/?\*)/.test(line);

/** Parts that are larger than the limits, in the files that git has or would add. */
export function largeParts(): Sizes {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.ts', '*.tsx', '*.py'], {
    cwd: root,
    encoding: 'utf8',
  });
  const files = listed.split('\n').filter((file) => file !== '' && existsSync(join(root, file)) && !isMade(file));
  const sizes: Sizes = {};
  for (const file of files) {
    const lines = readFileSync(join(root, file), 'utf8').trimEnd().split('\n');
    if (lines.length > maxLines.file) sizes[file] = lines.length;
    const wide = file.endsWith('.py') ? 0 : lines.filter((line) => isComment(line) && line.length > maxColumns).length;
    if (wide > 0) sizes[`${file} comments`] = wide;
  }
  const isPython = (file: string) => file.endsWith('.py');
  return {
    ...sizes,
    ...typescriptSizes(files.filter((file) => !isPython(file))),
    ...pythonSizes(files.filter(isPython)),
  };
}

const isMade = (file: string) => file.startsWith('client/src/generated/') || file === 'engine/lorekeep/contract.py';

/** Differences between the list and the tree, in sentences. */
export function disagreements(found: Sizes, listed: Sizes): string[] {
  const grown = Object.entries(found).flatMap(([part, size]) => {
    const before = listed[part];
    if (before === undefined) return [`${part}: ${size} ${unit(part)}. ${remedy(part)}`];
    return size > before ? [`${part}: grew from ${before} to ${size} ${unit(part)}. ${remedy(part)}`] : [];
  });
  const smaller = Object.entries(listed).flatMap(([part, size]) =>
    found[part] === undefined
      ? [`${part}: is within the limits, or gone; take it off the list.`]
      : found[part] < size
        ? [`${part}: has ${found[part]} ${unit(part)}, the list says ${size}.`]
        : [],
  );
  return [...grown, ...smaller];
}

const unit = (part: string) => (part.endsWith(' comments') ? `comment lines over ${maxColumns} columns` : 'lines');

function remedy(part: string): string {
  if (part.endsWith(' comments')) return 'Wrap them.';
  if (!part.includes(' ')) return `A file has at most ${maxLines.file}: split it where there are two ideas.`;
  return `A function has at most ${maxLines.function}, a component ${maxLines.component}: take a part out.`;
}

if (process.argv[1] === import.meta.filename) {
  if (!existsSync(python)) {
    process.stderr.write(
      'Python files are measured by the Python environment, which is missing. Make it: sh setup/python.sh engine\n',
    );
    process.exit(1);
  }
  const file = join(root, 'setup/sizes.json');
  const found = largeParts();
  let listed = JSON.parse(readFileSync(file, 'utf8')) as Sizes;
  if (process.argv.includes('--write')) {
    const exceptions = Object.entries(listed).flatMap(([part, size]) =>
      found[part] === undefined ? [] : [[part, Math.min(size, found[part])]],
    );
    listed = Object.fromEntries(exceptions) as Sizes;
    writeFileSync(file, `${JSON.stringify(listed, null, 2)}\n`);
  }
  const wrong = disagreements(found, listed);
  if (wrong.length > 0) {
    process.stderr.write(
      `${wrong.map((one) => `  ${one}\n`).join('')}setup/sizes.json lists what is larger than the limits; --write shortens the list.\n`,
    );
    process.exitCode = 1;
  }
}
