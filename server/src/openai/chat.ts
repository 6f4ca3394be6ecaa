// POST /inf/chat/completions.
import type { AnswerOf, ChatBody, chat, chatEvent } from '@lorekeep/contract';
import type { z } from 'zod';
import type { Generation } from '../engine/protocol.ts';
import type { CallContext, DocumentedEnd, ModelClient } from '../inference/model-client.ts';
import { inParallel } from '../inference/parallel.ts';
import { withExplanation } from '../inference/routes.ts';
import { answerHead, chatLogprobs, finishOf, usageOf } from './answer.ts';
import { mergeStreams } from './merge-streams.ts';
import { chatQuestion, choiceOf } from './question.ts';

type More = Pick<Generation, 'room'>;

export async function chatAnswer(
  modelClient: ModelClient,
  body: ChatBody,
  callContext: CallContext,
  more: More = {},
): Promise<AnswerOf<typeof chat>> {
  const question = { ...chatQuestion(body), ...more };
  const choices = body.n ?? 1;
  const ends = await inParallel(
    Array.from({ length: choices }, (_, choice) => choiceOf(question, choice)),
    choices,
    (one) => modelClient.answer(body.model, one, callContext),
  );
  return {
    ...answerHead('chatcmpl', body.model),
    object: 'chat.completion',
    choices: ends.map((end, index) => ({
      index,
      message: { role: 'assistant', content: end.text, refusal: null },
      finish_reason: finishOf(end),
      logprobs: chatLogprobs(end.logprobs),
      ...withExplanation(end, body),
    })),
    usage: usageOf(ends, choices),
    ...ends.find(({ documents }) => documents)?.documents,
  };
}

type Event = z.input<typeof chatEvent>;

export async function* chatEvents(
  modelClient: ModelClient,
  body: ChatBody,
  callContext: CallContext,
  more: More = {},
): AsyncGenerator<Event> {
  const question = { ...chatQuestion(body), ...more };
  const choices = body.n ?? 1;
  const usage = body.stream_options?.include_usage ? { usage: null } : {};
  const head = { ...answerHead('chatcmpl', body.model), object: 'chat.completion.chunk' as const };
  const event = (index: number, choice: Partial<Event['choices'][number]>): Event => ({
    ...head,
    choices: [{ index, delta: {}, finish_reason: null, logprobs: null, ...choice }],
    ...usage,
  });
  const ends: DocumentedEnd[] = [];
  const begun = new Set<number>();
  const answers = Array.from({ length: choices }, (_, choice) =>
    modelClient.generate(body.model, choiceOf(question, choice), callContext),
  );
  for await (const { choice, delta, end } of mergeStreams(answers, choices)) {
    if (!begun.has(choice)) yield event(choice, { delta: { role: 'assistant', content: '' } });
    begun.add(choice);
    if (delta) yield event(choice, { delta: { content: delta.text }, logprobs: chatLogprobs(delta.logprobs) });
    else {
      ends[choice] = end;
      yield { ...event(choice, { finish_reason: finishOf(end), ...withExplanation(end, body) }), ...end.documents };
    }
  }
  if (body.stream_options?.include_usage) yield { ...head, choices: [], usage: usageOf(ends, choices) };
}
