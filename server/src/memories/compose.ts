// Composes memories into one part of the server: their routes, and the worker that applies changes in the background.
import * as contract from '@lorekeep/contract';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { SpareWorker } from '../cluster/spare-worker.ts';
import type { VersionEvaluations } from '../evaluations/version-evaluations.ts';
import { requestSignal } from '../http/request-signal.ts';
import { serve } from '../http/serve.ts';
import type { Models } from '../models/models.ts';
import type { TunedModels } from '../models/tuned.ts';
import type { TunedFolders } from '../models/tuned-folders.ts';
import type { Store } from '../store/database.ts';
import { pageOf } from '../store/page.ts';
import type { FindLongFacts } from '../tuning/submit/long-facts.ts';
import type { MovedTo } from '../tuning/submit/move.ts';
import type { Successor } from '../tuning/submit/successor.ts';
import { Comparisons, comparisonRoutes } from './comparisons.ts';
import { compareVersions, searchFacts } from './facts.ts';
import { composeFeedback } from './feedback/compose.ts';
import { GateCheck } from './gate-check.ts';
import { gateRoutes } from './gate-routes.ts';
import { Gates } from './gates.ts';
import { Memories } from './memories.ts';
import { type OwnMemory, shownChange, shownVersion } from './memory-store.ts';
import { proposalRoutes } from './proposals/routes.ts';
import { type ReadsProse, readingRoutes } from './readings/readings.ts';
import { type AskModel, ReadingWorker } from './readings/worker.ts';
import { type Erase, MemoryWorker } from './worker.ts';

interface Dependencies {
  store: Store;
  models: Models;
  tuned: TunedModels;
  tunedFolders: TunedFolders;
  order(successor: Successor): Promise<unknown>;
  movedTo: MovedTo;
  tooLong: FindLongFacts;
  evaluations: VersionEvaluations;
  /** Asks the bases of memories about documents. */
  base: { readsProse: ReadsProse; ask: AskModel };
  erasures: { step: Erase; stop(): void };
  spare: SpareWorker;
  contact: string;
  log: FastifyBaseLogger;
}

export function composeMemories(dependencies: Dependencies) {
  const { store, tuned, tunedFolders, order, evaluations, base, erasures, spare, log } = dependencies;
  const check = new GateCheck({ store, evaluations });
  const erase = erasures.step;
  const worker = new MemoryWorker({ store, tuned, folders: tunedFolders, order, gates: check, erase, log });
  const gates = new Gates({ store, evaluations });
  const comparisons = new Comparisons({ store, evaluations });
  const memories = new Memories({ ...dependencies, onWork: () => worker.wake() });
  const readings = new ReadingWorker(store, log, base.ask);
  const votes = composeFeedback(store, log);
  return {
    feedback: votes.feedback,
    routes(app: FastifyInstance) {
      serve(app, contract.createMemory, async ({ caller, body }) => await memories.create(caller, body));
      serve(app, contract.listMemories, async ({ caller, query }) => memories.list(caller, query.limit, query.after));
      serve(app, contract.showMemory, async ({ caller, params }) => await memories.show(caller, params.name));
      serve(app, contract.deleteMemory, async ({ caller, params }) => {
        await memories.delete(caller, params.name);
        return { deleted: params.name };
      });
      serve(app, contract.listMemoryFacts, async ({ caller, params, query }) =>
        searchFacts(store, await memories.own(caller, params.name), query),
      );
      serve(app, contract.changeMemory, async ({ caller, params, body, reply }) =>
        memories.order(caller, params.name, body, requestSignal(reply)),
      );
      serve(app, contract.moveMemory, async ({ caller, params, body, reply }) =>
        memories.move(caller, params.name, body, requestSignal(reply)),
      );
      serve(app, contract.publishMemoryVersion, async ({ caller, params, body }) =>
        memories.publish(caller, params.name, body),
      );
      serve(app, contract.compareMemoryVersions, async ({ caller, params, query }) =>
        compareVersions(store, await memories.own(caller, params.name), query),
      );
      historyRoutes(app, store, memories);
      gateRoutes(app, gates);
      comparisonRoutes(app, comparisons);
      proposalRoutes(app, { store, memories, folders: tunedFolders, spare });
      votes.routes(app);
      readingRoutes(app, { store, memories, readsProse: base.readsProse, wake: () => readings.wake() });
    },
    start() {
      worker.start();
      readings.start();
      votes.start();
    },
    wake: () => worker.wake(),
    async stop() {
      erasures.stop();
      await votes.stop();
      await readings.stop();
      await worker.stop();
    },
  };
}

function historyRoutes(app: FastifyInstance, store: Store, memories: Memories): void {
  const changesOf = ({ id }: OwnMemory) =>
    store.db.selectFrom('memory_changes').selectAll().where('memory_id', '=', id);
  serve(app, contract.listMemoryChanges, async ({ caller, params, query: { limit, after } }) => {
    let query = changesOf(await memories.own(caller, params.name))
      .orderBy('number', 'desc')
      .limit(limit + 1);
    if (after !== undefined) query = query.where('number', '<', after);
    const { rows, next } = pageOf(await query.execute(), limit, ({ number }) => number);
    return { changes: rows.map(shownChange), next };
  });
  serve(app, contract.showMemoryChange, async ({ caller, params: { name, number } }) => {
    const row = await changesOf(await memories.own(caller, name))
      .where('number', '=', number)
      .executeTakeFirst();
    if (!row) throw new contract.Refusal('change_not_found', { name, number });
    return shownChange(row);
  });
  serve(app, contract.listMemoryVersions, async ({ caller, params, query: { limit, after } }) => {
    const memory = await memories.own(caller, params.name);
    let query = store.db
      .selectFrom('memory_versions')
      .selectAll()
      .where('memory_id', '=', memory.id)
      .orderBy('number', 'desc')
      .limit(limit + 1);
    if (after !== undefined) query = query.where('number', '<', after);
    const { rows, next } = pageOf(await query.execute(), limit, ({ number }) => number);
    return { versions: rows.map((row) => shownVersion(row, memory)), next };
  });
}
