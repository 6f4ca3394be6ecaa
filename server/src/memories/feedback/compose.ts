// Composes feedback into one part of the server: its routes, and the removal of decision records after their retention time.
import * as contract from '@lorekeep/contract';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { serve } from '../../http/serve.ts';
import { BackgroundTasks } from '../../leases/background.ts';
import type { Store } from '../../store/database.ts';
import { AnswerFeedback } from './feedback.ts';

const sweepMs = 60_000;

export function composeFeedback(store: Store, log: FastifyBaseLogger) {
  const feedback = new AnswerFeedback(store);
  const tasks = new BackgroundTasks((error) =>
    log.warn({ err: error }, 'expired decision records could not be removed; retrying'),
  );
  const sweep = async () => await feedback.sweep();
  return {
    feedback,
    routes(app: FastifyInstance) {
      serve(app, contract.giveFeedback, async ({ caller, body }) => await feedback.give(caller, body));
      serve(app, contract.listFeedback, async ({ caller, query }) => await feedback.list(caller, query));
      serve(app, contract.showFeedbackSettings, async ({ caller }) => ({
        decision_days: await feedback.days(caller.account.id),
      }));
      serve(app, contract.changeFeedbackSettings, async ({ caller, body }) => {
        await feedback.setDays(caller, body.decision_days);
        return body;
      });
    },
    start: () => tasks.every(sweepMs, sweep),
    stop: async () => await tasks.stop(),
  };
}
