// What was used: tokens in and out, by key, day and model.
import { z } from 'zod';
import { id, optional } from './common.ts';
import { route } from './route.ts';

const day = z.iso.date().meta({ examples: ['2026-11-21'] });

const usageSchema = z
  .object({
    day: day.describe('In UTC.'),
    key_id: z.int(),
    key_name: z.string(),
    model_name: z.string(),
    requests: z.int().describe('Prompts and texts that the model worked on.'),
    prompt_tokens: z.int(),
    completion_tokens: z.int(),
  })
  .meta({ id: 'Usage' });
export type Usage = z.infer<typeof usageSchema>;

export const showUsage = route({
  name: 'showUsage',
  method: 'GET',
  path: '/v1/usage',
  tag: 'Accounts',
  summary: 'Tokens in and out of the account, by day, key and model',
  description: 'Counted when an answer ends, and written every few seconds.',
  access: 'read',
  query: z.object({
    from: optional(day).describe('The first day; 30 days ago without it.'),
    to: optional(day).describe('The last day; today without it.'),
    account_id: optional(id).describe("Another account's; for the operator only."),
  }),
  answer: z.object({
    usage: z.array(usageSchema),
    total: z.object({ requests: z.int(), prompt_tokens: z.int(), completion_tokens: z.int() }),
  }),
  errors: ['account_not_found'],
});
