// Composes the webhooks into one part of the server.
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { Config } from '../config/settings.ts';
import type { TrustedTime } from '../leases/trusted-time.ts';
import type { Store } from '../store/database.ts';
import { WebhookNetworks } from './networks.ts';
import { webhookRoutes } from './routes.ts';
import { WebhookSender } from './sender.ts';
import { WebhookHosts } from './webhook-hosts.ts';
import { Webhooks } from './webhooks.ts';

interface Dependencies {
  config: Config;
  store: Store;
  time: TrustedTime;
  log: FastifyBaseLogger;
}

export function composeWebhooks({ config, store, time, log }: Dependencies) {
  const hosts = new WebhookHosts(new WebhookNetworks(config.webhook_networks));
  const sender = new WebhookSender(store, hosts, log, time);
  return {
    routes: (app: FastifyInstance) => webhookRoutes(app, new Webhooks(store, hosts)),
    start: () => sender.start(),
    stop: async () => await sender.stop(),
  };
}
