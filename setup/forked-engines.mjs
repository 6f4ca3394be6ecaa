// Loaded by ./lorekeep test into every Node process (NODE_OPTIONS), those of an older Node as well: where one starts `python -m lorekeep`, the
// process is forked by engine/lorekeep/testing_forks.py, which listens on the sockets that this file's address names. Where one starts a program
// of which there is a bundle (bundles.ts), the bundle is started, unless a module of the checkout is loaded before it that has none: that module
// patches the sources, and a bundle has copies of them. A program that a shell has started becomes its bundle when its first module is looked for.
import childProcess from 'node:child_process';
import module, { syncBuiltinESMExports } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

const python = fileURLToPath(new URL('../.setup/engine/bin/python', import.meta.url));
const client = fileURLToPath(new URL('../engine/lorekeep/testing_fork_client.py', import.meta.url));
const sockets = new URL(import.meta.url).searchParams;
const bundled = new Map(
  Object.entries({
    server: 'server/src/main.ts',
    cli: 'cli/src/main.ts',
    reader: 'reader/src/process/child.ts',
    killAtPoint: 'server/src/documents/testing/kill-at-point.ts',
  }).map(([name, path]) => [
    fileURLToPath(new URL(`../${path}`, import.meta.url)),
    `${sockets.get('bundles')}/${name}.js`,
  ]),
);
const spawn = childProcess.spawn;
const preloaded = /(?<=^NODE_OPTIONS=.*--import=)\S+\.ts$/;
const started = (words) => {
  const found = words.map((word) => bundled.get(word) ?? word.replace(preloaded, (path) => bundled.get(path) ?? path));
  return found.some((word) => preloaded.test(word)) ? words : found;
};
// Forks read two layers of the shipped base (engine/lorekeep/testing_models.py) unless the test asks for all; the server passes on little
// of its environment.
const withLayers = ([options, ...rest]) => {
  const { LOREKEEP_TEST_WHOLE_BASE = '' } = process.env;
  return [{ ...options, env: { ...(options?.env ?? process.env), LOREKEEP_TEST_WHOLE_BASE } }, ...rest];
};

childProcess.spawn = (program, words, ...rest) => {
  const socket = sockets.get(words?.[2] === 'download' ? 'downloads' : 'engines');
  return socket && program === python && words?.[0] === '-m' && words[1] === 'lorekeep'
    ? spawn(program, ['-I', '-S', client, socket, ...words], ...withLayers(rest))
    : spawn(program, Array.isArray(words) ? started(words) : words, ...rest);
};
syncBuiltinESMExports();

const own = bundled.get(process.argv[1]);
if (own && module.registerHooks && !/\.ts\b/.test(process.env.NODE_OPTIONS ?? '')) {
  const source = pathToFileURL(process.argv[1]).href;
  const url = pathToFileURL(own).href;
  module.registerHooks({
    resolve: (specifier, context, next) => {
      const found = next(specifier, context);
      return found.url === source ? { ...found, url, format: 'module' } : found;
    },
  });
}
