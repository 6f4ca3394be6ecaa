// Composes the audit log into one part of the server: its routes, and the removal of rows after their retention time, if one is set.
import { Readable } from 'node:stream';
import * as contract from '@lorekeep/contract';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { Accounts } from '../accounts/accounts.ts';
import { subject } from '../accounts/subject.ts';
import type { Caller } from '../auth/caller.ts';
import type { Config } from '../config/settings.ts';
import { serve } from '../http/serve.ts';
import { BackgroundTasks } from '../leases/background.ts';
import type { TrustedTime } from '../leases/trusted-time.ts';
import type { Store } from '../store/database.ts';
import { AuditLog, type Domain } from './audit-log.ts';
import { verify } from './verify.ts';

interface Dependencies {
  config: Config;
  store: Store;
  accounts: Accounts;
  time: TrustedTime;
  log: FastifyBaseLogger;
}

const dayMs = 86_400_000;

export function composeAudit({ config, store, accounts, time, log }: Dependencies) {
  const audit = new AuditLog(store);
  const tasks = new BackgroundTasks((error) =>
    log.warn({ err: error }, 'old rows of the audit log could not be removed; retrying in an hour'),
  );
  const domainOf = async (caller: Caller, wanted: number | undefined): Promise<Domain> =>
    wanted === undefined && caller.isOperator ? 'all' : await subject(accounts, caller, wanted);
  return {
    routes(app: FastifyInstance) {
      serve(app, contract.listAudit, async ({ caller, query: { limit, after, account_id, ...filters } }) => {
        return await audit.list(await domainOf(caller, account_id), filters, limit, after);
      });
      serve(app, contract.exportAudit, async ({ caller, query: { account_id, ...filters }, reply }) => {
        const lines = await audit.export(await domainOf(caller, account_id), filters);
        reply.header('content-disposition', 'attachment; filename="audit.jsonl"');
        return Readable.from(lines);
      });
      serve(app, contract.verifyAudit, async ({ query }) => await verify(store, query));
    },
    start() {
      const days = config.audit_days_kept;
      if (days !== null)
        tasks.every(dayMs / 24, async () => void (await audit.prune((await time.now()) - days * dayMs)));
    },
    stop: async () => await tasks.stop(),
  };
}
