// The routes of proposals.
import * as contract from '@lorekeep/contract';
import type { FastifyInstance } from 'fastify';
import { requestSignal } from '../../http/request-signal.ts';
import { serve } from '../../http/serve.ts';
import type { Memories } from '../memories.ts';
import { Proposals } from './proposals.ts';
import { type RewordedDependencies, rewordedConflicts } from './reworded.ts';
import { proposalsNumbered, searchProposals, shownProposals } from './rows.ts';

export function proposalRoutes(
  app: FastifyInstance,
  { store, memories, folders, spare }: RewordedDependencies & { memories: Memories },
): void {
  const proposals = new Proposals(store, memories);
  const { db } = store;
  serve(app, contract.createProposals, async ({ caller, params, body }) =>
    proposals.create(caller, params.name, body.proposals),
  );
  serve(app, contract.findConflicts, async ({ caller, params, body }) =>
    proposals.conflicts(caller, params.name, body),
  );
  serve(app, contract.findRewordedConflicts, async ({ caller, params, body, reply }) =>
    rewordedConflicts(
      { store, folders, spare },
      await memories.own(caller, params.name),
      body,
      requestSignal(reply, 300),
    ),
  );
  serve(app, contract.listProposals, async ({ caller, params, query }) =>
    searchProposals(db, await memories.own(caller, params.name), query),
  );
  serve(app, contract.showProposal, async ({ caller, params: { name, number } }) => {
    const memory = await memories.own(caller, name);
    const rows = await proposalsNumbered(db, memory, [number]);
    return (await shownProposals(db, memory, rows))[0]!;
  });
  serve(app, contract.acceptProposals, async ({ caller, params, body, reply }) =>
    proposals.accept(caller, params.name, body, requestSignal(reply)),
  );
  serve(app, contract.rejectProposals, async ({ caller, params, body: { numbers, reason } }) =>
    proposals.reject(caller, params.name, numbers, reason),
  );
  serve(app, contract.assignProposals, async ({ caller, params, body: { numbers, assignee } }) =>
    proposals.assign(caller, params.name, numbers, assignee),
  );
  serve(app, contract.withdrawProposals, async ({ caller, params, body: { numbers, reason } }) =>
    proposals.withdraw(caller, params.name, numbers, reason),
  );
}
