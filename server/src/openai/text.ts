// POST /inf/completions.
import type { AnswerOf, completeText, TextBody } from '@lorekeep/contract';
import type { End } from '../engine/protocol.ts';
import type { CallContext, ModelClient } from '../inference/model-client.ts';
import { inParallel } from '../inference/parallel.ts';
import { maxConcurrentPrompts, withExplanation } from '../inference/routes.ts';
import { answerHead, characters, finishOf, textLogprobs, usageOf } from './answer.ts';
import { mergeStreams } from './merge-streams.ts';
import { choiceOf, textQuestion } from './question.ts';

type Answer = AnswerOf<typeof completeText>;

export async function textAnswer(modelClient: ModelClient, body: TextBody, callContext: CallContext): Promise<Answer> {
  const asked = choicesOf(body);
  const ends = await inParallel(asked, maxConcurrentPrompts, ({ question, place }) =>
    modelClient.answer(body.model, question, { ...callContext, ...place }),
  );
  return {
    ...answerHead('cmpl', body.model),
    object: 'text_completion',
    choices: ends.map((end, index) => ({
      index,
      text: asked[index]!.echo + end.text,
      finish_reason: finishOf(end),
      logprobs: textLogprobs(end.logprobs, characters(asked[index]!.echo)),
      ...withExplanation(end, body),
    })),
    usage: usageOf(ends, body.n ?? 1),
  };
}

export async function* textEvents(
  modelClient: ModelClient,
  body: TextBody,
  callContext: CallContext,
): AsyncGenerator<Answer> {
  const asked = choicesOf(body);
  const usage = body.stream_options?.include_usage ? { usage: null } : {};
  const head = { ...answerHead('cmpl', body.model), object: 'text_completion' as const };
  const ends: End[] = [];
  const lengths = asked.map(({ echo }) => characters(echo));
  const begun = new Set<number>();
  const answers = asked.map(({ question, place }) =>
    modelClient.generate(body.model, question, { ...callContext, ...place }),
  );
  for await (const { choice: index, delta, end } of mergeStreams(answers, maxConcurrentPrompts)) {
    const echo = begun.has(index) ? '' : asked[index]!.echo;
    begun.add(index);
    const text = echo + (delta?.text ?? '');
    const logprobs = delta ? textLogprobs(delta.logprobs, lengths[index]!) : null;
    lengths[index]! += characters(delta?.text ?? '');
    if (end) ends[index] = end;
    const ending = end ? { finish_reason: finishOf(end), ...withExplanation(end, body) } : { finish_reason: null };
    yield { ...head, choices: [{ index, text, logprobs, ...ending }], ...usage };
  }
  if (body.stream_options?.include_usage) yield { ...head, choices: [], usage: usageOf(ends, body.n ?? 1) };
}

/** Every choice of every prompt, in the order of the answer. */
function choicesOf(body: TextBody) {
  const prompts = Array.isArray(body.prompt) ? body.prompt : [body.prompt];
  return prompts.flatMap((prompt, at) =>
    Array.from({ length: body.n ?? 1 }, (_, choice) => ({
      question: choiceOf(textQuestion(body, prompt), choice),
      place: prompts.length > 1 ? { place: at } : {},
      echo: body.echo ? prompt : '',
    })),
  );
}
