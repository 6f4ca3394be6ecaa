// The routes of webhooks.
import * as contract from '@lorekeep/contract';
import type { FastifyInstance } from 'fastify';
import { serve } from '../http/serve.ts';
import type { Webhooks } from './webhooks.ts';

export function webhookRoutes(app: FastifyInstance, webhooks: Webhooks): void {
  serve(app, contract.createWebhook, async ({ caller, body }) => await webhooks.create(caller, body.url));
  serve(app, contract.listWebhooks, async ({ caller }) => ({ webhooks: await webhooks.list(caller) }));
  serve(app, contract.deleteWebhook, async ({ caller, params }) => {
    await webhooks.delete(caller, params.id);
    return { deleted: params.id };
  });
  serve(
    app,
    contract.listDeliveries,
    async ({ caller, params, query }) => await webhooks.deliveries(caller, params.id, query.limit, query.after),
  );
}
