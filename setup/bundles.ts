// Bundles the programs that tests start most often, so that each start reads a few files instead of a thousand. forked-engines.mjs starts
// the bundle in the place of the program.
import { mkdir, readdir, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'vite';

const root = resolve(import.meta.dirname, '..');
/** The parsing process may read here, and packages are found from here. */
const place = join(root, 'node_modules/.lorekeep-bundles');
const programs = {
  server: 'server/src/main.ts',
  cli: 'cli/src/main.ts',
  reader: 'reader/src/process/child.ts',
  watch: 'reader/src/process/watch.ts',
};

export interface Bundles {
  folder: string;
  end(): Promise<void>;
}

export async function makeBundles(): Promise<Bundles> {
  await removeLeftovers();
  const folder = join(place, String(process.pid));
  await mkdir(folder, { recursive: true });
  await build({
    root,
    configFile: false,
    logLevel: 'error',
    publicDir: false,
    plugins: [placesOf(folder)],
    ssr: { noExternal: true, external: ['@lancedb/lancedb'] },
    build: {
      ssr: true,
      target: 'esnext',
      outDir: folder,
      emptyOutDir: false,
      minify: false,
      rolldownOptions: {
        input: Object.fromEntries(Object.entries(programs).map(([name, path]) => [name, join(root, path)])),
        output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
      },
    },
  });
  return { folder, end: async () => await rm(folder, { recursive: true, force: true }) };
}

/** Killed runs leave their bundles. */
async function removeLeftovers(): Promise<void> {
  for (const name of await readdir(place).catch(() => []))
    if (!isRunning(Number(name))) await rm(join(place, name), { recursive: true, force: true });
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Modules in a bundle keep the places of their sources. The watchdog's thread is a bundle too. */
function placesOf(folder: string): Plugin {
  const watch = JSON.stringify(pathToFileURL(join(folder, 'watch.js')).href);
  return {
    name: 'places-of-sources',
    enforce: 'pre',
    transform(code, id) {
      const path = id.split('?')[0]!;
      if (!/import\.meta|__dirname|__filename/.test(code) || !path.startsWith('/')) return undefined;
      return code
        .replaceAll("new URL('./watch.ts', import.meta.url)", `new URL(${watch})`)
        .replaceAll('import.meta.dirname', JSON.stringify(dirname(path)))
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href))
        .replace(/\b__dirname\b/g, JSON.stringify(dirname(path)))
        .replace(/\b__filename\b/g, JSON.stringify(path));
    },
  };
}
