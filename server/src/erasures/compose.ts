// Composes erasures into one part of the server: their routes, and the steps that the worker of memories runs.
import { randomInt } from 'node:crypto';
import * as contract from '@lorekeep/contract';
import type { FastifyInstance } from 'fastify';
import { requestSignal } from '../http/request-signal.ts';
import { serve } from '../http/serve.ts';
import { endedVersions } from '../memories/erased.ts';
import { memoryOf, type OwnChange, type OwnMemory, versionOf } from '../memories/rows.ts';
import { basesOf } from './bases.ts';
import type { EraserDependencies } from './dependencies.ts';
import { Eraser } from './eraser.ts';
import { Erasures } from './erasures.ts';
import { ReceiptKey } from './receipt-key.ts';

interface Dependencies extends Omit<EraserDependencies, 'key'> {
  home: string;
  device(): string;
  onWork(): void;
}

export function composeErasures({ home, device, onWork, ...parts }: Dependencies) {
  const key = new ReceiptKey(home);
  const { store, folders, blobs, models, tuned, spare } = parts;
  const erasures = new Erasures({ store, blobs, folders, key, onWork });
  const eraser = new Eraser({ ...parts, key });
  return {
    step: async (memory: OwnMemory, order: OwnChange) => await eraser.step(memory, order),
    stop: () => eraser.stop(),
    routes(app: FastifyInstance) {
      serve(app, contract.planErasure, async ({ caller, params, body }) => erasures.plan(caller, params.name, body));
      serve(app, contract.eraseFacts, async ({ caller, params, body }) => erasures.order(caller, params.name, body));
      serve(app, contract.retryErasure, async ({ caller, params }) =>
        erasures.retry(caller, params.name, params.number),
      );
      serve(app, contract.listErasures, async ({ caller, params, query }) =>
        erasures.list(caller, params.name, query.limit, query.after),
      );
      serve(app, contract.showErasure, async ({ caller, params }) => erasures.show(caller, params.name, params.number));
      serve(app, contract.listReceipts, async ({ caller, query }) =>
        erasures.receipts(caller, query.limit, query.after),
      );
      serve(
        app,
        contract.showReceipt,
        async ({ caller, params }) => (await erasures.receipt(caller, params.number)).receipt,
      );
      serve(app, contract.verifyReceipt, async ({ caller, params }) => erasures.verify(caller, params.number));
      serve(app, contract.showReceiptKey, async () => await key.public());
      serve(app, contract.verifyMemoryVersion, async ({ caller, params: { name, version }, body, reply }) => {
        const memory = await memoryOf(store.db, caller.account.id, name);
        const { model_name } = await versionOf(store.db, memory, version);
        const ended = await endedVersions(store.db, memory.id);
        if (ended.has(version))
          throw new contract.Refusal('version_erased', {
            name,
            version,
            receipt: ended.get(version) ?? 'not written yet',
          });
        // Versions of a memory that was moved are on several bases.
        const made = await tuned.find(model_name, memory.account_id);
        const base = (await models.find(made?.base_model ?? memory.base_model, memory.account_id)).folder;
        const seed = body.seed ?? randomInt(2 ** 32 - 1);
        const asked = {
          ...{ model: await folders.model(model_name), base, others: await basesOf(store, models, memory) },
          ...{ count: body.experts, seed, device: device() },
        };
        const found = await spare.rebuild(asked, requestSignal(reply, 300));
        // If nothing can be compared, nothing is proven.
        const sound = found.compared.length > 0 && found.compared.every(({ same }) => same);
        return { sound, seed, ...found };
      });
    },
  };
}
