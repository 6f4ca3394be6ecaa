// The routes of gates of memories.
import * as contract from '@lorekeep/contract';
import type { FastifyInstance } from 'fastify';
import { serve } from '../http/serve.ts';
import type { Gates } from './gates.ts';

export function gateRoutes(app: FastifyInstance, gates: Gates): void {
  serve(app, contract.setMemoryGate, async ({ caller, params, body }) => await gates.set(caller, params.name, body));
  serve(app, contract.showMemoryGate, async ({ caller, params }) => await gates.show(caller, params.name));
  serve(app, contract.removeMemoryGate, async ({ caller, params }) => {
    await gates.remove(caller, params.name);
    return { removed: params.name };
  });
  serve(app, contract.showGateResult, async ({ caller, params: { name, version } }) =>
    gates.result(caller, name, version),
  );
  serve(app, contract.listRegressions, async ({ caller, params: { name, version }, query }) =>
    gates.regressions(caller, name, version, query),
  );
}
