// The routes of evaluations.
import { Readable } from 'node:stream';
import * as contract from '@lorekeep/contract';
import type { FastifyInstance } from 'fastify';
import { requestSignal } from '../http/request-signal.ts';
import { serve } from '../http/serve.ts';
import type { TunedFolders } from '../models/tuned-folders.ts';
import type { Jobs } from '../tuning/jobs.ts';
import type { Evaluations } from './evaluations.ts';
import { jobEvaluation } from './job-evaluation.ts';
import { csvTable } from './table.ts';

interface Dependencies {
  evaluations: Evaluations;
  jobs: Jobs;
  folders: TunedFolders;
}

export function evaluationRoutes(app: FastifyInstance, { evaluations, jobs, folders }: Dependencies): void {
  serve(app, contract.startEvaluation, async ({ caller, body }) => await evaluations.start(caller, body));
  serve(
    app,
    contract.listEvaluations,
    async ({ caller, query }) => await evaluations.list(caller, query.limit, query.after),
  );
  serve(app, contract.showEvaluation, async ({ caller, params }) => await evaluations.show(caller, params.id));
  serve(
    app,
    contract.showEvaluationResults,
    async ({ caller, params, query }) => await evaluations.results(caller, params.id, query),
  );
  serve(app, contract.downloadEvaluation, async ({ caller, params, query, reply }) => {
    const { targets, pages } = await evaluations.all(caller, params.id);
    reply.header('content-disposition', `attachment; filename="evaluation-${params.id}.csv"`);
    return Readable.from(csvTable(targets, pages, query.cells ?? 'plain'), { objectMode: false });
  });
  serve(app, contract.cancelEvaluation, async ({ caller, params }) => await evaluations.cancel(caller, params.id));
  serve(app, contract.deleteEvaluation, async ({ caller, params }) => {
    await evaluations.delete(caller, params.id);
    return { deleted: params.id };
  });
  serve(
    app,
    contract.evaluateJob,
    async ({ caller, params, reply }) =>
      await jobEvaluation({ evaluations, jobs, folders }, caller, params.id, requestSignal(reply)),
  );
}
