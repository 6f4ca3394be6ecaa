// ./lorekeep pack [WORKSPACE ...]: makes client/dist and cli/dist, plain JavaScript with types, as they go to npm: `npm publish client/dist`.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');

export function pack(workspace: string, out = join(root, workspace, 'dist')): string {
  const source = join(root, workspace, 'src');
  rmSync(out, { recursive: true, force: true });
  const options = {
    rootDir: source,
    outDir: out,
    declaration: true,
    noEmit: false,
    allowImportingTsExtensions: true,
    rewriteRelativeImportExtensions: true,
  };
  const config = join(root, workspace, `.pack-${process.pid}.json`);
  const extended = {
    extends: '../tsconfig.published.json',
    compilerOptions: options,
    include: ['src'],
    exclude: ['src/**/*.test.ts', 'src/testing'],
  };
  writeFileSync(config, JSON.stringify(extended));
  try {
    execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', config], { stdio: ['ignore', 2, 2] });
  } finally {
    rmSync(config);
  }
  writeFileSync(join(out, 'package.json'), `${JSON.stringify(manifest(workspace), null, 2)}\n`);
  for (const file of [join(workspace, 'README.md'), 'LICENSE'])
    if (existsSync(join(root, file))) cpSync(join(root, file), join(out, file.split('/').at(-1)!));
  return out;
}

/** In the checkout the sources run as they are; what is published points to what was made of them. */
function manifest(workspace: string): Record<string, unknown> {
  const { private: _, exports, bin, ...rest } = JSON.parse(readFileSync(join(root, workspace, 'package.json'), 'utf8'));
  const built = (path: string) => path.replace('./src/', './').replace(/\.ts$/, '.js');
  return {
    ...rest,
    ...(exports && {
      exports: { '.': { types: built(exports).replace(/\.js$/, '.d.ts'), default: built(exports) } },
      types: built(exports).replace(/\.js$/, '.d.ts'),
    }),
    ...(bin && { bin: Object.fromEntries(Object.entries(bin).map(([name, path]) => [name, built(String(path))])) }),
    sideEffects: false,
    publishConfig: { access: 'public' },
  };
}

if (process.argv[1] === import.meta.filename) {
  const named = process.argv.slice(2);
  if (named.some((word) => word.startsWith('-')))
    process.stdout.write('./lorekeep pack [client] [cli]: makes client/dist and cli/dist, as they go to npm.\n');
  else
    for (const workspace of named.length > 0 ? named : ['client', 'cli']) process.stdout.write(`${pack(workspace)}\n`);
}
