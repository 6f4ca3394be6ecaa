// Every file of the TypeScript projects with its imports, as TypeScript's own parser finds them.
import { dirname, relative, resolve } from 'node:path';
import type { ImportClause } from 'typescript/unstable/ast';
import { isImportDeclaration, isNamedImports, isStringLiteral } from 'typescript/unstable/ast/is';
import { API, type Project } from 'typescript/unstable/sync';

export interface CodeBase {
  files: string[];
  imports: Import[];
}

export interface Import {
  from: string;
  /** A path of the checkout, a workspace (`contract`), a package (`npm:zod`) or `node`. */
  to: string;
  typesOnly: boolean;
}

const root = resolve(import.meta.dirname, '..');
const configs = ['tsconfig.json', 'console/tsconfig.json'].map((path) => resolve(root, path));

export function readCodeBase(): CodeBase {
  const api = new API();
  try {
    const snapshot = api.updateSnapshot({ openProjects: configs });
    const projects = configs.map((config) => snapshot.getProject(config)!);
    const files = projects.flatMap(({ rootFiles }) => rootFiles.map((file) => relative(root, file)));
    return { files, imports: projects.flatMap(importsOf) };
  } finally {
    api.close();
  }
}

function importsOf({ rootFiles, program }: Project): Import[] {
  return rootFiles.flatMap((file) =>
    program.getSourceFile(file)!.imports.flatMap((specifier) => {
      if (!isStringLiteral(specifier)) return [];
      const { text, parent } = specifier;
      const to = text.startsWith('.') ? relative(root, resolve(dirname(file), text)) : moduleNamed(text);
      return [{ from: relative(root, file), to, typesOnly: isImportDeclaration(parent) && isTypesOnly(parent) }];
    }),
  );
}

function moduleNamed(name: string): string {
  if (name.startsWith('node:')) return 'node';
  if (name.startsWith('@lorekeep/')) return name.slice('@lorekeep/'.length);
  return `npm:${name.startsWith('@') ? name : name.split('/', 1)[0]}`;
}

function isTypesOnly({ importClause }: { importClause?: ImportClause }): boolean {
  if (!importClause || importClause.phaseModifier !== undefined) return importClause !== undefined;
  const { name, namedBindings } = importClause;
  return (
    !name &&
    namedBindings !== undefined &&
    isNamedImports(namedBindings) &&
    namedBindings.elements.every(({ isTypeOnly }) => isTypeOnly)
  );
}
