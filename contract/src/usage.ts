// Usage: tokens in and out and slot seconds, by key, day and model.
import { z } from 'zod';
import { id, optional } from './common.ts';
import { route } from './route.ts';

const day = z.iso.date().meta({ examples: ['2026-11-21'] });

const usageSchema = z
  .object({
    day: day.describe('Day in UTC.'),
    key_id: z.int(),
    key_name: z.string(),
    model_name: z.string().describe('Name of the model; for tuning, the base.'),
    requests: z.int().describe('Prompts and texts that the model worked on.'),
    prompt_tokens: z.int(),
    completion_tokens: z.int(),
    slot_seconds: z.number().describe('Time that tuning jobs ran, once for each slot they held.'),
  })
  .meta({ id: 'Usage' });
export type Usage = z.infer<typeof usageSchema>;

export const showUsage = route({
  name: 'showUsage',
  method: 'GET',
  path: '/v1/usage',
  tag: 'Accounts',
  summary: 'Tokens in and out and slot seconds of the account, by day, key and model',
  description:
    'Tokens are counted when an answer ends, slot seconds while a job runs; both are written every few seconds.',
  access: 'read',
  query: z.object({
    from: optional(day).describe('The first day; 30 days ago without it.'),
    to: optional(day).describe('The last day; today without it.'),
    account_id: optional(id).describe("Another account's; for the operator only."),
  }),
  answer: z.object({
    usage: z.array(usageSchema),
    total: usageSchema.pick({ requests: true, prompt_tokens: true, completion_tokens: true, slot_seconds: true }),
  }),
  errors: ['account_not_found'],
});
