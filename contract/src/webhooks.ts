// Webhooks: a message to an address of the account when one of its jobs ends, signed and sent again until it is taken.
import { z } from 'zod';
import { hasInvisible, id, isoTimestamp, next, page } from './common.ts';
import { route } from './route.ts';

const tag = 'Webhooks';

export const webhookSchema = z
  .object({ id: z.int(), url: z.string(), created_at: isoTimestamp })
  .meta({ id: 'Webhook' });
export type Webhook = z.infer<typeof webhookSchema>;

/** Ports below 1024 belong to other protocols; web browsers refuse them as well. */
const isPort = (port: string) => port === '' || port === '80' || port === '443' || Number(port) >= 1024;

const url = z
  .string()
  .max(2000)
  // URL.parse drops some of them silently.
  .refine((text) => !hasInvisible(text), 'must not hold control characters or invisible ones')
  .refine((text) => {
    const parsed = URL.parse(text);
    return parsed !== null && /^https?:$/.test(parsed.protocol) && !parsed.username && !parsed.password;
  }, 'must be an http or https address without a name or password in it')
  .refine((text) => isPort(URL.parse(text)?.port ?? ''), 'must have the port 80, 443 or one from 1024 on')
  .meta({ examples: ['https://ci.example.org/tuned'], pattern: '^https?://[^@]+$' });

export const createWebhook = route({
  name: 'createWebhook',
  method: 'POST',
  path: '/v1/webhooks',
  tag,
  summary: 'Have an address told when a job of the account ends',
  description:
    'The secret is shown this once. Each message has the header `Lorekeep-Signature: t=SECONDS,v1=HEX`: HMAC-SHA256 with the secret over ' +
    'the text `SECONDS.BODY`. Any status from 200 to 299 takes it; else it is sent again, up to twelve times within two days. An address that fails again and again is asked ' +
    'less often, at most for an hour. Redirects are not followed. Only public addresses are reached, unless the operator allows others.',
  access: 'tune',
  body: z.strictObject({ url }),
  answer: webhookSchema.extend({ secret: z.string() }),
  errors: ['webhooks_limit', 'webhook_address_refused'],
});

export const listWebhooks = route({
  name: 'listWebhooks',
  method: 'GET',
  path: '/v1/webhooks',
  tag,
  summary: 'The webhooks of the account',
  access: 'read',
  answer: z.object({ webhooks: z.array(webhookSchema) }),
});

const params = z.object({ id });

export const deleteWebhook = route({
  name: 'deleteWebhook',
  method: 'DELETE',
  path: '/v1/webhooks/{id}',
  tag,
  summary: 'Delete a webhook; what it was not told yet is not sent',
  access: 'tune',
  params,
  answer: z.object({ deleted: z.int() }),
  errors: ['webhook_not_found'],
});

export const listDeliveries = route({
  name: 'listDeliveries',
  method: 'GET',
  path: '/v1/webhooks/{id}/deliveries',
  tag,
  summary: 'The messages of a webhook, newest first',
  access: 'read',
  params,
  query: page,
  answer: z.object({
    deliveries: z.array(
      z.object({
        id: z.int(),
        job_id: z.int(),
        status: z.enum(['waiting', 'delivered', 'given up']),
        attempts: z.int(),
        last_answer: z.string().nullable().describe('The status that came back, or `no answer`.'),
        next_attempt_at: isoTimestamp.nullable(),
        created_at: isoTimestamp,
      }),
    ),
    next,
  }),
  errors: ['webhook_not_found'],
});
