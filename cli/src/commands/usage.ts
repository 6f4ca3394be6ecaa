// lorekeep usage: tokens in and out and slot seconds, by day, key and model.
import type { Command } from '../command.ts';
import { table } from '../terminal.ts';

export const usage: Command = {
  name: 'usage',
  summary: 'tokens in and out and slot seconds, by day, key and model',
  options: {
    from: { value: 'DAY', about: 'the first day, such as 2026-11-01; 30 days ago without it' },
    to: { value: 'DAY', about: 'the last day; today without it' },
  },
  async run(context, given) {
    const answer = await context.client().showUsage({ from: given.text('from'), to: given.text('to') }, context);
    const number = (value: number) => value.toLocaleString('en');
    context.show(answer, () =>
      table([
        ['DAY', 'KEY', 'REQUESTS', 'TOKENS IN', 'TOKENS OUT', 'SLOT SECONDS', 'MODEL'],
        ...answer.usage.map((one) => [
          one.day,
          one.key_name,
          number(one.requests),
          number(one.prompt_tokens),
          number(one.completion_tokens),
          number(one.slot_seconds),
          one.model_name,
        ]),
        [
          '',
          'all',
          number(answer.total.requests),
          number(answer.total.prompt_tokens),
          number(answer.total.completion_tokens),
          number(answer.total.slot_seconds),
          '',
        ],
      ]),
    );
  },
};
