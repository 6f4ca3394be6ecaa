// The routes of tuning.
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import * as contract from '@lorekeep/contract';
import type { FastifyInstance } from 'fastify';
import type { Caller } from '../auth/caller.ts';
import { requestSignal } from '../http/request-signal.ts';
import { serve } from '../http/serve.ts';
import { warn } from '../http/warn.ts';
import type { JobCommands } from './job-commands.ts';
import type { Jobs } from './jobs.ts';
import { liveEvents } from './live.ts';
import type { Plan } from './submit/plan.ts';
import type { Submission } from './submit/submission.ts';
import { readSweep } from './sweeps.ts';

export interface TuningParts {
  submission: Submission;
  plan(caller: Caller, body: IncomingMessage | undefined, signal: AbortSignal): Promise<Plan>;
  jobCommands: JobCommands;
  jobs: Jobs;
  contact: string;
  slots(caller: Caller): Promise<contract.ClusterState>;
  /** Called when the queue has changed. */
  wake(): void;
}

export function tuningRoutes(
  app: FastifyInstance,
  { submission, plan, jobCommands, jobs, contact, slots, wake }: TuningParts,
): void {
  serve(app, contract.train, async ({ caller, request, reply }) => {
    const { id, datasetId, warnings } = await submission.submit(caller, bodyOf(request.body), requestSignal(reply));
    warn(reply, warnings);
    return { job_id: id, status: 'CREATED' as const, dataset_id: datasetId };
  });

  serve(app, contract.showCluster, async ({ caller }) => await slots(caller));

  serve(app, contract.sweep, async ({ caller, request, reply }) => {
    const { id, datasetId, warnings } = await submission.submit(
      caller,
      bodyOf(request.body),
      requestSignal(reply),
      readSweep,
    );
    warn(reply, warnings);
    return { job_id: id, status: 'CREATED' as const, dataset_id: datasetId };
  });
  serve(
    app,
    contract.listSweeps,
    async ({ caller, query }) => await jobs.list(caller, query.limit, query.after, 'sweeps'),
  );
  serve(app, contract.showSweep, async ({ caller, params }) => await jobs.showSweep(caller, params.id));

  serve(
    app,
    contract.planTraining,
    async ({ caller, request, reply }) => await plan(caller, bodyOf(request.body), requestSignal(reply)),
  );

  serve(app, contract.listJobs, async ({ caller, query }) => await jobs.list(caller, query.limit, query.after));
  serve(app, contract.showJob, async ({ caller, params }) => await jobs.show(caller, params.id));

  serve(app, contract.cancelJob, async ({ caller, params: { id } }) => {
    await jobCommands.cancel(caller.account.id, id);
    wake();
    return { status: 'CANCELLED' as const, message: `cancelled ${id}` };
  });
  serve(app, contract.cancelJobs, async ({ caller }) => {
    const cancelled = await jobCommands.cancelAll(caller.account.id);
    wake();
    const message = cancelled.length === 0 ? 'no job waits or runs' : `cancelled ${cancelled.join(', ')}`;
    return { status: 'CANCELLED' as const, message, cancelled };
  });
  serve(app, contract.resumeJob, async ({ caller, params: { id } }) => {
    await jobCommands.resume(caller.account.id, id, caller.account.limits.jobs, contact);
    wake();
    return { status: 'QUEUED' as const, message: `resumed ${id}` };
  });

  serve(
    app,
    contract.listJobEvents,
    async ({ caller, params, query }) => await jobs.events(caller, params.id, query.limit, query.after),
  );
  serve(app, contract.watchJob, async ({ caller, params, request, reply }) => {
    await jobs.own(caller, params.id);
    const after = Number(request.headers['last-event-id'] ?? 0);
    reply.header('x-accel-buffering', 'no');
    const events = liveEvents(jobs, caller, params.id, Number.isSafeInteger(after) ? after : 0, requestSignal(reply));
    return Readable.from(events, { objectMode: false });
  });
  serve(app, contract.readJobLog, async ({ caller, params, query }) => await jobs.log(caller, params.id, query.lines));
}

export const bodyOf = (body: unknown) => body as IncomingMessage | undefined;
