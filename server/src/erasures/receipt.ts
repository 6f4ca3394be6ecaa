// Content of a receipt: what was removed and rebuilt, the results of the probes, what is out of reach. It holds no text of a fact.
import type { ReceiptBody } from '@lorekeep/contract';
import type { OwnChange, OwnMemory } from '../memories/rows.ts';
import type { Store } from '../store/database.ts';
import { searchDatasets } from './dataset-rows.ts';
import type { EraserDependencies, Work } from './dependencies.ts';
import { ErasedText } from './erased-text.ts';
import { otherHolders } from './other-holders.ts';
import { type Probed, saltedHash } from './probes.ts';
import type { ChosenFact } from './selection.ts';

export async function receiptBody(
  { store, folders, blobs }: Pick<EraserDependencies, 'store' | 'folders' | 'blobs'>,
  memory: OwnMemory,
  order: OwnChange,
  facts: ChosenFact[],
  work: Work,
): Promise<Omit<ReceiptBody, 'number'>> {
  const { salt } = await store.db
    .selectFrom('erasures')
    .select('salt')
    .where('memory_id', '=', memory.id)
    .where('number', '=', order.number)
    .executeTakeFirstOrThrow();
  const versions = await versionsOf(store, order, work);
  const datasets = work.datasets ?? [];
  const names = [
    ...work.models,
    ...datasets.map(({ before }) => before),
    ...versions.map(({ before }) => before.model),
  ];
  return {
    format: 'lorekeep-erasure-1',
    ...{ account_id: memory.account_id, memory: memory.name, erasure: order.number, by: order.actor },
    ordered_at: new Date(order.created_at).toISOString(),
    finished_at: new Date().toISOString(),
    salt,
    facts: [...new Set(facts.map((fact) => saltedHash(salt, fact)))].sort(),
    versions,
    gone: versions.every(
      ({ outcome, probes, probes_skipped }) =>
        outcome === 'ended' || (probes_skipped === null && probes.every(({ because }) => because !== 'unknown')),
    ),
    removed: removedOf(work),
    still_held: [
      ...(await otherHolders(store, folders, memory.account_id, facts, [])),
      ...(facts[0]?.about === undefined ? [] : (await searchDatasets(store, blobs, memory.account_id, facts)).held),
    ],
    exports: await exportsOf(store, memory, names),
    out_of_reach: [...outOfReach(store, work, folders.areCopies), ...(await reasonsWith(store, memory, facts))],
  };
}

export const removedOf = ({
  models,
  facts,
  datasets = [],
  texts = {},
  proposals = 0,
  files = 0,
}: Work): ReceiptBody['removed'] => ({ models, facts, datasets, texts, proposals, files });

async function versionsOf({ db }: Store, order: OwnChange, { published }: Work): Promise<ReceiptBody['versions']> {
  const rows = await db
    .selectFrom('erased_versions')
    .selectAll()
    .where('memory_id', '=', order.memory_id)
    .where('erasure', '=', order.number)
    .orderBy('version')
    .execute();
  return rows.map(({ version, outcome, reason, model_before, before, model_after, after, probes }) => {
    const { probes: asked, skipped } = probes === null ? { probes: [], skipped: null } : (JSON.parse(probes) as Probed);
    return {
      ...{ version, outcome: outcome as 'rebuilt' | 'ended', reason, published: version === published },
      before: { model: model_before, ...JSON.parse(before!) },
      after: after === null ? null : { model: model_after, ...JSON.parse(after) },
      ...{ probes: asked, probes_skipped: skipped },
    };
  });
}

/** Earlier exports of data with the facts, from the audit log. Rows that the operator has pruned are missing. */
async function exportsOf({ db }: Store, { account_id }: OwnMemory, names: string[]): Promise<ReceiptBody['exports']> {
  const rows = await db
    .selectFrom('audit_rows')
    .select(['action', 'subject', 'at', 'actor_name'])
    .where('account_id', '=', account_id)
    .where('action', 'in', ['model.exported', 'dataset.exported'])
    .where('subject', 'in', [...new Set(names)])
    .orderBy('number')
    .execute();
  return rows.map(({ action, subject, at, actor_name }) => ({
    ...{ what: action.split('.')[0]!, name: subject, at: new Date(at).toISOString(), by: actor_name },
  }));
}

/** Earlier versions kept the reason of a publication in the audit log, whose rows are never rewritten. */
async function reasonsWith({ db }: Store, { account_id }: OwnMemory, facts: ChosenFact[]): Promise<string[]> {
  const text = new ErasedText(facts);
  const rows = await db
    .selectFrom('audit_rows')
    .select(['number', 'details'])
    .where('account_id', '=', account_id)
    .where('action', '=', 'memory.published')
    .where('details', 'like', '%"reason":"%')
    .orderBy('number')
    .execute();
  const found = rows.filter(({ details }) => {
    const { reason } = JSON.parse(details) as { reason?: unknown };
    return typeof reason === 'string' && (text.isInSource(reason) || text.isIn(reason, true));
  });
  if (found.length === 0) return [];
  const numbers = found.map(({ number }) => number).join(', ');
  return [`Rows of the audit log, whose reason holds a text of an erased fact: ${numbers}.`];
}

function outOfReach({ engine }: Store, { atWork = 0, damaged = [], quoting = [] }: Work, inObjects: boolean): string[] {
  return [
    'Backups and copies of the data folder or of the database that were made before.',
    'Files that were exported or downloaded; those that the audit log still knows are listed in exports.',
    'Documents of indexes that state the same: their files are sources of their own.',
    'Logs of the server, of proxies and of clients, and messages of webhooks that were delivered.',
    'Memory of running engines of other servers, until they unload the old models; nobody can ask for these any more.',
    'Blocks of the disk that held removed files, until the file system writes them again.',
    engine === 'sqlite'
      ? 'Nothing of the database file: SQLite overwrote what it freed (secure_delete), and its write-ahead log was cut.'
      : 'PostgreSQL: deleted rows were vacuumed; their bytes stay in pages until these are written again, and in the write-ahead log, its archives and replicas.',
    ...(inObjects
      ? [
          'Copies of the old models on the disks of other servers, until each looks at its own, once a minute while it runs; and facts, events and logs of jobs that ran there.',
          'What the object storage itself keeps of removed objects: earlier versions of objects where its bucket keeps them, replicas and backups.',
        ]
      : []),
    ...(atWork > 0
      ? [
          `${atWork} runs or evaluations of the account were not over after a minute and may have stored an answer since.`,
        ]
      : []),
    ...quoting.map(
      (version) =>
        `The model of version ${version}: the source of another fact in its facts file quotes an erased fact.`,
    ),
    ...damaged.map((hash) => `The dataset ${hash} is damaged and could not be read.`),
  ];
}
