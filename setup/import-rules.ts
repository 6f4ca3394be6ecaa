// Rules of imports, and of the number of files in a folder. `./lorekeep check` applies them to every import that
// TypeScript's parser finds; import-rules.test.ts breaks each rule once.
import { dirname } from 'node:path';
import { type CodeBase, type Import, readCodeBase } from './imports.ts';

/** Workspaces with all that they may import. Workspaces that are not listed may import any of these. */
const workspaces: Record<string, string[]> = {
  contract: ['npm:zod'],
  // Parsers, and zod in the process that validates messages of the parsing process.
  reader: [
    'node',
    'npm:chardet',
    'npm:htmlparser2',
    'npm:marked',
    'npm:postal-mime',
    'npm:unpdf',
    'npm:yauzl',
    'npm:zod',
  ],
  client: ['node'],
  cli: ['client', 'node'],
  server: ['contract', 'reader', 'node'],
  console: ['client', 'demo', 'npm:react', 'npm:react-dom', 'npm:unpdf', 'npm:vite'],
};

/** Files of the command line that the commands of the host share: the correction of mistyped words, and the findings of the doctor. */
const sharedWithCommands = ['cli/src/nearest.ts', 'cli/src/commands/finding.ts'];

/** Folders of server/src from the ground up: each imports its own layer and those below; a domain, the domains that it names as well. */
const ports = ['store', 'blobs', 'vectors', 'engine', 'cluster'];
const ground = [...ports, 'config', 'files', 'leases', 'running', 'version.ts'];
const shared = [...ground, 'http', 'auth', 'accounts', 'audit', 'usage'];
const domains: Record<string, string[]> = {
  datasets: [],
  models: [],
  webhooks: [],
  inference: ['models'],
  runs: ['inference', 'models'],
  documents: ['inference', 'models'],
  openai: ['documents', 'inference', 'models'],
  tuning: ['datasets', 'models', 'webhooks'],
  erasures: ['inference', 'memories', 'models', 'tuning'],
  evaluations: ['datasets', 'documents', 'inference', 'models', 'tuning'],
  memories: ['datasets', 'documents', 'evaluations', 'models', 'tuning'],
};
/** Files and folders that compose the parts; they may import all. */
const top = ['app.ts', 'parts.ts', 'main.ts', 'commands'];
const portFile = /^server\/src\/(store\/database|blobs\/blobs|vectors\/vectors|engine\/engine|cluster\/cluster)\.ts$/;

const maxFiles = 20;
/** Folders with one file for each entry of a list, without a limit. */
const unlimitedFolders = ['bench', 'cli/src/commands', 'contract/src', 'console/src/pages', 'console/src/parts'];

export function problemsOf({ files, imports }: CodeBase): string[] {
  const product = imports.filter(({ from }) => isProduct(from));
  const circle = circleIn(product);
  return [
    ...product.flatMap((one) => {
      const reason = breach(one);
      return reason ? [`${one.from} imports ${one.to}: ${reason}`] : [];
    }),
    ...(circle ? [`a circle of imports: ${circle.join(' -> ')}`] : []),
    ...[...Map.groupBy(files.filter(isProduct), dirname)]
      .filter(([folder, inside]) => inside.length > maxFiles && !unlimitedFolders.includes(folder))
      .map(([folder, inside]) => `${folder} holds ${inside.length} source files, more than ${maxFiles}: divide it`),
  ];
}

/** Tests import anything. */
const isProduct = (path: string) => !/\.test\.tsx?$|(^|\/)testing\//.test(path);

function breach({ from, to, typesOnly }: Import): string | undefined {
  const [own, other] = [from, to].map((path) => path.split('/')[0]!) as [string, string];
  if (own === 'server' && other === 'server') return serverBreach(from, to, typesOnly);
  const allowed = workspaces[own];
  if (!allowed || own === other || allowed.includes(other)) return;
  if (own === 'server' && to.startsWith('npm:')) return;
  if (from.startsWith('server/src/commands/') && sharedWithCommands.includes(to)) return;
  return `${own} imports ${allowed.join(', ') || 'itself'} alone`;
}

function serverBreach(from: string, to: string, typesOnly: boolean): string | undefined {
  const [own, other] = [from, to].map((path) => path.split('/')[2]!) as [string, string];
  if (portFile.test(from) && !typesOnly) return 'a port imports types alone';
  if (own === other || top.includes(own)) return;
  const allowed = ground.includes(own)
    ? ground
    : shared.includes(own)
      ? shared
      : domains[own] && [...shared, ...domains[own]];
  if (!allowed) return `setup/import-rules.ts has no place for server/src/${own}`;
  if (!allowed.includes(other)) return `server/src/${own} imports ${allowed.join(', ')} alone`;
  return to.endsWith('-store.ts') ? `the store of ${other} is its own` : undefined;
}

/** An import cycle among files; type imports count as well. */
function circleIn(imports: Import[]): string[] | undefined {
  const next = Map.groupBy(imports, ({ from }) => from);
  const done = new Set<string>();
  const visit = (file: string, path: string[]): string[] | undefined => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (done.has(file)) return;
    done.add(file);
    for (const { to } of next.get(file) ?? []) {
      const found = visit(to, [...path, file]);
      if (found) return found;
    }
    return;
  };
  for (const file of next.keys()) {
    const found = visit(file, []);
    if (found) return found;
  }
  return;
}

if (process.argv[1] === import.meta.filename) {
  const problems = problemsOf(readCodeBase());
  process.stdout.write(problems.map((problem) => `${problem}\n`).join(''));
  process.exitCode = problems.length > 0 ? 1 : 0;
}
