// Readings of documents for callers: start, list, show.

import * as contract from '@lorekeep/contract';
import { type BodyOf, type createReading, maxReadFiles, type Reading, Refusal } from '@lorekeep/contract';
import type { FastifyInstance } from 'fastify';
import type { Selectable } from 'kysely';
import { record } from '../../audit/record.ts';
import type { Caller } from '../../auth/caller.ts';
import { isoTime } from '../../http/iso-time.ts';
import { serve } from '../../http/serve.ts';
import type { Store } from '../../store/database.ts';
import { newestPage } from '../../store/page.ts';
import type { ReadingRow } from '../../store/tables/proposal.ts';
import { storable } from '../fact-details.ts';
import type { Memories } from '../memories.ts';
import { lockMemory, type OwnMemory } from '../memory-store.ts';
import { queryInBatches } from '../proposals/rows.ts';

export type OwnReading = Selectable<ReadingRow>;

/** Returns whether a base reads prose well enough to be asked about documents. */
export type ReadsProse = (base: string, accountId: number) => Promise<boolean>;

interface Dependencies {
  store: Store;
  memories: Memories;
  readsProse: ReadsProse;
  wake(): void;
}

export function readingRoutes(app: FastifyInstance, { store, memories, readsProse, wake }: Dependencies): void {
  const { db } = store;
  serve(app, contract.createReading, async ({ caller, params, body }) => {
    const own = await memories.own(caller, params.name);
    const asksBase = body.ask_base && (await readsProse(own.base_model, own.account_id));
    const made = await create(store, caller, own, { ...body, keyId: asksBase ? caller.key.id : null });
    wake();
    return shown(made);
  });
  const of = ({ id }: OwnMemory) => db.selectFrom('memory_readings').selectAll().where('memory_id', '=', id);
  serve(app, contract.listReadings, async ({ caller, params, query: { limit, after } }) => {
    const { rows, next } = await newestPage<OwnReading>(of(await memories.own(caller, params.name)), limit, after);
    return { readings: rows.map(shown), next };
  });
  serve(app, contract.showReading, async ({ caller, params: { name, id } }) => {
    const row = await of(await memories.own(caller, name))
      .where('id', '=', id)
      .executeTakeFirst();
    if (!row) throw new Refusal('reading_not_found', { name, id });
    return shown(row);
  });
}

async function create(
  store: Store,
  caller: Caller,
  own: OwnMemory,
  { index_id, files, min_confidence, assignee, keyId }: BodyOf<typeof createReading> & { keyId: number | null },
): Promise<OwnReading> {
  return await store.db.transaction().execute(async (change) => {
    const memory = await lockMemory(store, change, own.id);
    if (!memory) throw new Refusal('memory_not_found', { name: own.name });
    const index = await change
      .selectFrom('indexes')
      .select('id')
      .where('id', '=', index_id)
      .where('account_id', '=', memory.account_id)
      .where('deleted_at', 'is', null)
      .executeTakeFirst();
    if (!index) throw new Refusal('index_not_found', { id: index_id });
    const there = change.selectFrom('index_files').select('id').where('index_id', '=', index_id);
    const wanted = files && [...new Set(files)];
    const found = wanted
      ? await queryInBatches(wanted, async (some) =>
          there.where('id', 'in', some).where('state', '<>', 'deleting').execute(),
        )
      : await there.where('state', '=', 'done').execute();
    const ids = new Set(found.map(({ id }) => id));
    const missing = wanted?.find((file) => !ids.has(file));
    if (missing !== undefined) throw new Refusal('index_file_not_found', { id: index_id, file: missing });
    const more = found.length > maxReadFiles;
    const notices = more ? [`The index has ${found.length} files; the first ${maxReadFiles} are read.`] : [];
    const row = await change
      .insertInto('memory_readings')
      .values({
        ...{ memory_id: memory.id, index_id, only: wanted ? JSON.stringify(wanted) : null, min_confidence },
        ...{ assignee: assignee === undefined ? null : storable(assignee), state: 'running', place: 0 },
        ...{ files: Math.min(found.length, maxReadFiles), files_done: 0, proposed: 0, known: 0 },
        ...{ notices: JSON.stringify(notices), actor: caller.account.name, created_at: Date.now(), key_id: keyId },
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    const details = { reading: row.id, index: index_id, files: row.files };
    await record(change, {
      ...{ action: 'proposals.reading_ordered', accountId: memory.account_id, subject: memory.name, details },
    });
    return row;
  });
}

const shown = (row: OwnReading): Reading => ({
  ...{ id: row.id, index_id: row.index_id, state: row.state, files: row.files, files_done: row.files_done },
  ...{
    proposed: row.proposed,
    known: row.known,
    asks_base: row.key_id !== null,
    notices: JSON.parse(row.notices) as string[],
    by: row.actor,
  },
  ...{ created_at: isoTime(row.created_at)!, finished_at: isoTime(row.finished_at) },
});
