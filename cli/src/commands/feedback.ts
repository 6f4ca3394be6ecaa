// lorekeep feedback: votes on answers, and the setting that keeps answers.

import { collectItems } from '../collect-items.ts';
import type { Command } from '../command.ts';
import { UsageError } from '../exit.ts';
import { count, shortTime } from '../format.ts';
import { table } from '../terminal.ts';

export const feedbackGive: Command = {
  name: 'feedback give',
  summary: 'vote on an answer; with --expected, a vote down becomes a proposal of the memory that answered',
  words: 'ANSWER VOTE',
  options: {
    expected: { value: 'TEXT', about: 'the answer as it should have been, word for word' },
    comment: { value: 'TEXT', about: 'what was wrong, or right' },
    model: {
      short: 'm',
      value: 'MODEL',
      about: 'the model that was asked, where answers are not kept',
      names: 'tuned',
    },
    question: { value: 'TEXT', about: 'the question, where answers are not kept' },
  },
  async run(context, given) {
    const [answer_id, rating] = given.words as [string, string];
    if (rating !== 'up' && rating !== 'down') throw new UsageError(`A vote is "up" or "down", and not "${rating}".`);
    const about = { expected: given.text('expected'), comment: given.text('comment') };
    const asked = { model: given.text('model'), input: given.text('question') };
    const vote = await context.client().giveFeedback({ answer_id, rating, ...about, ...asked }, context);
    context.show(vote, () => (vote.proposal === null ? vote.rating : String(vote.proposal)));
    if (vote.proposal !== null)
      context.terminal.say(`It is the proposal ${vote.proposal}: ${context.program} memory proposals ${vote.memory}`);
  },
};

export const feedbackList: Command = {
  name: 'feedback list',
  summary: 'votes on answers, newest first',
  options: { rating: { value: 'VOTE', about: 'up or down', choices: ['up', 'down'] } },
  async run(context, given) {
    const rating = given.text('rating') as 'up' | 'down' | undefined;
    const votes = await collectItems(context.client().allFeedback({ limit: 1000, rating }, context));
    context.show(votes, () =>
      table([
        ['WHEN', 'VOTE', 'MODEL', 'QUESTION', 'ANSWER', 'EXPECTED', 'COMMENT'],
        ...votes.map((one) => [
          ...[shortTime(one.created_at), one.rating, one.model ?? '', one.input ?? '', one.output ?? ''],
          ...[one.expected ?? '', one.comment ?? ''],
        ]),
      ]),
    );
  },
};

export const feedbackKeep: Command = {
  name: 'feedback keep',
  summary: 'keep answers with their decisions for so many days; none deletes those that are kept',
  words: '[DAYS]',
  async run(context, given) {
    const [days] = given.words;
    if (days !== undefined && days !== 'none' && !/^[1-9][0-9]?$/.test(days))
      throw new UsageError(`"${days}" is not a number of days from 1 to 90, and not "none".`);
    const client = context.client();
    const settings =
      days === undefined
        ? await client.showFeedbackSettings(context)
        : await client.changeFeedbackSettings({ decision_days: days === 'none' ? null : Number(days) }, context);
    context.show(settings, () => (settings.decision_days === null ? 'none' : count(settings.decision_days, 'day')));
  },
};
