// Files generated from code and committed, so that a review shows how they change: the contract, the schema of the database, tables of the
// docs.
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import * as contract from '@lorekeep/contract';
import { exitCodes, exitMeanings } from '../cli/src/exit.ts';
import { wholeHelp } from '../cli/src/help.ts';
import { settingsTable } from '../server/src/config/describe.ts';
import { openStore } from '../server/src/store/open.ts';
import { version } from '../server/src/version.ts';
import { clientFiles } from './client.ts';
import { boundsExamples, engineContract } from './engine-contract.ts';
import { engineMessages } from './engine-messages.ts';
import { referencePage } from './reference.ts';

const root = resolve(import.meta.dirname, '..');

interface Generated {
  path: string;
  /** Changes from the present text to the text that should be. */
  make(current: string): Promise<string> | string;
}

const generated: Generated[] = [
  {
    path: 'contract/openapi.json',
    make: () => `${JSON.stringify(contract.openApiDocument(contract.routes, version), null, 2)}\n`,
  },
  { path: 'server/src/store/schema.sql', make: schemaSql },
  { path: 'docs/reference/configuration.md', make: (current) => between(current, settingsTable()) },
  { path: 'docs/reference/errors.md', make: (current) => between(current, errorsTable()) },
  { path: 'docs/reference/tuning.md', make: (current) => between(current, argumentsTable()) },
  { path: 'docs/reference/models.md', make: (current) => between(current, knownModelsTable()) },
  { path: 'docs/reference/versions.md', make: (current) => between(current, contract.versionPromise) },
  { path: 'docs/reference/api.md', make: () => referencePage(contract.routes, version) },
  { path: 'docs/guide/cli.md', make: (current) => between(current, exitCodesTable()) },
  { path: 'cli/help.txt', make: () => wholeHelp() },
  { path: 'engine/lorekeep/contract.py', make: () => engineContract() },
  { path: 'engine/protocol/bounds.json', make: () => boundsExamples() },
  { path: 'engine/protocol/messages.json', make: () => engineMessages() },
  ...Object.entries(clientFiles(contract.routes, version)).map(([path, text]) => ({ path, make: () => text })),
];

/** Replaces the text between the two marks; the prose around it is written by hand. */
function between(current: string, content: string): string {
  return current.replace(
    /(<!-- made from the code -->\n)[\s\S]*?(<!-- until here -->)/,
    (_, start, end) => `${start}\n${content}\n\n${end}`,
  );
}

function errorsTable(): string {
  const rows = Object.entries(contract.errors).map(
    ([code, { status, sentence, hint }]) => `| \`${code}\` | ${status} | ${sentence} | ${hint} |`,
  );
  return ['| Code | Status | What happened | What to do |', '|---|---|---|---|', ...rows].join('\n');
}

function knownModelsTable(): string {
  const gigabytes = (bytes: number) => `${(bytes / 1e9).toFixed(1)} GB`;
  const rows = contract.knownModels.map(
    (model) =>
      `| \`${model.model_name}\` | ${(model.parameters / 1e9).toFixed(1)} B | ${gigabytes(contract.downloadBytes(model))} | ` +
      `${gigabytes(contract.tuningBytes(model))} | ${model.licence}${model.gated ? ' (gated)' : ''} | ${model.good_for} |`,
  );
  return [
    '| Model | Parameters | Download | Memory on a CPU | Licence | Good for |',
    '|---|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}

function argumentsTable(): string {
  const rows = Object.entries(contract.finetuneArgs).map(
    ([name, arg]) =>
      `| \`${name}\` | ${contract.allowed(arg.takes)} | ${contract.withoutIt(arg)} | ${contract.effectOf(arg)} |`,
  );
  return ['| Argument | Takes | Without it | What it does |', '|---|---|---|---|', ...rows].join('\n');
}

function exitCodesTable(): string {
  const rows = Object.entries(exitCodes).map(
    ([name, code]) => `| ${code} | ${exitMeanings[name as keyof typeof exitCodes]} |`,
  );
  return ['| Number | |', '|---|---|', ...rows].join('\n');
}

async function schemaSql(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'lorekeep-schema-'));
  try {
    const path = join(folder, 'schema.db');
    await (await openStore(`sqlite:${path}`)).close();
    const database = new DatabaseSync(path, { readOnly: true });
    const rows = database
      .prepare("select sql from sqlite_master where sql is not null and name not like 'sqlite_%' order by rowid")
      .all();
    database.close();
    const statements = rows.map(({ sql }) =>
      String(sql)
        .replaceAll(', "', ',\n  "')
        .replace(/\) \(|" \("/, (found) => found.replace('(', '(\n  ')),
    );
    return `-- The schema as the migrations make it on SQLite. Made from the code; the migrations are what counts.\n\n${statements.join(';\n\n')};\n`;
  } finally {
    await rm(folder, { recursive: true });
  }
}

const write = process.argv.includes('--write');
const stale: string[] = [];
for (const { path, make } of generated) {
  const file = join(root, path);
  let current = '';
  try {
    current = readFileSync(file, 'utf8');
  } catch {
    // Not there yet: made below, or reported as different.
  }
  const content = await make(current);
  if (content === current) continue;
  if (write) writeFileSync(file, content);
  else stale.push(relative(root, file));
}
if (stale.length > 0) {
  process.stderr.write(
    `These files differ from what the code makes; \`./lorekeep check --write\` brings them up to date:\n  ${stale.join('\n  ')}\n`,
  );
  process.exitCode = 1;
}
