// Bundles the programs that tests start most often, so that each start reads a few files instead of a thousand. forked-engines.mjs starts
// the bundle instead of the program. A whole run bundles its test files as well: each imports most of the server.
import { mkdir, readdir, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type InlineConfig, type Plugin } from 'vite';

const root = resolve(import.meta.dirname, '..');
/** The parsing process may read this folder, and packages resolve from it. */
const bundleRoot = join(root, 'node_modules/.lorekeep-bundles');
const programs = {
  server: 'server/src/main.ts',
  cli: 'cli/src/main.ts',
  reader: 'reader/src/process/child.ts',
  watch: 'reader/src/process/watch.ts',
  killAtPoint: 'server/src/documents/testing/kill-at-point.ts',
};

/** Not in node_modules, where Node's runner finds no tests. */
const testBundleRoot = join(root, '.setup/test-bundles');
/** Packages with files of their own that they look for beside their modules. */
const external = ['@lancedb/lancedb', 'playwright-core', 'typescript', 'vite'];

export interface Bundles {
  folder: string;
  end(): Promise<void>;
}

export async function makeBundles(): Promise<Bundles> {
  const folder = await newFolder(bundleRoot);
  const input = Object.fromEntries(Object.entries(programs).map(([name, path]) => [name, join(root, path)]));
  await build(bundling(folder, input, join(folder, 'watch.js')));
  return { folder, end: async () => await rm(folder, { recursive: true, force: true }) };
}

export interface TestBundles {
  /** The file to run for a test file, by its path in the checkout. */
  of: Map<string, string>;
  end(): Promise<void>;
}

/** Bundles of test files, with source maps: a failure names the line of the source. */
export async function makeTestBundles(files: string[]): Promise<TestBundles> {
  const folder = await newFolder(testBundleRoot);
  const input = Object.fromEntries(files.map((file) => [file.replace(/\.ts$/, ''), join(root, file)]));
  const config = bundling(folder, input, join(root, programs.watch));
  await build({ ...config, build: { ...config.build, sourcemap: true } });
  return {
    of: new Map(files.map((file) => [file, join(folder, file.replace(/\.ts$/, '.js'))])),
    end: async () => await rm(folder, { recursive: true, force: true }),
  };
}

function bundling(folder: string, input: Record<string, string>, watch: string): InlineConfig {
  return {
    root,
    configFile: false,
    logLevel: 'error',
    publicDir: false,
    plugins: [placesOf(watch)],
    ssr: { noExternal: true, external },
    build: {
      ssr: true,
      target: 'esnext',
      outDir: folder,
      emptyOutDir: false,
      minify: false,
      rolldownOptions: { input, output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' } },
    },
  };
}

/** A folder of this process. Removes the folders that killed runs left. */
async function newFolder(within: string): Promise<string> {
  for (const name of await readdir(within).catch(() => []))
    if (!isRunning(Number(name))) await rm(join(within, name), { recursive: true, force: true });
  const folder = join(within, String(process.pid));
  await mkdir(folder, { recursive: true });
  return folder;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Modules in a bundle keep the paths of their sources, except the thread of the watchdog. */
function placesOf(watchFile: string): Plugin {
  const watch = JSON.stringify(pathToFileURL(watchFile).href);
  return {
    name: 'places-of-sources',
    enforce: 'pre',
    transform(code, id) {
      const path = id.split('?')[0]!;
      if (!/import\.meta|__dirname|__filename/.test(code) || !path.startsWith('/')) return undefined;
      return code
        .replaceAll("new URL('./watch.ts', import.meta.url)", `new URL(${watch})`)
        .replaceAll('import.meta.dirname', JSON.stringify(dirname(path)))
        .replaceAll('import.meta.filename', JSON.stringify(path))
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href))
        .replace(/\b__dirname\b/g, JSON.stringify(dirname(path)))
        .replace(/\b__filename\b/g, JSON.stringify(path));
    },
  };
}
