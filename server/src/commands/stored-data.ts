// For ./lorekeep doctor: checks the stored files of datasets and documents, in the home or in object storage, and the vectors of each
// index. Within a time limit, the hashes of files are verified and vectors are read. For the rest, only sizes and counts are compared.
import { DatabaseSync } from 'node:sqlite';
import type { Refusal } from '@lorekeep/contract';
import { sql } from 'kysely';
import type { Finding } from '../../../cli/src/commands/finding.ts';
import type { Blobs } from '../blobs/blobs.ts';
import { checkBlob, type Written } from '../blobs/checked.ts';
import { openStorage } from '../blobs/open.ts';
import type { StorageSettings } from '../blobs/storage.ts';
import type { StoredFolders } from '../blobs/stored-folders.ts';
import type { Config } from '../config/settings.ts';
import { inParallel } from '../inference/parallel.ts';
import { openPostgres } from '../store/postgres.ts';
import { LanceVectors } from '../vectors/lance.ts';

const defaultTimeoutMs = 30_000;
const maxNamed = 5;
const modelsAtOnce = 8;

type Row = Record<string, string | number>;

export async function storedData(
  { database_url, ...settings }: StorageSettings & Pick<Config, 'database_url'>,
  within = defaultTimeoutMs,
): Promise<Finding> {
  const name = 'stored data';
  let rows: (query: string) => Promise<Row[]>;
  let close = async () => {};
  try {
    if (database_url.startsWith('sqlite:')) {
      const database = new DatabaseSync(database_url.slice('sqlite:'.length), { readOnly: true });
      rows = async (query) => database.prepare(query).all() as Row[];
      close = async () => database.close();
    } else {
      const store = await openPostgres(database_url);
      rows = async (query) => (await sql.raw<Row>(query).execute(store.db)).rows;
      close = async () => await store.close();
    }
  } catch {
    return { name, state: 'unknown', about: 'the database that lists it cannot be read' };
  }
  try {
    return await checked(name, settings, rows, within);
  } catch (error) {
    // Before the first start there are no tables.
    return { name, state: 'unknown', about: `it cannot be listed: ${(error as Error).message}` };
  } finally {
    await close();
  }
}

async function checked(
  name: string,
  settings: StorageSettings,
  rows: (query: string) => Promise<Row[]>,
  within: number,
): Promise<Finding> {
  const { blobs, tables, beyond, check } = await openStorage(settings);
  try {
    await check();
  } catch (error) {
    return { name, state: 'problem', about: (error as Error).message };
  }
  const files: Written[] = [];
  for (const { hash, blob, bytes } of await rows('select hash, blob, bytes from datasets order by id'))
    files.push({ what: 'dataset', name: String(hash), blob: String(blob), bytes: Number(bytes), sha256: String(hash) });
  const documents = await rows(
    "select index_id, name, blob, bytes, sha256 from index_files where state <> 'deleting' order by id",
  );
  for (const { index_id, name, blob, bytes, sha256 } of documents)
    files.push({
      ...{ what: `document of index ${index_id}`, name: String(name) },
      ...{ blob: String(blob), bytes: Number(bytes), sha256: String(sha256) },
    });
  const problems: string[] = [];
  const started = performance.now();
  let whole = 0;
  for (const file of files) {
    const inTime = performance.now() - started < within;
    const problem = inTime ? await problemOf(checkBlob(blobs, file)) : await sizeProblem(blobs, file);
    if (problem) problems.push(problem);
    if (inTime) whole++;
  }
  const vectors = new LanceVectors(tables);
  const indexes = await rows(
    "select indexes.id, indexes.vectors, sum(index_files.passages) as passages from indexes join index_files on index_files.index_id = indexes.id where indexes.deleted_at is null and index_files.state = 'done' group by indexes.id, indexes.vectors order by indexes.id",
  );
  for (const { id, vectors: table, passages } of indexes) {
    const expected = Number(passages);
    const inTime = performance.now() - started < within;
    const found = await (inTime ? vectors.readable(String(table)) : vectors.count(String(table))).catch(
      () => undefined,
    );
    if (found === undefined) problems.push(`The document index ${id} is damaged: its vectors cannot be read.`);
    else if (found < expected)
      problems.push(`The document index ${id} is damaged: ${found} of its ${expected} passages have a vector.`);
  }
  const models = beyond ? await rows('select name from tuned_models order by name') : [];
  if (beyond) problems.push(...(await modelProblems(beyond.tuned, models)));
  const looked = `${files.length} files of datasets and documents${whole < files.length ? ` (${whole} of them read in full, the others by size)` : ''}, ${indexes.length} indexes${models.length > 0 ? `, ${models.length} tuned models in the storage` : ''}`;
  if (problems.length === 0) return { name, state: 'ok', about: looked };
  const more = problems.length - maxNamed;
  return {
    name,
    state: 'problem',
    about: [...problems.slice(0, maxNamed), ...(more > 0 ? [`And ${more} more.`] : [])].join(' '),
    remedy: 'Restore a backup (docs/guide/operating.md), or delete the damaged data and send it again.',
  };
}

/** Checks tuned models in the storage. Copies on this machine are checked with the other models of the home. */
async function modelProblems(stored: StoredFolders, models: Row[]): Promise<string[]> {
  const found = await inParallel(
    models,
    modelsAtOnce,
    async ({ name }) => await stored.problem(String(name)).catch((error: Error) => sentence(error.message)),
  );
  return found.filter((problem) => problem !== undefined);
}

async function problemOf(check: Promise<void>): Promise<string | undefined> {
  return await check.then(
    () => undefined,
    (error: Refusal | Error) =>
      'code' in error && error.code === 'data_damaged' ? sentence(error.message) : error.message,
  );
}

async function sizeProblem(blobs: Blobs, { what, name, blob, bytes }: Written): Promise<string | undefined> {
  const size = await blobs.size(blob);
  if (size === bytes) return undefined;
  return `The ${what} ${name} is damaged: its file ${size === undefined ? 'is missing' : `has ${size} bytes where ${bytes} were written`}.`;
}

/** The message without its hint, which is meant for callers. */
const sentence = (message: string) => `${message.split(/(?<=\.) The stored data/, 1)[0]}`;
